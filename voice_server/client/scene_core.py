"""What has come of one scene, sans-IO: the same for both twins."""

from __future__ import annotations

from collections import deque
from typing import TypeAlias, assert_never

from sessions.events import SceneDone, SceneLine, SceneStarted
from sessions.script import Wanted
from voice_server.client.errors import ClientError, RequestRefused, ServerFault
from voice_server.client.take_core import TakeCore

SceneOutcome: TypeAlias = SceneDone | ClientError
"""How a scene ended; a ClientError where the connection ended first."""


class SceneCore:
    """One scene from `scene.started` on.

    Takes are given once, in the order they start. A take that whoever loops has gone past without
    reading it counts as played, and so do all once somebody waits for the end, or the server would
    hold back what nobody takes; their sound is kept and can be read later.
    """

    def __init__(self, started: SceneStarted, format: Wanted) -> None:
        self.id = started.scene_id
        self.format = format
        self.lines: list[SceneLine] = []
        self.refusals: deque[RequestRefused] = deque()
        self.outcome: SceneOutcome | None = None
        self._waiting: deque[TakeCore] = deque()
        self._under_way: list[TakeCore] = []
        self._given: TakeCore | None = None
        self._passing = False
        self.add_lines(started)

    @property
    def readable(self) -> bool:
        """Whether `next` has something to give or to say now."""
        return bool(self._waiting or self.refusals) or self.outcome is not None

    @property
    def over(self) -> bool:
        """Whether it has ended, and every take of it."""
        return self.outcome is not None and not self.under_way

    @property
    def under_way(self) -> tuple[TakeCore, ...]:
        """Takes that have started and are not over."""
        return tuple(take for take in self._under_way if take.outcome is None)

    def add_lines(self, started: SceneStarted) -> None:
        """Lines of the scene, from its `first`th on. Raises ServerFault for a gap."""
        if started.first > len(self.lines):
            told = f"lines from {started.first} on, but only {len(self.lines)} were told before"
            raise ServerFault(f"scene {self.id}: {told}")
        self.lines[started.first : started.first + len(started.lines)] = started.lines

    def start(self, take: TakeCore, now: float) -> None:
        """The take of a line has started; news of it may come after that of the scene's end, and
        then perhaps nobody is there to read it.
        """
        self._under_way = [*self.under_way, take]
        self._waiting.append(take)
        if self._passing or self.outcome is not None:
            take.go_past(now)

    def end(self, outcome: SceneOutcome) -> None:
        """No take will start by itself any more. Twice is once."""
        self.outcome = self.outcome or outcome

    def go_on(self, now: float) -> None:
        """Whoever loops is done with the take they were given."""
        if self._given is not None:
            self._given.go_past(now)
            self._given = None

    def pass_all(self, now: float) -> None:
        """Somebody waits for the end."""
        self._passing = True
        for take in self.under_way:
            take.go_past(now)

    def next(self) -> TakeCore | None:
        """The next take that has started; None at the end. Call it once the scene is `readable`.

        Raises RequestRefused for script that the server would not take, or what ended the
        connection.
        """
        self.raise_refusal()
        if self._waiting:
            self._given = self._waiting.popleft()
            return self._given
        match self.outcome:
            case ClientError():
                raise self.outcome
            case SceneDone() | None:
                return None
            case _:
                assert_never(self.outcome)

    def check_open(self) -> None:
        """Raises RequestRefused for script that was refused before, ClientError after the end."""
        self.raise_refusal()
        if self.outcome is not None:
            raise ClientError(f"scene {self.id} is over: no script can be added")

    def raise_refusal(self) -> None:
        if self.refusals:
            raise self.refusals.popleft()

    def result(self) -> SceneDone:
        """What `scene.done` said. Raises RequestRefused, or what ended the connection."""
        self.raise_refusal()
        match self.outcome:
            case SceneDone():
                return self.outcome
            case ClientError():
                raise self.outcome
            case None:
                raise ClientError(f"scene {self.id} is not over yet")
            case _:
                assert_never(self.outcome)
