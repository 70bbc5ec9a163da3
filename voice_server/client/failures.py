"""Turns what the socket library raises into errors that say what to do."""

from __future__ import annotations

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from voice_server.client.errors import ClientError, ConnectFailed, ConnectionLost

ABNORMAL = 1006
"""The close code of a connection that ended without one."""


def from_close(closed: ConnectionClosed) -> ConnectionLost:
    """What the server said as it closed, or that it said nothing."""
    if closed.rcvd is None:
        return ConnectionLost(ABNORMAL, "it broke off")
    return ConnectionLost(closed.rcvd.code, closed.rcvd.reason)


def connect_failed(url: str, error: Exception) -> ConnectFailed:
    """Why no session could be opened at `url`."""
    match error:
        case TimeoutError():
            return ConnectFailed(f"{url} did not open a session in time")
        case InvalidStatus():
            status = error.response.status_code
            return ConnectFailed(f"{url} opened no socket: it answered HTTP {status}")
        case InvalidHandshake():
            return ConnectFailed(f"{url} does not speak our protocol: {error}")
        case OSError():
            reason = error.strerror or str(error)
            return ConnectFailed(f"no server answers at {url} ({reason}); is it running?")
        case ClientError():
            return ConnectFailed(f"{url} opened no session: {error}")
        case _:
            return ConnectFailed(f"{url} can't be reached: {error}")
