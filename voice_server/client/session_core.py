"""One session as its client sees it, sans-IO: the same for both twins.

A twin writes what `open` and the other calls give, feeds every frame that comes to `receive`, and
after that and after each read writes what `reports` gives. Times are monotonic seconds, passed in.
"""

from __future__ import annotations

import dataclasses
from typing import Final, Literal, TypeAlias, assert_never

from sessions.commands import Cancel, Command, Perform
from sessions.events import Refused, TakeStarted, Warned
from voice_server.client.asks import Ask, Asked, Asks
from voice_server.client.errors import ClientError, RequestRefused, ServerFault
from voice_server.client.scene_core import SceneCore
from voice_server.client.take_core import TakeCore
from voice_server.wire.audio_frame import AudioFrame
from voice_server.wire.client_protocol import ClientProtocol, ClientReceived, Fault
from voice_server.wire.messages import (
    Pong,
    SceneDone,
    SceneStarted,
    SessionClose,
    SessionClosed,
    SessionDraining,
    SessionOpen,
    SessionOpened,
    TakeCancelled,
    TakeDone,
    TakeFailed,
    TakeKept,
    TakeWords,
    Unknown,
)

Notice: TypeAlias = Warned | Refused | SessionDraining
"""Something to know that no call waits for."""
Reports: TypeAlias = Literal["taken", "player"]
"""Who says what was played: whoever takes the blocks, by taking them, or the app's own player."""


ENDED: Final = 8
"""Scenes that are remembered after their end, as news of their takes may come later than that."""


