"""Code2wav: frames of codes to windows of sound, each stream in a slot of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

import numpy as np
import torch

from engine.costs import WindowCosts
from engine.errors import EngineFull
from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.decoding import USUAL, Capturing, Window, decoder, measured
from engine.families.qwen3_omni.frames import (
    CODEBOOKS,
    FIRST,
    FRAME,
    LATE,
    LATER,
    SIZES,
    CodeFrames,
    Codes,
    KeptFrames,
    TalkerOutput,
    WordFrames,
    codes_of,
    pack,
    samples_before,
)
from engine.runners import Ready
from engine.types import ClauseScore, Int16, Pcm, Utterance, Word

_NONE: Final = np.empty((0, CODEBOOKS), np.int64)


@dataclass(slots=True, eq=False)
class Code2WavState:
    """A take on its way.

    slot: its stream's, until it is closed. codes: all frames of the take that have come. kept: so
    many of them, at the beginning, are the parent's sound. done: so many went out as sound.
    words: all that were told; new: how many of them are not out yet. warm: the stream has seen all
    frames that are done. ended: no more comes. told: the score is out.
    """

    utterance: Utterance
    slot: int | None
    codes: Codes = field(default_factory=lambda: _NONE)
    kept: int = 0
    done: int = 0
    position: int = 0
    words: tuple[Word, ...] = ()
    new: int = 0
    warm: bool = True
    ended: bool = False
    told: bool = False


class Slots:
    """Which slots are free. A slot has one owner from `take` to `give`."""

    def __init__(self, count: int) -> None:
        self._free = list(range(count))
        self._taken: set[int] = set()

    def take(self) -> int:
        """Raises EngineFull when none is free."""
        if not self._free:
            raise EngineFull(f"qwen3_omni.slots: all {len(self._taken)} streams are under way")
        slot = self._free.pop()
        self._taken.add(slot)
        return slot

    def give(self, slot: int) -> None:
        """Raises KeyError for a slot that nobody has."""
        self._taken.remove(slot)
        self._free.append(slot)

    @property
    def taken(self) -> int:
        return len(self._taken)


class Code2Wav:
    """VocoderRunner[Code2WavState, CodeFrames | KeptFrames].

    Windows of one shape share a call, as many as the device is good for. Its sound is not quite the
    same for every plan of windows: other sizes are summed in another order.
    """

    exact = False

    def __init__(self, streams: Streams, capturing: Capturing = USUAL) -> None:
        self._streams = streams
        self._slots = Slots(streams.slots)
        windows = {Window(frames, False) for frames in range(1, LATER + 1)}
        windows |= {Window(frames, True) for frames in range(1, FIRST + 1)}
        self._decode = decoder(streams, windows, capturing)
        self._costs = measured(self._decode, streams, SIZES)

    def sizes(self) -> tuple[int, ...]:
        return SIZES

    def costs(self) -> WindowCosts:
        return self._costs

    def open(self, utterance: Utterance) -> Code2WavState:
        """Raises EngineFull when every slot is taken."""
        return Code2WavState(utterance, self._slots.take())

    def push(self, state: Code2WavState, item: TalkerOutput) -> None:
        """Raises ValueError for codes that are no codes, or frames that the parent lacks."""
        match item:
            case CodeFrames(codes=codes):
                self._check(codes)
                state.codes = np.concatenate((state.codes, codes))
            case KeptFrames():
                state.codes = _kept(state, item)
                state.kept, state.warm = len(state.codes), False
            case _:
                assert_never(item)
        told = tuple(_word(word) for word in item.words)
        state.words, state.new = state.words + told, state.new + len(told)

    def end(self, state: Code2WavState) -> None:
        state.ended = True

    def ready(self, state: Code2WavState) -> Ready | None:
        """Shape: (whether anything is to be decoded, whether it is the stream's first)."""
        if state.done < state.kept:
            return Ready(state.position, state.kept - state.done, False, (0, 0), 0.0)
        left = len(state.codes) - state.done
        if left:
            return Ready(state.position, left, not state.ended, (1, int(state.done == 0)))
        owed = state.ended and not state.told and len(state.codes) > 0
        return Ready(state.position, 0, False, (0, 0), 0.0) if owed else None

    def decode(self, states: Sequence[Code2WavState], frames: int) -> list[Pcm]:
        """At most FIRST frames of a stream's first window, and LATER of another: so many shapes
        are there graphs of."""
        window = _window(states[0], frames)
        if window is None:
            return [_copied(state, frames) for state in states]
        for state in states:
            self._warm(state)
        codes = np.stack([s.codes[s.done : s.done + window.frames] for s in states])
        slots = [state.slot for state in states if state.slot is not None]
        sounds = self._decode(window, codes, slots)
        pairs = zip(states, sounds, strict=True)
        return [_made(state, window.frames, samples) for state, samples in pairs]

    def max_batch(self) -> int:
        return self._decode.together

    def close(self, state: Code2WavState) -> None:
        if state.slot is not None:
            self._slots.give(state.slot)
            state.slot = None

    @property
    def open_slots(self) -> int:
        """Slots that a stream has now."""
        return self._slots.taken

    def _warm(self, state: Code2WavState) -> None:
        """Frames that went out as the parent's sound are what the next ones follow on."""
        if state.warm or state.slot is None:
            return
        device = self._streams.device
        before = state.codes[max(0, state.done - self._streams.reach) : state.done]
        rows = torch.tensor([state.slot], device=device)
        self._streams.warm(torch.from_numpy(before[None]).to(device), rows)
        state.warm = True

    def _check(self, codes: Codes) -> None:
        shape = self._streams.weights.shape
        if codes.ndim != 2 or codes.shape[1] != shape.codebooks or codes.dtype != np.int64:
            raise ValueError(f"codes: {codes.dtype} {list(codes.shape)}, expected int64 [n, 16]")
        if codes.size and not 0 <= codes.min() <= codes.max() < shape.codebook_size:
            raise ValueError(f"codes: {codes.min()} to {codes.max()}, of {shape.codebook_size}")


def _window(state: Code2WavState, frames: int) -> Window | None:
    """The next frames to decode; None where sound is copied, or only a score is left to tell."""
    left = len(state.codes) - state.done
    if state.done < state.kept or left == 0:
        return None
    first = state.done == 0
    return Window(min(left, frames, FIRST if first else LATER), first)


def _kept(state: Code2WavState, item: KeptFrames) -> Codes:
    parent = state.utterance.parent
    codes = _NONE if parent is None else codes_of(parent.scores)
    if len(state.codes) or item.start != 0 or not 0 < item.end <= len(codes):
        told = f"frames [{item.start}, {item.end}) of {len(codes)}, after {len(state.codes)}"
        raise ValueError(f"kept: {told}")
    return codes[: item.end]


def _word(word: WordFrames) -> Word:
    start, end = samples_before(word.start), samples_before(word.end)
    return Word(word.index, word.text, start, end, word.span)


def _copied(state: Code2WavState, frames: int) -> Pcm:
    """The next of the parent's sound; nothing of it if there is only a score left to tell."""
    parent = state.utterance.parent
    if parent is None or state.done == state.kept:
        return _pcm(state, 0, np.empty(0, np.int16))
    frames = min(frames, state.kept - state.done)
    until = samples_before(state.done + frames)
    return _pcm(state, frames, parent.samples[state.position : until])


def _made(state: Code2WavState, frames: int, samples: Int16) -> Pcm:
    start = state.position
    changed = ((start, start + len(samples)),) if state.utterance.parent is not None else ()
    return _pcm(state, frames, samples, changed)


def _pcm(
    state: Code2WavState,
    frames: int,
    samples: Int16,
    changed: tuple[tuple[int, int], ...] = (),
) -> Pcm:
    """Moves the state on."""
    start = state.position
    state.done += frames
    state.position += len(samples)
    words = state.words[len(state.words) - state.new :]
    state.new = 0
    scores: tuple[ClauseScore, ...] = ()
    if state.ended and state.done == len(state.codes):
        scores, state.told = (_score(state),), True
    job = state.utterance
    return Pcm(job.request, job.epoch, start, samples, words, frames, scores, changed)


def _score(state: Code2WavState) -> ClauseScore:
    """Of the whole take: its codes, so that another can go on from them."""
    span = (0, max((word.span[1] for word in state.words), default=0))
    assert state.position == FRAME * len(state.codes) - LATE, "every frame came out once"
    return ClauseScore(span, 0, state.position, state.words, pack(state.codes))
