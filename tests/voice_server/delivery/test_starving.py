"""Whether a player of a scene starves, in virtual time, whatever this machine does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scene.player import Player
from sessions import events
from tests.voice_server.delivery.sounds import RATE
from tests.voice_server.delivery.test_session import finished, session, started
from voice_server.delivery.session import SessionDelivery
from voice_server.delivery.take import Outgoing
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.messages import TakeDone

PACKET_S = 0.02
PAUSE_S = 0.5
FIRST, LATER = 15, 30
"""Packets of a line's first window and of its others: 300 and 600 ms."""
INSTANT_S = 1e-5

Making = tuple[int, float]
"""A window: its packets, and the seconds that it took to make."""


@dataclass
class Scene:
    """Lines made one after another, and delivered to a player who hears all as it comes."""

    delivery: SessionDelivery
    player: Player = field(default_factory=lambda: Player(RATE))
    done: list[TakeDone] = field(default_factory=list)
    heard: set[int] = field(default_factory=set)
    now: float = 0.0

    def make(self, lines: Sequence[Sequence[Making]]) -> None:
        for number, windows in enumerate(lines, start=1):
            self.delivery.handle(line(number), self.now)
            at = 0
            for packets, cost in windows:
                self.wait(self.now + cost)
                end = at + round(packets * PACKET_S * RATE)
                samples = np.zeros(end - at, np.int16)
                self.delivery.handle(
                    events.TakeAudio(f"t{number}", number, at, samples, 4), self.now
                )
                at = end
            self.delivery.handle(finished(number, at), self.now)
        self.wait(float("inf"))

    def wait(self, until: float) -> None:
        """Hands out what is due by then, each at its time."""
        while (due := self.delivery.next_due(self.now)) is not None and due <= until:
            self.now = max(self.now, due)
            for one in self.delivery.poll(self.now):
                self.hear(one)
        self.now = until

    def hear(self, one: Outgoing) -> None:
        if isinstance(one, TakeDone):
            self.done.append(one)
        if isinstance(one, AudioFrame):
            if one.stream not in self.heard:
                self.heard.add(one.stream)
                self.player.line(PAUSE_S)
            self.player.hear(len(one.payload) // 2, self.now)

    @property
    def gaps(self) -> list[tuple[int, float]]:
        """Of which line, and for how long."""
        found = ((gap.line, gap.seconds) for gap in self.player.gaps)
        return [gap for gap in found if gap[1] > INSTANT_S]


def line(number: int) -> events.TakeStarted:
    """Each follows the one before."""
    if number == 1:
        return started(number)
    told = started(number)
    return replace(told, scene_id="s", follows=f"t{number - 1}", pause_ms=1000 * PAUSE_S)


def performed(lines: Sequence[Sequence[Making]], lead_ms: float) -> Scene:
    scene = Scene(session(lead_ms=lead_ms))
    scene.make(lines)
    assert len(scene.done) == len(lines)
    return scene


windows = st.lists(st.tuples(st.integers(1, LATER), st.floats(0, 1.5)), min_size=1, max_size=6)
leads = st.sampled_from((200, 10_000))


@given(st.lists(windows, min_size=1, max_size=4), leads)
def test_takes_tell_all_that_their_player_starved_and_no_more(
    lines: list[list[Making]], lead: int
) -> None:
    """However slowly it is made, and where it is late within a line as where a line is late."""
    scene = performed(lines, lead)
    for number, done in enumerate(scene.done):
        gaps = [seconds for of, seconds in scene.gaps if of == number]
        assert done.underruns.count == len(gaps)
        assert done.underruns.total_ms == pytest.approx(1000 * sum(gaps), abs=0.05)


@st.composite
def in_time(draw: st.DrawFn) -> list[Making]:
    """A line's windows, each made in no more than it lasts."""
    packets = [FIRST, *draw(st.lists(st.just(LATER), max_size=5)), draw(st.integers(1, LATER))]
    costs = [draw(st.floats(0, count * PACKET_S)) for count in packets]
    return list(zip(packets, costs, strict=True))


@given(st.lists(in_time(), min_size=1, max_size=6), leads)
def test_a_player_never_starves_once_it_is_ahead(lines: list[list[Making]], lead: int) -> None:
    """Of what is made as fast as it is heard. At first it is ahead by one window of 300 ms, and the
    second may take longer than that; never again, in whatever line."""
    scene = performed(lines, lead)
    limit = (LATER - FIRST) * PACKET_S
    assert len(scene.gaps) <= 1
    assert all(of == 0 and seconds <= limit + INSTANT_S for of, seconds in scene.gaps)
    assert sum(done.underruns.count for done in scene.done[1:]) == 0
