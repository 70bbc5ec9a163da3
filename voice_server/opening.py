"""What a connection needs to open a session: limits, how sound is sent, and what is told."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from engine.types import FamilyInfo
from sessions.errors import SessionInUse
from sessions.events import Event, TakeAudio, Warned
from sessions.scheduler import SessionScheduler
from sessions.session import Session
from sessions.store import UnknownSession
from voice_server.config import Config
from voice_server.delivery.encoding import EncoderSettings
from voice_server.delivery.pacing import Pace
from voice_server.delivery.session import SessionDelivery
from voice_server.delivery.stats import DeliveryCounters
from voice_server.readiness import Condition, Readiness
from voice_server.wire.client_messages import Resume, SessionOpen
from voice_server.wire.limits import Limits
from voice_server.wire.server_messages import AudioInfo, EngineInfo, ServerMessage, SessionOpened

PIECE_MS: Final = 60
"""Sound encoded at a time: 37 packets of Opus hold the loop for 6 ms, three for half of one."""


@dataclass(frozen=True, slots=True)
class Opened:
    """resumed: whether it is the session that was asked for. why_not: it was asked for in vain."""

    session: Session
    resumed: bool = False
    why_not: str | None = None


async def open_session(
    scheduler: SessionScheduler, resume: Resume | None, renewed: bytes
) -> Opened:
    """The session that was left, where one is asked for and nothing of it was under way, else a new
    one. renewed: a digest of the token to come back with.

    Raises SessionsFull, Draining or StoreError.
    """
    if resume is None:
        return Opened(scheduler.open(renewed))
    why_not = f"session {resume.session_id} is over"
    if not resume.received:
        try:
            found = await scheduler.take_up(resume.session_id, digest(resume.token), renewed)
            return Opened(found, resumed=True)
        except SessionInUse as error:
            why_not = str(error)
        except UnknownSession:
            pass  # As if it had ended: nobody learns whether it is there.
    return Opened(scheduler.open(renewed), why_not=why_not)


class Opening:
    """Shared by all connections of a server."""

    def __init__(self, config: Config, readiness: Readiness, counters: DeliveryCounters) -> None:
        self.limits = wire_limits(config)
        self.idle_s = config.limits.idle_s
        self._config = config
        self._readiness = readiness
        self._counters = counters

    async def condition(self) -> Condition:
        """Waits for the engine, but no longer than a client may take to open."""
        try:
            async with asyncio.timeout(self.limits.open_s):
                return await self._readiness.settled()
        except TimeoutError:
            return self._readiness.now

    def delivery(self, message: SessionOpen, info: FamilyInfo) -> SessionDelivery:
        """How sound gets to this client."""
        lead_ms = self.limits.lead_ms if message.lead_ms is None else message.lead_ms
        pace = Pace.of_ms(info.sample_rate, lead_ms, self._config.delivery.make_ahead_ms)
        return SessionDelivery(self._encoding(message, info), pace, self._counters)

    def opened(
        self, message: SessionOpen, session: Opened, token: str, info: FamilyInfo
    ) -> list[ServerMessage]:
        """The answer to `session.open`, and what else is to be said of it."""
        told: list[ServerMessage] = [
            SessionOpened(
                session_id=session.session.id,
                token=token,
                resumed=session.resumed,
                limits=self.limits,
                voices=info.voices,
                engine=EngineInfo(info.family, info.model, info.frame_ms, info.can),
                audio=self._audio(message, info),
                reply_to=message.id,
            )
        ]
        if session.why_not is not None:
            warning = f"{session.why_not}; this is a new session"
            told.append(Warned("not_resumed", warning, reply_to=message.id))
        return told

    def _encoding(self, message: SessionOpen, info: FamilyInfo) -> EncoderSettings:
        return EncoderSettings(
            message.audio.format,
            info.sample_rate,
            message.audio.frame_ms,
            self._config.delivery.opus_bitrate,
        )

    def _audio(self, message: SessionOpen, info: FamilyInfo) -> AudioInfo:
        return AudioInfo(
            format=message.audio.format,
            sample_rate=info.sample_rate,
            channels=1,
            pre_skip=self._encoding(message, info).pre_skip(),
            frame_ms=message.audio.frame_ms,
        )


def new_token() -> tuple[str, bytes]:
    """What lets somebody come back to a session, and the digest that is kept of it."""
    token = secrets.token_urlsafe(16)
    return token, digest(token)


def digest(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def pieces(event: Event, sample_rate: int) -> Iterator[Event]:
    """The event, sound cut into pieces that are quickly encoded; all else as it is."""
    if not isinstance(event, TakeAudio):
        yield event
        return
    step = PIECE_MS * sample_rate // 1000
    for at in range(0, len(event.samples), step):
        yield replace(event, start=event.start + at, samples=event.samples[at : at + step])


def wire_limits(config: Config) -> Limits:
    """The limits in force, as clients are told them."""
    limits = config.limits
    return Limits(
        message_bytes=limits.message_bytes,
        text_chars=limits.text_chars,
        take_chars=limits.take_chars,
        take_s=limits.take_s,
        direction_chars=limits.direction_chars,
        script_chars=limits.script_chars,
        cast_names=limits.cast_names,
        changes_per_edit=limits.changes_per_edit,
        session_bytes=limits.session_bytes,
        name_chars=limits.name_chars,
        id_chars=limits.id_chars,
        lead_ms=config.delivery.lead_ms,
        lead_ms_min=limits.lead_ms_min,
        lead_ms_max=limits.lead_ms_max,
        underruns_per_report=limits.underruns_per_report,
        open_s=limits.open_s,
        messages_per_s=limits.messages_per_s,
        messages_burst=limits.messages_burst,
        concurrent_takes=limits.concurrent_takes,
        queued_takes=limits.queued_takes,
        idle_s=limits.idle_s,
        resume_s=0.0,
        keep_s=limits.keep_s,
    )
