"""The binary frame: its bytes, its way back, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voice_server.wire.strategies import outcome
from voice_server.wire.audio_frame import HEADER_BYTES, LAST, AudioFrame
from voice_server.wire.errors import WireError


def test_bytes_are_as_the_protocol_lays_them_out() -> None:
    frame = AudioFrame(stream=2, seq=3, timestamp=480, payload=b"xy", flags=LAST)
    assert frame.pack().hex() == "010101000200000003000000e0010000000000007879"
    assert HEADER_BYTES == 20


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**64 - 1),
    st.binary(max_size=50),
    st.integers(0, 2**16 - 1),
)
def test_round_trip(stream: int, seq: int, timestamp: int, payload: bytes, flags: int) -> None:
    frame = AudioFrame(stream, seq, timestamp, payload, flags)
    assert AudioFrame.unpack(frame.pack()) == frame
    assert frame.last == (flags % 2 == 1)


@given(st.binary(max_size=60))
def test_any_bytes_give_a_frame_or_a_wire_error(data: bytes) -> None:
    got = outcome(lambda: AudioFrame.unpack(data))
    if isinstance(got, WireError):
        assert got.code == "bad_frame"
        assert got.field in {"header", "version", "kind"}
    else:
        assert got.pack() == data


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"", "header"),
        (bytes(19), "header"),
        (b"\x02\x01" + bytes(18), "version"),
        (b"\x01\x09" + bytes(18), "kind"),
    ],
)
def test_refusals_name_the_field(data: bytes, field: str) -> None:
    with pytest.raises(WireError) as caught:
        AudioFrame.unpack(data)
    assert caught.value.field == field


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(WireError, match="does not fit"):
        AudioFrame(stream=2**32, seq=0, timestamp=0, payload=b"").pack()
