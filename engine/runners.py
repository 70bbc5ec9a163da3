"""The arithmetic of a stage, as a scheduler sees it. A runner knows no thread, queue or clock.

All methods of one runner are called from one thread. A state belongs to one request: `open` makes
it, `close` gives it back, whatever happens between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from engine.types import Notice, Pcm, Utterance

S = TypeVar("S")
T = TypeVar("T")
In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


class BatchRunner(Protocol[In, Out]):
    """Turns whole payloads into whole payloads; keeps nothing of a request."""

    def run(self, utterances: Sequence[Utterance], payloads: Sequence[In]) -> Sequence[Out]:
        """One output for each payload, in order. The payload of a stage that is fed by a stream is
        the tuple of its items. If it raises, each is tried again alone."""
        ...

    def max_batch(self) -> int:
        """How many payloads one call may take."""
        ...


class StreamRunner(Protocol[S, In, Out]):
    """Turns an ordered stream of items into another, a step at a time.

    The thinker is StreamRunner[_, str | Passage, Plan] (pushed text may split anywhere; text with
    words on how it is said comes as a Passage), the talker StreamRunner[_, Plan, Frames].
    """

    def open(self, utterance: Utterance) -> S:
        """State for a request. The utterance's own text is pushed by the scheduler of the entry
        stage, not read here."""
        ...

    def push(self, state: S, item: In) -> None:
        """Takes the next input; cheap."""
        ...

    def end(self, state: S) -> None:
        """No further input will come; cheap."""
        ...

    def step(self, state: S) -> Out | Notice | None:
        """Makes the next output: the costly call. None when it needs more input (or, after `end`,
        when there is nothing left)."""
        ...

    def close(self, state: S) -> None: ...


class VocoderRunner(Protocol[S, In]):
    """Turns frames into windows of sound. Which windows there are is the family's plan and depends
    on the frames alone, never on when they came or on what runs beside."""

    def open(self, utterance: Utterance) -> S: ...

    def push(self, state: S, item: In) -> None: ...

    def end(self, state: S) -> None: ...

    def shape(self, state: S) -> tuple[int, ...] | None:
        """Shape of the window that could be decoded now, None if it needs more input. Windows of
        one shape may share a call."""
        ...

    def start(self, state: S) -> int:
        """Sample of the take at which the next window starts."""
        ...

    def decode(self, states: Sequence[S]) -> list[Pcm]:
        """Decodes the next window of each state; all have the same `shape`.

        If it raises for several states none of them may have moved on: each is tried again alone,
        so that only the request at fault is lost."""
        ...

    def max_batch(self) -> int:
        """How many windows one call may take."""
        ...

    def close(self, state: S) -> None: ...


class AutoregressiveRunner(Protocol[S, T, In, Out]):
    """Makes sequences an element a step, one step for many of them at once.

    A state has no slot until `admit` takes one for it; `close` gives the slot back. What a sequence
    becomes depends on its own input and seed, never on its neighbours or on when its input came.
    """

    def open(self, utterance: Utterance) -> S:
        """State for a request, without a slot; cheap."""
        ...

    def push(self, state: S, item: In) -> None:
        """Takes the next input; called only when `ready` is False."""
        ...

    def end(self, state: S) -> None:
        """No further input will come: from here on the state is ready, done, or will be done by
        the steps under way."""
        ...

    def ready(self, state: S) -> bool:
        """Whether what has come is enough for the next call: for `admit` before the state has a
        slot, for `launch` after it."""
        ...

    def done(self, state: S) -> bool:
        """Whether all that there will be has come out of `collect`."""
        ...

    def free(self) -> int:
        """Slots that no state has, or as many of them as one `admit` may take."""
        ...

    def admit(self, states: Sequence[S]) -> None:
        """Takes a slot for each and does the work that comes before its first step.

        If it raises for several states none of them may have a slot: each is tried again alone."""
        ...

    def looks_ahead(self) -> bool:
        """Whether `launch` comes back before its step is computed, so that the next one may be
        launched before this one is collected."""
        ...

    def launch(self, states: Sequence[S]) -> T:
        """Begins one step of all the states; each of them is ready and may turn out to be done.

        If it raises for several states none of them may have moved on: each is tried alone."""
        ...

    def collect(self, step: T) -> Sequence[Sequence[Out | Notice]]:
        """Waits for a step, in the order of the launches; what each of its states put out (often
        nothing). A state that was closed since puts out nothing."""
        ...

    def close(self, state: S) -> None:
        """May come while a step of the state is under way. The slot may be taken again at once:
        calls take effect in the order in which they are made."""
        ...
