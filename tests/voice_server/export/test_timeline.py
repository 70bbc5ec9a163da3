"""A scene has the chosen take of each line, in order, with natural pauses between."""

from __future__ import annotations

import pytest

from sessions.pauses import NATURAL, Pauses
from sessions.states import TakeState
from sessions.store import Aside
from tests.voice_server.export.scene import RATE, at_once, line, sheet, take, three_lines
from voice_server.export.errors import ExportError
from voice_server.export.timeline import timeline


def test_the_kept_take_else_the_last_finished_one_with_pauses_by_speaker() -> None:
    placed = timeline(three_lines())
    assert [clip.take.id for clip in placed.clips] == ["take_2", "take_5", "take_6"]
    assert placed.clips[0].start == 0
    assert placed.clips[1].start - placed.clips[0].end == 0.6 * RATE
    assert placed.clips[2].start - placed.clips[1].end == 0.35 * RATE
    assert placed.samples == placed.clips[2].end
    assert placed.speakers == ("ANNA", "BEN")


def test_a_heading_makes_a_longer_pause() -> None:
    one, two = (line(n, "A", take(f"take_{n}", f"line_{n}", 100)) for n in (1, 2))
    plain = timeline(sheet(one, two, asides=(Aside("action", "Rain.", 1),)))
    set_anew = timeline(sheet(one, two, asides=(Aside("heading", "INT. X", 1),)))
    at_start = timeline(sheet(one, two, asides=(Aside("heading", "INT. X", 0),)))
    assert plain.samples == at_start.samples == 200 + NATURAL.same_speaker * RATE
    assert set_anew.samples == 200 + NATURAL.heading * RATE


def test_lines_that_cannot_be_heard_are_left_out() -> None:
    heard = line(1, "A", take("take_1", "line_1", 100))
    cancelled = line(2, "B", take("take_2", "line_2", 50, state=TakeState.CANCELLED))
    silent = line(3, "B", take("take_3", "line_3", 0))
    last = line(5, "A", take("take_5", "line_5", 10))
    placed = timeline(sheet(heard, cancelled, silent, line(4, "B"), last), Pauses(0.5, 1.0))
    assert [clip.line.id for clip in placed.clips] == ["line_1", "line_5"]
    assert placed.clips[1].start == 100 + 0.5 * RATE


def test_what_cannot_be_one_file_is_refused() -> None:
    with pytest.raises(ExportError, match="no line"):
        timeline(sheet(line(1, "A")))
    two = (
        line(1, "A", take("take_1", "line_1", 9)),
        line(2, "A", take("take_2", "line_2", 9, 16_000)),
    )
    with pytest.raises(ExportError, match="16000 Hz and 24000 Hz"):
        timeline(sheet(*two))


@pytest.mark.parametrize(("first", "second"), [(900, 300), (300, 900)])
def test_lines_said_at_once_begin_together_and_the_next_waits_for_both(
    first: int, second: int
) -> None:
    placed = timeline(at_once(first, second))
    assert [(clip.start, clip.end) for clip in placed.clips[:2]] == [(0, first), (0, second)]
    assert placed.clips[2].start == 900 + NATURAL.new_speaker * RATE
    assert placed.samples == placed.clips[2].end


def test_a_line_said_with_one_that_has_no_sound_has_a_place_of_its_own() -> None:
    before = line(1, "A", take("take_1", "line_1", 100))
    dual = line(3, "B", take("take_3", "line_3", 100), dual=True)
    placed = timeline(sheet(before, line(2, "A"), dual))
    assert placed.clips[1].start == 100 + NATURAL.new_speaker * RATE
    assert timeline(sheet(line(2, "A"), dual)).clips[0].start == 0
