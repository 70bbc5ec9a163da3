"""Edits are exact, heard right, and joined as natural words are.

A shorter run of `python -m benchmarks.editing`; docs/measuring.md says what the figures mean.
"""

from itertools import dropwhile

import pytest

VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")

pytestmark = [pytest.mark.long, pytest.mark.dear]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Every eighth line, the last of them edited ten times over. Imported here, since only the long
    tests have the recognisers installed."""
    from benchmarks.editing.cases import CHAINS
    from benchmarks.editing.running import Asked, kept
    from benchmarks.editing.running import run as make

    folder = tmp_path_factory.mktemp("editing")
    asked = Asked(CHAINS[::8], VOICES, 1, 1, folder, False, 1e6, ())
    assert make(asked, lambda step: None) == 0
    return kept(asked)


@pytest.fixture(scope="module")
def figures(run):
    from benchmarks.editing.summary import summed

    return summed(run)


def test_all_outside_the_change_is_the_parents(run, figures):
    every = figures.rows[-1]
    assert every.edits >= 17
    assert every.exact == every.edits, [trial.new for trial in run if not trial.exact]


def test_changed_words_are_heard_where_they_are_in_the_whole_line(figures):
    base, _ = figures.rows[-1].right
    assert base.asked >= 14
    assert len(base.wrong) <= 1, base.wrong


def test_the_server_says_what_it_heard(run):
    """Of all from the first on that was made with the recogniser loaded, whenever that was."""
    told = list(dropwhile(lambda one: one is None, (trial.told for trial in run)))
    assert len(told) >= len(run) / 2
    assert all(one is not None for one in told)
    assert sum(one.right for one in told) >= 0.8 * len(told)


def test_edits_sound_as_good_as_their_parents(figures):
    assert abs(figures.rows[-1].gap) <= 0.1


def test_joins_are_like_word_boundaries(figures):
    assert figures.joined.joins >= 25
    assert figures.joined.over <= 0.15


def test_a_word_changes_less_than_a_second(figures):
    assert figures.declared.mean < 1


def test_an_edit_makes_less_than_half_of_the_line_anew(figures):
    """What that costs beside the whole line, the recogniser included, depends on the processor, and
    is for `python -m benchmarks.editing` to tell."""
    assert figures.rows[-1].share < 0.5
