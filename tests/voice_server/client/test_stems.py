"""Stems are as long as the scene, and add up to it, wherever lines and pauses are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import Int16
from voice_server.client.stems import SCENE, stems

RATE = 24_000
SPEAKERS = ("ANNA", "BEN", "A/B: ..")


def read(path: Path) -> Int16:
    samples, rate = soundfile.read(path, dtype="int16")
    assert rate == RATE
    return np.asarray(samples, np.int16)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(SPEAKERS), st.integers(0, 999), st.integers(0, 70_000))))
def test_each_stem_has_its_speaker_and_silence_elsewhere(
    lines: list[tuple[str, int, int]],
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        heard = []
        with stems(folder, RATE) as files:
            for speaker, samples, pause in lines:
                files.pause(pause)
                start = files.samples
                block = np.full(samples, 1 + len(heard), np.int16)
                files.write(speaker, block)
                heard.append((speaker, start, block))
            named = files.names
        scene = read(folder / SCENE)
        assert len(scene) == sum(samples + pause for _, samples, pause in lines)
        assert set(named) == {speaker for speaker, _, _ in lines}
        for speaker, path in named.items():
            expected = np.zeros(len(scene), np.int16)
            for who, start, block in heard:
                if who == speaker:
                    expected[start : start + len(block)] = block
            assert np.array_equal(read(folder / path), expected)


def test_a_scene_that_fails_leaves_no_sound(tmp_path: Path) -> None:
    def fail() -> None:
        with stems(tmp_path, RATE) as files:
            files.write("ANNA", np.ones(10, np.int16))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
