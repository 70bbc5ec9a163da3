"""What both twins show of a session and of a take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from engine.types import Performance, Voice
from sessions.events import Moved, Recognised, SceneLine, TakeStarted, Warned
from voice_server.client.options import Ticket
from voice_server.client.scene_core import SceneCore
from voice_server.client.take_core import TakeCore
from voice_server.delivery.playout import summary
from voice_server.wire.messages import (
    AudioInfo,
    EngineInfo,
    Limits,
    SessionOpened,
    TakeDone,
    Underruns,
    WordTime,
)


class GrowingWords(Sequence[WordTime]):
    """The words whose times are known so far; more are there whenever you look again."""

    def __init__(self, core: TakeCore) -> None:
        self._core = core

    def __len__(self) -> int:
        return len(self._core.words)

    @overload
    def __getitem__(self, index: int) -> WordTime: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[WordTime]: ...
    def __getitem__(self, index: int | slice) -> WordTime | Sequence[WordTime]:
        return self._core.words[index]

    def __repr__(self) -> str:
        return f"<{len(self)} words: {' '.join(word.text for word in self)}>"


class TakeView:
    """What is known of a take."""

    def __init__(self, core: TakeCore) -> None:
        self._core = core

    @property
    def id(self) -> str:
        return self._core.id

    @property
    def started(self) -> TakeStarted:
        """All that the server said when the take began: line, voice, text, stream and so on."""
        return self._core.started

    @property
    def line_id(self) -> str:
        return self._core.started.line_id

    @property
    def speaker(self) -> str | None:
        return self._core.started.speaker

    @property
    def voice(self) -> str:
        return self._core.started.voice

    @property
    def text(self) -> str:
        """What was known of it as the take began."""
        return self._core.started.text

    @property
    def kind(self) -> str:
        """How it came to be: spoken, directed or edited."""
        return self._core.started.kind

    @property
    def parent(self) -> str | None:
        """The take that it was made from, by direction or edit; None for the first of a line."""
        return self._core.started.parent

    @property
    def moved(self) -> Sequence[Moved]:
        """Which words of the direction moved what, and from where to where."""
        return self._core.started.moved

    @property
    def performance(self) -> Performance:
        return self._core.started.performance

    @property
    def heard(self) -> Recognised | None:
        """What a recogniser made of an edit, once it is done; None where none listened."""
        outcome = self._core.outcome
        return outcome.heard if isinstance(outcome, TakeDone) else None

    @property
    def warnings(self) -> Sequence[Warned]:
        """Those so far, such as words that the voice can't read."""
        return tuple(self._core.warnings)

    @property
    def over(self) -> bool:
        """Whether it is done, cancelled or failed."""
        return self._core.outcome is not None

    @property
    def first_audio_ms(self) -> float | None:
        """From `speak` sent to the first packet read here; None while none came."""
        return self._since(self._core.first_at)

    @property
    def last_audio_ms(self) -> float | None:
        """From `speak` sent to the latest packet read here."""
        return self._since(self._core.last_at)

    @property
    def queued_ms(self) -> float | None:
        """What of `first_audio_ms` it waited its turn, by the server; None until it is done.

        `result().first_audio_ms`, `rtf` and `made` are the server's too, from the command read.
        """
        outcome = self._core.outcome
        return outcome.queued_ms if isinstance(outcome, TakeDone) else None

    @property
    def underruns(self) -> Underruns:
        """Those so far of whoever reads the sound here, played as it is read.

        `result().underruns` has those that the server knew of when it had sent the last packet.
        """
        return summary(self._core.listener.starvation, by_player=True)

    def _since(self, at: float | None) -> float | None:
        return None if at is None else 1000 * (at - self._core.asked_at)

    def __repr__(self) -> str:
        return f"<take {self.id} by {self.voice}{', over' if self.over else ''}>"


class SceneView:
    """What is known of a scene."""

    def __init__(self, core: SceneCore) -> None:
        self._core = core

    @property
    def id(self) -> str:
        return self._core.id

    @property
    def lines(self) -> Sequence[SceneLine]:
        """All that the script came to so far, in order: who says what with which voice."""
        return tuple(self._core.lines)

    @property
    def cast(self) -> Mapping[str, str]:
        """The voice of each speaker, in the order they first speak."""
        return {line.speaker: line.voice for line in self._core.lines}

    @property
    def over(self) -> bool:
        """Whether it is done or cancelled, and all its takes are over."""
        return self._core.over

    def __repr__(self) -> str:
        return f"<scene {self.id} of {len(self.lines)} lines{', over' if self.over else ''}>"


class SessionView:
    """What the server said of itself when it opened the session."""

    def __init__(self, opened: SessionOpened) -> None:
        self.opened = opened

    @property
    def id(self) -> str:
        return self.opened.session_id

    @property
    def ticket(self) -> Ticket:
        """What goes on with this session later, for one that is left; good for one time."""
        return Ticket(self.opened.session_id, self.opened.token)

    @property
    def voices(self) -> tuple[Voice, ...]:
        return self.opened.voices

    @property
    def engine(self) -> EngineInfo:
        return self.opened.engine

    @property
    def audio(self) -> AudioInfo:
        """Blocks are mono int16 at `audio.sample_rate`."""
        return self.opened.audio

    @property
    def limits(self) -> Limits:
        return self.opened.limits
