"""Where the windows that the server told of meet, in its clauses."""

from types import SimpleNamespace

import pytest

pytest.importorskip("onnxruntime")

from benchmarks.quality.whole import _joins
from engine.families.embedded.clause import HOP, Span


def _plans(*frames, skip=5):
    """Clauses of so many acoustic frames that are played."""
    start, made = 0, []
    for count in frames:
        span = Span("af_heart", start, skip, skip + count)
        made.append(SimpleNamespace(span=span))
        start += span.samples
    return made


def test_joins_are_between_a_clauses_windows_and_not_between_clauses():
    """The last window of a clause has as many codec frames as its rest needs, rounded up."""
    joins = list(_joins(_plans(40, 31), [4, 6, 4, 10, 1]))
    assert joins == [12 * HOP, 30 * HOP, (40 + 30) * HOP]


def test_a_clause_in_one_window_has_no_joins():
    assert list(_joins(_plans(40, 12), [14, 4])) == []


def test_no_join_is_made_up_where_the_server_told_of_no_more_windows():
    assert list(_joins(_plans(90, 90), [4, 6])) == [12 * HOP, 30 * HOP]
