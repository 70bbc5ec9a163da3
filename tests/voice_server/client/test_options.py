"""Addresses as people give them."""

from __future__ import annotations

import pytest

from voice_server.client.errors import ConnectFailed
from voice_server.client.options import address


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("ws://127.0.0.1:8765", "ws://127.0.0.1:8765/v1/session"),
        ("ws://127.0.0.1:8765/", "ws://127.0.0.1:8765/v1/session"),
        ("http://127.0.0.1:8765/", "ws://127.0.0.1:8765/v1/session"),
        ("https://voices.example.org", "wss://voices.example.org/v1/session"),
        ("ws://[::1]:1/v1/session?key=a", "ws://[::1]:1/v1/session?key=a"),
        ("wss://example.org/voices/v1/session", "wss://example.org/voices/v1/session"),
    ],
)
def test_the_socket_is_found(given: str, meant: str) -> None:
    assert address(given) == meant


@pytest.mark.parametrize("given", ["127.0.0.1:8765", "ftp://a", "ws://", "ws://a:port", "", "ws:a"])
def test_what_is_no_address_is_said_so(given: str) -> None:
    with pytest.raises(ConnectFailed, match="is no address"):
        address(given)
