"""Encoders: sample-exact at both ends, the same packets however the sound comes, freed once."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import Int16
from tests.voice_server.delivery.sounds import RATE, lag, snr_db, speech
from voice_server.delivery.encoding import EncoderSettings, TakeEncoder
from voice_server.delivery.errors import BadPacket, DeliveryError
from voice_server.delivery.opus import OpusTakeDecoder, OpusTakeEncoder
from voice_server.delivery.packet import Packet
from voice_server.delivery.pcm16 import Pcm16TakeDecoder, Pcm16TakeEncoder

EDGES = (0, 1, 419, 420, 421, 479, 480, 481, 899, 900, 901, 959, 960, 1380, 1439, 1440, 1441)
frame_lengths = st.sampled_from((20, 40, 60))
lengths = st.sampled_from(EDGES) | st.integers(0, 5_000)
cuts = st.lists(st.integers(0, 5_000), max_size=6)


def encoded(encoder: TakeEncoder, chunks: list[Int16]) -> list[Packet]:
    packets = [packet for chunk in chunks for packet in encoder.push(chunk)]
    return packets + encoder.finish()


def decoded(
    decoder: OpusTakeDecoder | Pcm16TakeDecoder, packets: list[Packet], samples: int
) -> Int16:
    parts = [decoder.feed(packet.payload, packet.last) for packet in packets]
    return np.concatenate([*parts, decoder.finish(samples)])


def chunked(sound: Int16, at: list[int]) -> list[Int16]:
    return np.split(sound, sorted(min(cut, len(sound)) for cut in at))


@pytest.mark.parametrize("frame_ms", [20, 40, 60])
def test_decoded_opus_lies_on_its_source(frame_ms: int) -> None:
    source = speech(2.0)
    encoder = OpusTakeEncoder(RATE, frame_ms)
    packets = encoded(encoder, [source])
    sound = decoded(OpusTakeDecoder(RATE, encoder.pre_skip), packets, len(source))
    assert len(sound) == len(source)
    assert lag(source, sound) == 0
    assert snr_db(source, sound) > 15
    assert snr_db(source[-480:], sound[-480:]) > 10


@pytest.mark.parametrize("frame_ms", [20, 60])
def test_a_browser_that_decodes_at_48_khz_finds_the_same_place(frame_ms: int) -> None:
    """Twice the rate, twice pre_skip: the peak stays at lag 0."""
    source = speech(1.0)
    encoder = OpusTakeEncoder(RATE, frame_ms)
    packets = encoded(encoder, [source])
    decoder = OpusTakeDecoder(48_000, 2 * encoder.pre_skip)
    sound = decoded(decoder, packets, 2 * len(source))
    assert lag(source, sound[::2]) == 0
    assert snr_db(source, sound[::2]) > 15


@settings(max_examples=60)
@given(frame_lengths, lengths)
def test_opus_of_any_length_decodes_to_just_that_length(frame_ms: int, length: int) -> None:
    encoder = OpusTakeEncoder(RATE, frame_ms)
    pre_skip = encoder.pre_skip
    packets = encoded(encoder, [speech(1.0)[:length]])
    assert len(decoded(OpusTakeDecoder(RATE, pre_skip), packets, length)) == length
    assert [packet.last for packet in packets] == [False] * (len(packets) - 1) + [True] * bool(
        packets
    )
    frame = RATE * frame_ms // 1000
    assert [packet.timestamp for packet in packets] == [i * frame for i in range(len(packets))]
    assert [packet.end for packet in packets] == [
        min(length, packet.timestamp + frame - pre_skip) for packet in packets
    ]
    assert bool(packets) == bool(length)


@settings(max_examples=60)
@given(st.sampled_from(("opus", "pcm16")), frame_lengths, lengths, cuts)
def test_any_chunking_gives_the_same_packets(
    encoding: str, frame_ms: int, length: int, at: list[int]
) -> None:
    sound = speech(1.0)[:length]
    encoder = EncoderSettings("opus" if encoding == "opus" else "pcm16", RATE, frame_ms)
    whole = encoded(encoder.encoder(), [sound])
    assert encoded(encoder.encoder(), chunked(sound, at)) == whole


@given(frame_lengths, lengths)
def test_pcm16_is_the_sound_itself(frame_ms: int, length: int) -> None:
    sound = speech(1.0)[:length]
    packets = encoded(Pcm16TakeEncoder(RATE, frame_ms), [sound])
    assert b"".join(packet.payload for packet in packets) == sound.astype("<i2").tobytes()
    assert np.array_equal(decoded(Pcm16TakeDecoder(), packets, length), sound)
    assert sum(packet.last for packet in packets) == bool(length)
    assert all(packet.last for packet in packets[-1:])
    assert all(len(packet.payload) == RATE * frame_ms // 500 for packet in packets[:-1])
    assert [packet.end for packet in packets[-1:]] == [length] * bool(length)


def test_the_callers_window_may_be_written_to_again() -> None:
    window = speech(1.0)[:700].copy()
    encoder = Pcm16TakeEncoder(RATE, 20)
    packets = encoder.push(window)
    window[:] = 0
    packets += encoder.finish()
    assert np.array_equal(decoded(Pcm16TakeDecoder(), packets, 700), speech(1.0)[:700])


@pytest.mark.parametrize("end", ["finish", "close"])
def test_the_encoder_state_is_freed_at_the_end_and_only_once(end: str) -> None:
    encoder = OpusTakeEncoder(RATE, 20)
    state = weakref.ref(encoder._encoder)
    encoder.push(speech(1.0)[:500])
    if end == "finish":
        encoder.finish()
    encoder.close()
    encoder.close()
    gc.collect()
    assert state() is None
    with pytest.raises(DeliveryError):
        encoder.push(speech(1.0)[:500])


def test_a_closed_pcm16_encoder_takes_no_more() -> None:
    encoder = Pcm16TakeEncoder(RATE, 20)
    encoder.close()
    with pytest.raises(DeliveryError):
        encoder.push(speech(1.0)[:500])


def test_two_takes_do_not_share_state() -> None:
    source = speech(1.0)
    alone = encoded(OpusTakeEncoder(RATE, 20), [source])
    first, second = OpusTakeEncoder(RATE, 20), OpusTakeEncoder(RATE, 20)
    packets: list[Packet] = []
    for at in range(0, len(source), 480):
        packets += first.push(source[at : at + 480])
        second.push(source[::-1][at : at + 480])
    assert packets + first.finish() == alone
    second.close()


def test_sample_rates_that_opus_lacks_are_refused() -> None:
    with pytest.raises(DeliveryError, match="44100"):
        OpusTakeEncoder(44_100, 20)


def test_bytes_that_are_not_opus_are_refused() -> None:
    with pytest.raises(BadPacket):
        OpusTakeDecoder(RATE, 60).feed(b"\xff" * 3)
    with pytest.raises(BadPacket):
        Pcm16TakeDecoder().feed(b"\0\0\0")


@pytest.mark.parametrize("told", [999, 1441, 100_000])
def test_a_length_that_does_not_fit_the_packets_is_refused(told: int) -> None:
    encoder = OpusTakeEncoder(RATE, 20)
    decoder = OpusTakeDecoder(RATE, encoder.pre_skip)
    packets = encoded(encoder, [speech(1.0)[:1_440]])
    for packet in packets:
        decoder.feed(packet.payload, packet.last)
    assert len(packets) == 4
    with pytest.raises(BadPacket):
        decoder.finish(told if told != 1441 else 1_861)


def test_pre_skip_is_told_without_leaving_an_encoder_behind() -> None:
    assert EncoderSettings("opus", RATE, 20).pre_skip() == 60
    assert EncoderSettings("pcm16", RATE, 20).pre_skip() == 0
