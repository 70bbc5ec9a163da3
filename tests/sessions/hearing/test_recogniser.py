"""What the recogniser is given, and its thread; what it hears is of the long tests."""

import numpy as np
import pytest

from sessions.hearing.judging import JudgeFailed
from sessions.hearing.recogniser import RATE, Moonshine, at_16k


@pytest.mark.parametrize("hz", [200, 3_000])
def test_sound_keeps_its_pitch_and_level(hz):
    at = np.arange(24_000)
    wave = at_16k((8_000 * np.sin(2 * np.pi * hz * at / 24_000)).astype(np.int16), 24_000)
    assert len(wave) == RATE
    assert np.abs(np.fft.rfft(wave)).argmax() == hz
    assert np.sqrt(np.mean(wave**2)) == pytest.approx(8_000 / 32_768 / np.sqrt(2), rel=0.01)


def test_what_is_too_high_for_the_rate_is_gone():
    at = np.arange(24_000)
    wave = at_16k((8_000 * np.sin(2 * np.pi * 10_000 * at / 24_000)).astype(np.int16), 24_000)
    assert np.abs(wave).max() < 0.01


def test_no_sound_is_no_sound():
    assert len(at_16k(np.zeros(0, np.int16), 24_000)) == 0


async def test_before_it_is_loaded_it_does_not_hear():
    async with Moonshine() as judge:
        assert not judge.ready
        with pytest.raises(JudgeFailed):
            await judge.hear(np.zeros(100, np.int16), 24_000)


async def test_where_it_is_not_installed_it_never_gets_ready(monkeypatch, caplog):
    """And the thread ends with it."""
    monkeypatch.setitem(__import__("sys").modules, "moonshine_voice", None)
    async with Moonshine() as judge:
        judge.begin()
    assert not judge.ready
    assert "could not be loaded" in caplog.text
