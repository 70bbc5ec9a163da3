"""The scene's script is as long as asked, and its figures mean what docs/measuring.md says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scene.performing import Keeping
from benchmarks.scene.player import Gap, Player
from benchmarks.scene.rows import Likeness, Line, Memory
from benchmarks.scene.script import CHARACTERS_A_SECOND, LINES, lines, script
from benchmarks.scene.summary import growth, lost
from engine.types import Performance
from sessions.directing import Context, direct
from sessions.script import Dialogue, ScriptReader

RATE = 1000


def test_a_player_starves_only_where_sound_comes_after_what_it_had_has_ended() -> None:
    player = Player(RATE)
    player.line(9.0)  # Silence before the first line is nobody's to wait for.
    player.hear(500, 2.0)
    player.hear(500, 2.4)
    player.line(0.5)  # Plays until 3.5.
    player.hear(1000, 3.75)
    player.line(0.5)  # Plays until 5.25.
    player.hear(1000, 5.0)
    assert player.gaps == [Gap(1, 1.5, 0.25)]
    assert player.heard_s == 4.0
    assert player.least_lead_s == pytest.approx(-0.25)


@given(st.lists(st.tuples(st.integers(1, 400), st.floats(0, 0.5)), min_size=1, max_size=40))
def test_all_that_is_heard_and_all_gaps_make_up_the_time(pieces: list[tuple[int, float]]) -> None:
    player, at = Player(RATE), 5.0
    player.line(0.0)
    for samples, wait in pieces:
        at += wait
        player.hear(samples, at)
    starved = sum(gap.seconds for gap in player.gaps)
    last, _ = pieces[-1]
    assert player.heard_s == pytest.approx(sum(samples for samples, _ in pieces) / RATE)
    begun = 5.0 + pieces[0][1]
    assert begun + player.heard_s + starved >= at + last / RATE - 1e-9
    late = [wait for _, wait in pieces[1:]]
    assert starved <= sum(late) + 1e-9


@pytest.mark.parametrize("minutes", [0.01, 2, 60])
def test_the_script_has_so_many_minutes_of_lines(minutes: float) -> None:
    said = lines(minutes)
    wanted = 60 * minutes * CHARACTERS_A_SECOND
    assert wanted <= sum(len(line.text) for line in said) < wanted + 100
    assert said[: len(LINES)] == LINES[: len(said)]


def test_the_script_is_read_as_it_was_meant() -> None:
    said = lines(4)
    reader = ScriptReader("auto")
    items = [*reader.push(script(said)), *reader.end()]
    spoken = [item for item in items if isinstance(item, Dialogue)]
    assert [(one.speaker, one.text, one.direction or "") for one in spoken] == [
        (line.speaker, line.text, line.direction) for line in said
    ]


def test_every_direction_of_the_script_is_understood() -> None:
    for line in LINES:
        if line.direction:
            directed = direct(line.direction, Performance(), Context(line.text))
            assert directed.moved, line.direction
            assert not directed.ignored + directed.impossible, line.direction


def test_growth_is_from_after_the_first_five_minutes_to_the_last_one() -> None:
    begun = [Memory(at / 4, at, 100 + at / 3) for at in range(0, 300, 10)]
    flat = [Memory(at / 4, at, 200 + at / 60) for at in range(300, 901, 10)]
    assert growth([*begun, *flat]) == pytest.approx((870 - 325) / 60, abs=0.1)
    assert growth(begun) is None
    assert growth([*begun, *flat[:6]]) is None


def test_likeness_is_lost_on_the_whole_of_those_of_whom_it_can_be_told() -> None:
    def row(within: float | None, to_first: float | None) -> Likeness:
        return Likeness("A", "a", 2, 2, within, to_first, 0.5, 2)

    assert lost([row(0.9, 0.8), row(0.9, 0.94), row(None, 0.2)]) == pytest.approx(0.03)
    assert lost([row(None, 0.9)]) is None


def test_the_first_and_the_last_minute_are_kept_and_lines_said_again_compared() -> None:
    keeping, sound = Keeping(), np.zeros(1, np.int16)
    for number in range(40):
        said = LINES[number % 10]
        digest = "other" if number == 25 else said.text
        start = 7.0 * number
        keeping.keep(Line(number, said, "a", start, start + 6, digest, sound))
    assert [line.number for line in keeping.first] == list(range(9))
    assert [line.number for line in keeping.last] == list(range(32, 40))
    assert (keeping.again, keeping.same) == (30, 29)
