"""Sound files are written whole or not at all, in the format that their name says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from voice_server.client.errors import ClientError
from voice_server.client.recording import CONTAINERS, recording

RATE = 24_000
SOUND = (8000 * np.sin(np.arange(RATE) * 2 * np.pi * 220 / RATE)).astype(np.int16)


def write(path: Path) -> None:
    with recording(path, RATE) as file:
        for at in range(0, len(SOUND), 480):
            file.write(SOUND[at : at + 480])


@pytest.mark.parametrize("ending", [".wav", ".flac"])
def test_lossless_files_hold_the_very_samples(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"x{ending}")
    samples, rate = soundfile.read(tmp_path / f"x{ending}", dtype="int16")
    assert rate == RATE
    assert np.array_equal(samples, SOUND)


@pytest.mark.parametrize("ending", [".ogg", ".opus", ".mp3"])
def test_compressed_files_sound_alike(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"x{ending}")
    found = soundfile.info(tmp_path / f"x{ending}")
    assert (found.format, found.subtype) == (
        CONTAINERS[ending].format,
        CONTAINERS[ending].encoding,
    )
    samples, rate = soundfile.read(tmp_path / f"x{ending}", dtype="int16")
    assert rate == RATE
    assert abs(len(samples) - len(SOUND)) < RATE // 10
    assert np.corrcoef(samples[:20_000], SOUND[:20_000])[0, 1] > 0.95


def test_a_failed_recording_leaves_nothing_and_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    path.write_text("before")

    def fail() -> None:
        with recording(path, RATE) as file:
            file.write(SOUND)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [found.name for found in tmp_path.iterdir()] == ["x.wav"]
    assert path.read_text() == "before"


def test_unknown_endings_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match=r"ends in \.wav, \.flac"):
        write(tmp_path / "x.aiff")
    with pytest.raises(ClientError, match="can't be written"):
        write(tmp_path / "no" / "x.wav")
