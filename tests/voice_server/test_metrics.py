"""What `/metrics` says of windows: what they cost now, wherever the stage runs."""

from __future__ import annotations

import pytest

from tests.voice_server.live import client, server

#: The launcher, and what it needs to be told.
LAUNCHERS = (("launcher=threads",), ("launcher=processes",))


@pytest.mark.parametrize("launcher", LAUNCHERS, ids=lambda one: one[0])
async def test_the_costs_of_windows_are_shown_by_size(launcher: tuple[str, ...]) -> None:
    async with server(*launcher) as live, client(live) as one:
        await one.speak("hello there")
        await one.until("take.done")
        text = (await live.get("/metrics")).text
    for figure in (
        'voice_window_seconds{frames="4",replica="0",stage="code2wav"} 0.0',
        'voice_window_seconds{frames="10",replica="0",stage="code2wav"} 0.0',
        'voice_window_cost_factor{replica="0",stage="code2wav"} 1.0',
    ):
        assert f"\n{figure}\n" in text
    assert 'voice_window_seconds{frames="4",replica="0",stage="talker"}' not in text
