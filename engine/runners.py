"""The arithmetic of a stage, as a scheduler sees it. A runner knows no thread, queue or clock.

All methods of one runner are called from one thread. A state belongs to one request: `open` makes
it, `close` gives it back, whatever happens between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.costs import WindowCosts
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


@dataclass(frozen=True, slots=True)
class Ready:
    """What could be decoded of a take now, in one window or in several.

    start: sample of the take at which the next window starts. frames: codec frames that are there.
    more: whether later input may make the next window larger; False for a clause whose frames are
    all there. shape: states of one shape may share a call. work: computing of a window, over what
    the runner's costs say of it: 0 for sound that is only copied, 2 where two renderings are mixed.
    """

    start: int
    frames: int
    more: bool
    shape: tuple[int, ...]
    work: float = 1.0


class VocoderRunner(Protocol[S, In]):
    """Turns frames into windows of sound. How large windows are is the scheduler's choice, within
    `sizes`."""

    @property
    def exact(self) -> bool:
        """Whether any plan of windows gives the same samples. If not, the plan is the same for
        every take."""
        ...

    def sizes(self) -> tuple[int, ...]:
        """Codec frames that a window may have, ascending. Where what is ready ends, a window may
        have any smaller number; that costs as much as the next size."""
        ...

    def costs(self) -> WindowCosts:
        """What windows took at the start."""
        ...

    def open(self, utterance: Utterance) -> S: ...

    def push(self, state: S, item: In) -> None:
        """Takes the next input; called while `ready` is None, or says that there may be more and
        that it is less than a whole window."""
        ...

    def end(self, state: S) -> None: ...

    def ready(self, state: S) -> Ready | None:
        """What could be decoded now; None if it needs more input."""
        ...

    def decode(self, states: Sequence[S], frames: int) -> list[Pcm]:
        """Decodes the next window of each state, of `frames` codec frames, or of what is ready
        where that is less; somewhat more or fewer where sound must not be cut there. All states
        have the same shape, and are to have as many frames.

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
