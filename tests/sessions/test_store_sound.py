"""Sound in files: exact, whole or not at all; and a buffer that needs little memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.errors import TooLong
from sessions.sound import SoundBuffer, read_blocks, read_flac, whole_file, write_flac
from tests.sessions.store_values import RATE, noise


@pytest.mark.parametrize("samples", [1, 2, 4_095, 4_096, 4_097, 200_000])
def test_flac_gives_back_every_sample(tmp_path: Path, samples: int) -> None:
    sound, path = noise(samples), tmp_path / "a.flac"
    with whole_file(path) as file:
        assert write_flac(file, np.array_split(sound, 7), RATE) == samples
    assert np.array_equal(read_flac(path), sound)
    assert np.array_equal(np.concatenate(list(read_blocks(path))), sound)
    middle = list(read_blocks(path, samples // 3, samples - 1))
    assert np.array_equal(np.concatenate([sound[:0], *middle]), sound[samples // 3 : samples - 1])


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    def fail() -> None:
        with whole_file(tmp_path / "a") as file:
            file.write(b"half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.integers(0, 900), max_size=12), st.integers(0, 4_000), st.integers(0, 4_000))
def test_a_buffer_is_the_sound_appended(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], start: int, end: int
) -> None:
    pieces = [noise(size, number) for number, size in enumerate(sizes)]
    whole = np.concatenate([noise(0), *pieces])
    held = SoundBuffer(RATE, len(whole), tmp_path_factory.getbasetemp(), memory=2_000)
    for piece in pieces:
        held.append(piece)
        held.read(start, end)
    assert len(held) == len(whole)
    assert np.array_equal(held.read(start, end), whole[start:end])
    assert np.array_equal(np.concatenate([noise(0), *held.blocks()]), whole)
    held.close()


def test_a_buffer_has_a_limit(tmp_path: Path) -> None:
    held = SoundBuffer(RATE, 100, tmp_path)
    held.append(noise(90))
    with pytest.raises(TooLong, match="100 samples"):
        held.append(noise(11))
    held.append(noise(10))
    assert len(held) == 100
    held.close()
    held.close()


def test_an_hour_takes_the_memory_of_a_minute(tmp_path: Path) -> None:
    window = noise(RATE)
    held = SoundBuffer(RATE, 3600 * RATE, tmp_path)
    tracemalloc.start()
    try:
        for _ in range(3600):
            held.append(window)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        held.close()
    assert peak < 10_000_000
