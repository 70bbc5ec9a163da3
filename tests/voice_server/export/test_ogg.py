"""Ogg Opus by RFC 7845: exact in length, readable by others, and right page by page."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import Int16
from tests.voice_server.export.scene import noise, tone, track
from voice_server.delivery.opus import OpusTakeDecoder, OpusTakeEncoder
from voice_server.export.errors import ExportError
from voice_server.export.ogg import FRAME_MS, checksum, ogg_opus


@dataclass(frozen=True)
class Page:
    flags: int
    granule: int
    serial: int
    number: int
    packets: tuple[bytes, ...]


def crc(data: bytes) -> int:
    """Bit by bit, as RFC 3533 says."""
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x104C11DB7 if value & 0x80000000 else 0)
    return value


def pages(data: bytes) -> list[Page]:
    """Reads pages of whole packets, with their checksums."""
    found = []
    while data:
        magic, version, flags, granule, serial, number, told, count = struct.unpack_from(
            "<4sBBqIIIB", data
        )
        assert (magic, version) == (b"OggS", 0)
        lacing, at, packets, size = data[27 : 27 + count], 27 + count, [], 0
        for value in lacing:
            size += value
            if value < 255:
                packets.append(data[at : at + size])
                at, size = at + size, 0
        assert size == 0
        assert told == crc(data[:22] + bytes(4) + data[26:at])
        found.append(Page(flags, granule, serial, number, tuple(packets)))
        data = data[at:]
    return found


def encoded(sound: Int16, rate: int = 24_000) -> bytes:
    return b"".join(ogg_opus(track(sound, rate), "A title"))


@given(st.binary(max_size=300))
def test_the_checksum_is_oggs(data: bytes) -> None:
    assert checksum(data) == crc(data)


@pytest.mark.parametrize("rate", [8_000, 24_000, 48_000])
@pytest.mark.parametrize("samples", [1, 59, 60, 419, 420, 421, 479, 480, 481, 24_000, 100_003])
def test_another_reader_finds_exactly_the_samples(samples: int, rate: int) -> None:
    sound = tone(samples, rate=rate)
    with soundfile.SoundFile(io.BytesIO(encoded(sound, rate))) as file:
        # libsndfile counts at the rate it was told of when that is one of Opus's own.
        assert (file.format, file.subtype, file.channels) == ("OGG", "OPUS", 1)
        assert file.samplerate == rate
        heard = file.read(dtype="int16")
    assert len(heard) == samples
    if samples > 10_000:
        error = heard.astype(float) - sound
        assert np.sqrt(np.mean(error[500:-500] ** 2)) < 300


def test_the_pages_are_those_of_the_rfc() -> None:
    sound = tone(24_000 * 3 + 17)
    head, tags, *audio = pages(encoded(sound))
    encoder = OpusTakeEncoder(24_000, FRAME_MS)
    pre_skip = 2 * encoder.pre_skip
    assert head.packets == (struct.pack("<8sBBHIhB", b"OpusHead", 1, 1, pre_skip, 24_000, 0, 0),)
    assert tags.packets[0].startswith(b"OpusTags\x0c\x00\x00\x00voice-server\x01\x00\x00\x00")
    assert tags.packets[0].endswith(b"TITLE=A title")
    every = [head, tags, *audio]
    assert [page.number for page in every] == list(range(len(every)))
    assert len({page.serial for page in every}) == 1
    assert [page.flags for page in every] == [2, *[0] * (len(every) - 2), 4]
    assert (head.granule, tags.granule) == (0, 0)
    counted = np.cumsum([960 * len(page.packets) for page in audio])
    assert [page.granule for page in audio[:-1]] == list(counted[:-1])
    assert audio[-1].granule == pre_skip + 2 * len(sound)
    assert counted[-2] < audio[-1].granule <= counted[-1]
    assert [len(page.packets) for page in audio[:-1]] == [50] * (len(audio) - 1)


def test_it_has_the_packets_that_a_listener_gets() -> None:
    sound = noise(40_000)
    _, _, *audio = pages(encoded(sound))
    packets = [packet for page in audio for packet in page.packets]
    decoder = OpusTakeDecoder(24_000, OpusTakeEncoder(24_000, FRAME_MS).pre_skip)
    heard = [decoder.feed(packet, packet is packets[-1]) for packet in packets]
    total = sum(map(len, heard)) + len(decoder.finish(len(sound)))
    assert total == len(sound)


def test_no_sound_is_a_file_of_no_samples() -> None:
    data = encoded(noise(0))
    *_, last = pages(data)
    assert (last.flags, len(last.packets)) == (4, 1)
    assert len(soundfile.read(io.BytesIO(data))[0]) == 0


@settings(max_examples=20)
@given(st.integers(0, 30_000), st.integers(1, 9_000))
def test_however_the_sound_comes_the_file_is_the_same(samples: int, block: int) -> None:
    sound = noise(samples)
    in_blocks = b"".join(ogg_opus(track(sound, block=block), "A title"))
    assert in_blocks == encoded(sound)


def test_a_long_title_still_has_room_on_its_page() -> None:
    data = b"".join(ogg_opus(track(tone(100)), "é" * 100_000))
    assert len(soundfile.read(io.BytesIO(data))[0]) == 100


def test_a_rate_that_opus_has_not_is_refused_before_anything_is_made() -> None:
    with pytest.raises(ExportError, match="22050 Hz"):
        ogg_opus(track(tone(10), 22_050), "A title")