class SessionCore:
    """One connection's session. `ended` is what ended it, once it has."""

    def __init__(self, opening: SessionOpen, reports: Reports) -> None:
        self.opened: SessionOpened | None = None
        self.ended: ClientError | None = None
        self._opening = opening
        self._reports = reports
        self._protocol = ClientProtocol(opening)
        self._asks = Asks()
        self._takes: dict[str, TakeCore] = {}
        self._streams: dict[int, TakeCore] = {}
        self._scenes: dict[str, SceneCore] = {}
        self._unwanted: set[str] = set()
        self._cancels: list[Cancel] = []

    @property
    def takes(self) -> tuple[TakeCore, ...]:
        """Those that are not over."""
        return tuple(self._takes.values())

    @property
    def scenes(self) -> tuple[SceneCore, ...]:
        """Those that have not ended."""
        return tuple(scene for scene in self._scenes.values() if scene.outcome is None)

    def open(self) -> str:
        return self._protocol.open()

    def close(self) -> str:
        return self._protocol.send(SessionClose())

    def opened_session(self) -> SessionOpened:
        """What the server said as it opened. Raises what ended the connection before that."""
        if self.opened is not None:
            return self.opened
        raise self.ended or ClientError("the session is not open yet")

    def ask(self, command: Asked, now: float) -> tuple[str, Ask]:
        """The frame to write and the ask to wait on. Raises what ended the session."""
        if self.ended is not None:
            raise self.ended
        ask = self._asks.new(command, now)
        return self.send(dataclasses.replace(command, id=ask.id)), ask

    def send(self, command: Command) -> str:
        """The frame of a command. Raises what ended the session."""
        if self.ended is not None:
            raise self.ended
        if not self._protocol.is_open:
            raise ClientError(f"the session is {self._protocol.state.value}")
        return self._protocol.send(command)

    def forget(self, ask: Ask) -> None:
        """Nobody waits for it any more; what it may still start is cancelled."""
        self._asks.forget(ask)

    def receive(self, data: str | bytes, now: float) -> list[Notice]:
        """Takes one frame and gives what is to be told. Raises ServerFault: close with 4400."""
        if isinstance(data, str):
            events = self._protocol.receive_text(data)
        else:
            events = self._protocol.receive_binary(data)
        notices: list[Notice] = []
        for event in events:
            notices += self._handle(event, now)
        return notices

    def reports(self) -> list[str]:
        """The frames that are due now: `playback`, and `cancel` for what nobody wants any more.
        None once the server has said that it ends, which comes before its connection's end."""
        if self.ended is not None or not self._protocol.is_open:
            return []
        due: list[Command] = [*self._cancels]
        self._cancels.clear()
        if self._reports == "taken":
            reports = [take.report() for take in self._takes.values()]
            due += [one for one in reports if one is not None]
        return [self._protocol.send(one) for one in due]

    def last_report(self, take: TakeCore) -> list[str]:
        """The same for one take, also after it is over."""
        if self._reports == "player" or self.ended is not None or not self._protocol.is_open:
            return []
        due = take.report()
        return [] if due is None else [self._protocol.send(due)]

    def end(self, error: ClientError, now: float) -> None:
        """The connection is gone; every take and scene under way ends with it. Twice is once."""
        if self.ended is not None:
            return
        self.ended = error
        for take in self.takes:
            self._end_take(take.id, error, now)
        for scene in self.scenes:
            scene.end(error)

    def _handle(self, event: ClientReceived, now: float) -> list[Notice]:
        match event:
            case AudioFrame():
                self._sound(event, now)
            case SessionOpened():
                self.opened = event
            case TakeStarted():
                self._start(event, now)
            case TakeWords():
                if event.take_id in self._takes:
                    self._takes[event.take_id].words.extend(event.words)
            case TakeDone() | TakeCancelled() | TakeFailed():
                self._end_take(event.take_id, event, now)
            case Warned():
                return self._warned(event)
            case Refused():
                return self._refused(event, now)
            case SessionDraining():
                return [event]
            case TakeKept():
                self._kept(event)
            case SceneStarted():
                self._scene(event)
            case SceneDone():
                self._end_scene(event)
            case SessionClosed() | Pong() | Unknown():
                pass  # After `session.closed` the socket closes, and says why.
            case Fault():
                raise ServerFault(f"{event.code}: {event.message}")
            case _:
                assert_never(event)
        return []

    def _sound(self, frame: AudioFrame, now: float) -> None:
        take = self._streams.get(frame.stream)
        if take is None:
            raise ServerFault(f"sound came for stream {frame.stream}, which no take has")
        take.arrive(frame, now)

    def _start(self, started: TakeStarted, now: float) -> None:
        """Whoever asked for the take has it, or else the scene that it is a line of."""
        ask = self._asks.answered(started.reply_to)
        scene = self._scenes.get(started.scene_id or "")
        unwanted = self._asks.unwanted(started.reply_to) or started.scene_id in self._unwanted
        if self.opened is None or (ask is None and scene is None and not unwanted):
            raise ServerFault(f"take {started.take_id} was started, but nobody asked for it")
        lead_ms = self._opening.lead_ms or self.opened.limits.lead_ms
        take = TakeCore(started, self.opened.audio, lead_ms, ask.asked_at if ask else now)
        self._takes[take.id] = self._streams[started.stream] = take
        if ask is not None:
            ask.take = take
        elif unwanted:
            self._cancels.append(Cancel(take.id))
        elif scene is not None:
            scene.start(take, now)

    def _scene(self, started: SceneStarted) -> None:
        """A scene that somebody asked for, or more lines of one that there is."""
        if started.scene_id in self._unwanted or self._asks.unwanted(started.reply_to):
            self._unwanted.add(started.scene_id)
            return
        if started.scene_id in self._scenes:
            self._scenes[started.scene_id].add_lines(started)
            return
        ask = self._asks.answered(started.reply_to)
        if ask is None or not isinstance(ask.command, Perform):
            raise ServerFault(f"scene {started.scene_id} was started, but nobody asked for it")
        ask.scene = SceneCore(started, ask.command.format)
        self._scenes[started.scene_id] = ask.scene

    def _end_scene(self, done: SceneDone) -> None:
        scene = self._scenes.get(done.scene_id)
        if scene is not None:
            scene.end(done)
        ended = [scene.id for scene in self._scenes.values() if scene.outcome is not None]
        for scene_id in ended[:-ENDED]:
            del self._scenes[scene_id]

    def _kept(self, kept: TakeKept) -> None:
        ask = self._asks.answered(kept.reply_to)
        if ask is not None:
            ask.kept = kept

    def _end_take(
        self, take_id: str, outcome: TakeDone | TakeCancelled | TakeFailed | ClientError, now: float
    ) -> None:
        take = self._takes.pop(take_id, None)
        if take is not None:
            del self._streams[take.started.stream]
            take.end(outcome, now)

    def _warned(self, warning: Warned) -> list[Notice]:
        take = self._takes.get(warning.take_id or "")
        if take is not None:
            take.warnings.append(warning)
        return [warning]

    def _refused(self, answer: Refused, now: float) -> list[Notice]:
        """To whoever asked; to the take or scene that more was to be added to or reported of, since
        such a command's id is theirs; or else to whoever listens.
        """
        asked = answer.reply_to or ""
        ask = self._asks.answered(asked)
        if self.opened is None:
            self.end(RequestRefused(answer), now)
        elif ask is not None:
            ask.refusal = RequestRefused(answer)
        elif asked in self._takes:
            self._takes[asked].refusals.append(RequestRefused(answer))
        elif asked in self._scenes:
            self._scenes[asked].refusals.append(RequestRefused(answer))
        elif not self._asks.unwanted(asked):
            return [answer]
        return []
