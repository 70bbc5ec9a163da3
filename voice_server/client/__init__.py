"""The Python SDK: a session over the socket, with async and sync twins over one sans-IO core.

async with connect("ws://127.0.0.1:8765") as session:
    take = await session.speak("Hello there.")
    async for pcm in take:  # blocks of int16 samples at session.audio.sample_rate
        play(pcm)
    gentler = await take.direct("a little gentler")
    scene = await session.perform(script)
    async for take in scene:
        async for pcm in take:
            play(pcm)
"""

from voice_server.client.aio import Session, connect
from voice_server.client.aio_scene import Performing
from voice_server.client.aio_take import Take
from voice_server.client.errors import (
    ClientError,
    ConnectFailed,
    ConnectionLost,
    RequestRefused,
    ServerFault,
    TakeHasFailed,
    TakeWasCancelled,
)
from voice_server.client.options import Ticket
from voice_server.client.session_core import Notice
from voice_server.client.sync import Session as SyncSession
from voice_server.client.sync import connect_sync
from voice_server.client.sync_scene import Performing as SyncPerforming
from voice_server.client.sync_take import Take as SyncTake

__all__ = [
    "ClientError",
    "ConnectFailed",
    "ConnectionLost",
    "Notice",
    "Performing",
    "RequestRefused",
    "ServerFault",
    "Session",
    "SyncPerforming",
    "SyncSession",
    "SyncTake",
    "Take",
    "TakeHasFailed",
    "TakeWasCancelled",
    "Ticket",
    "connect",
    "connect_sync",
]
