"""A performance in plain words, for a model that is told how to speak by being asked to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.types import Levers, Part, Pause, Performance


@dataclass(frozen=True, slots=True)
class _Scale:
    """Words for a lever that is `low` or under it, and `high` or over; past twice as far from
    `plain`, "very" goes before them."""

    plain: float
    low: float
    lower: str
    high: float
    higher: str

    def words(self, value: float) -> str | None:
        if value >= self.high:
            far = value - self.plain >= 2 * (self.high - self.plain)
            return ("very " if far else "") + self.higher
        if value <= self.low:
            far = self.plain - value >= 2 * (self.plain - self.low)
            return ("very " if far else "") + self.lower
        return None


_NEVER: Final = float("inf")
_RATE: Final = _Scale(1, 0.92, "slowly", 1.08, "fast")
_VOWELS: Final = _Scale(1, 0.88, "clipped", 1.1, "drawn out")
_PITCH: Final = _Scale(0, -1, "low in the voice", 1, "high in the voice")
_RANGE: Final = _Scale(1, 0.8, "evenly, with little melody", 1.2, "lively, with much melody")
_ENDING: Final = _Scale(0, -2, "firmly falling at the end", 2, "rising at the end")
_TILT: Final = _Scale(0, -2, "dark in tone", 2, "bright in tone")
_GAIN: Final = _Scale(0, -2, "quietly", 2, "loudly")
_BREATH: Final = _Scale(0, -_NEVER, "", 0.05, "breathy")
_SOFT: Final = _Scale(0, -_NEVER, "", 0.05, "soft")
_TREMOR: Final = _Scale(0, -_NEVER, "", 0.5, "trembling")
_EMPHASIS: Final = _Scale(0, -_NEVER, "", 0.5, "stressed")


def manner(levers: Levers) -> str:
    """How something is said, such as "very slowly, in a whisper"; empty where all is neutral."""
    return ", ".join(_words(levers))


def _words(levers: Levers) -> Iterator[str]:
    if levers.whisper:
        yield "in a whisper"
    scales = (
        (_RATE, levers.rate),
        (_VOWELS, levers.vowels),
        (_PITCH, levers.pitch),
        (_RANGE, levers.range),
        (_ENDING, levers.ending),
        (_TILT, levers.tilt),
        (_GAIN, levers.gain),
        (_BREATH, levers.breath),
        (_SOFT, levers.soft),
        (_TREMOR, levers.tremor),
        (_EMPHASIS, levers.emphasis),
    )
    yield from (words for scale, value in scales if (words := scale.words(value)) is not None)


def instructions(text: str, performance: Performance) -> Iterator[str]:
    """Sentences that ask for a performance of `text`, or of what of it is known."""
    whole = manner(performance)
    if whole:
        yield f"Speak {whole}."
    for part in performance.parts:
        yield from _of_part(text, part, performance)
    for pause in performance.pauses:
        yield from _of_pause(text, pause)


def _of_part(text: str, part: Part, performance: Performance) -> Iterator[str]:
    said, how = text[slice(*part.span)].strip(), manner(part.levers)
    if said and how and how != manner(performance):
        yield f'Say "{said}" {how}.'


def _of_pause(text: str, pause: Pause) -> Iterator[str]:
    word = next(iter(text[pause.at :].split()), "")
    if word:
        yield f'Pause for {pause.seconds:g} seconds before "{word}".'
