"""What a client asks and what it waits for, sans-IO."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from sessions.commands import Append, Cancel, Direct, Edit, Finish, Keep, Perform, Speak
from sessions.editing import WordChange
from sessions.events import TakeKept
from voice_server.client.errors import RequestRefused
from voice_server.client.scene_core import SceneCore
from voice_server.client.take_core import TakeCore

Asked: TypeAlias = Speak | Cancel | Direct | Edit | Keep | Perform
"""Commands whose answer is waited for."""
Changes: TypeAlias = Iterable[tuple[tuple[int, int], str]]
"""Words [from, to) of a take, and what they shall read."""


@dataclass(slots=True)
class Ask:
    """A request that waits for its answer: the one of `take`, `scene` and `kept` that it asked for,
    or a refusal. A cancel is answered only by a refusal.
    """

    id: str
    command: Asked
    asked_at: float
    take: TakeCore | None = None
    scene: SceneCore | None = None
    kept: TakeKept | None = None
    refusal: RequestRefused | None = None

    @property
    def answered(self) -> bool:
        answers = (self.take, self.scene, self.kept, self.refusal)
        return any(answer is not None for answer in answers)


class Asks:
    """Those that wait for an answer, and those that nobody waits for any more."""

    def __init__(self) -> None:
        self._ids = count(1)
        self._waiting: dict[str, Ask] = {}
        self._given_up: set[str] = set()

    def new(self, command: Asked, now: float) -> Ask:
        ask = Ask(f"ask-{next(self._ids)}", command, now)
        self._waiting[ask.id] = ask
        return ask

    def forget(self, ask: Ask) -> None:
        """Nobody waits for it any more; if it has no answer yet, what it starts is unwanted."""
        self._waiting.pop(ask.id, None)
        if not ask.answered and not isinstance(ask.command, Cancel | Keep):
            self._given_up.add(ask.id)

    def answered(self, reply_to: str | None) -> Ask | None:
        """Who waited for this, once."""
        return self._waiting.pop(reply_to or "", None)

    def unwanted(self, reply_to: str | None) -> bool:
        """Whether this is what somebody asked for who has given up; says so once."""
        if reply_to not in self._given_up:
            return False
        self._given_up.discard(reply_to)
        return True


def append(take: TakeCore, text: str) -> Append:
    return Append(take.id, text, id=take.id)


def finish(take: TakeCore) -> Finish:
    return Finish(take.id, id=take.id)


def cancel(take: TakeCore, played_ms: float | None) -> Cancel:
    """played_ms: what the listener heard; what was taken, where the caller does not say."""
    return Cancel(take.id, take.listener.played_ms if played_ms is None else played_ms)


def edit(take_id: str, text: str | None, changes: Changes) -> Edit:
    """Raises ValueError unless either a text or changes are given."""
    wanted = tuple(WordChange(words, new) for words, new in changes)
    if (text is None) == (not wanted):
        raise ValueError("edit: give either text, the line as it should read, or changes")
    return Edit(take_id, text, wanted)


def add_script(scene: SceneCore, script: str, more: bool) -> Perform:
    """More of a scene's script, or with no `more` its end."""
    return Perform(script, scene.format, scene_id=scene.id, more=more, id=scene.id)
