"""Captions out of words with times: WebVTT and SRT, for a take or for all takes of a scene.

A cue has at most two lines of 42 characters and lasts at most seven seconds; it ends where a
sentence ends, else at a comma or the like, else where it is full.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.types import Word

LINE_CHARS = 42
LINES = 2
LONGEST_S = 7.0
#: A silence as long as this always ends a cue.
GAP_S = 1.5
#: A cue stays at least so long, if the next one leaves it the time.
SHORTEST_S = 1.0
#: A break at a mark must leave a cue at least this full.
_LEAST_FULL = 1 / 3
_TAG = re.compile(r"\[[^\[\]]*\]")
#: What stands in for each character of a tag, and the blank before one that a mark follows.
_MASK = "\0"
_HIDDEN = re.compile(r"\s?\0+(?=[.,;:!?…])|\0+")
_SENTENCE = re.compile(r"[.!?…。！？][\"'”’)\]]*\s*$")
_CLAUSE = re.compile(r"[,;:—–，、；：][\"'”’)\]]*\s*$")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take as it is heard: its text, and its words with times in samples from its start.

    offset: where in the scene its first sample stands, in samples. sample_rate: of all samples.
    """

    text: str
    words: Sequence[Word]
    sample_rate: int
    speaker: str | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown from `start` to `end`, in seconds, one line or two."""

    start: float
    end: float
    lines: tuple[str, ...]
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word with the marks around it, and when it is heard."""

    text: str
    start: float
    end: float


def cues(takes: Sequence[Spoken]) -> tuple[Cue, ...]:
    """The cues of all takes, by start; those of one speaker never overlap within a take."""
    found = [cue for take in takes for cue in _cues(take)]
    return tuple(sorted(found, key=lambda cue: cue.start))


def webvtt(takes: Sequence[Spoken]) -> str:
    """A WebVTT file, in which a cue's speaker is its voice span."""
    return "\n".join(["WEBVTT", "", *map(_vtt, cues(takes))])


def srt(takes: Sequence[Spoken]) -> str:
    """An SRT file, in which the speaker's name leads the cue."""
    return "\n".join(_srt(number, cue) for number, cue in enumerate(cues(takes), 1))


def _cues(take: Spoken) -> Iterator[Cue]:
    pieces = _pieces(take)
    at = 0
    while at < len(pieces):
        end = _break(pieces, at)
        start, last = pieces[at].start, pieces[end - 1].end
        free = pieces[end].start if end < len(pieces) else start + SHORTEST_S
        shown = min(max(last, min(free, start + SHORTEST_S)), start + LONGEST_S)
        lines = _lines(pieces[at:end])
        yield Cue(
            start, max(shown, start + 0.001), lines or (_joined(pieces[at:end]),), take.speaker
        )
        at = end


def _pieces(take: Spoken) -> list[_Piece]:
    """The text, cut where a word begins; inline tags are not shown."""
    whole = _masked(take)
    cuts = [word.span[0] for word in take.words[1:]] + [len(take.text)]
    pieces, at = [], 0
    for word, cut in zip(take.words, cuts, strict=bool(take.words)):
        text = _split(whole, at, word.span, cut)
        at += len(text)
        shown = _HIDDEN.sub("", text)
        start, end = (
            (take.offset + sample) / take.sample_rate for sample in (word.start, word.end)
        )
        pieces.append(_Piece(shown, start, end))
    return pieces


def _masked(take: Spoken) -> str:
    """The text with its inline tags, which are those in brackets that no word is in, masked."""
    starts = [word.span[0] for word in take.words]

    def mask(tag: re.Match[str]) -> str:
        at = bisect.bisect_left(starts, tag.start())
        spoken = at < len(starts) and starts[at] < tag.end()
        return tag.group() if spoken else _MASK * len(tag.group())

    return _TAG.sub(mask, take.text)


def _split(text: str, at: int, span: tuple[int, int], cut: int) -> str:
    """From `at` to where the next word's opening marks begin: after the last blank before it."""
    gap = text[span[1] : cut]
    blank = max((i + 1 for i, char in enumerate(gap) if char.isspace()), default=len(gap))
    return text[at : span[1] + (blank if cut < len(text) else len(gap))]


def _break(pieces: Sequence[_Piece], at: int) -> int:
    """Where the cue that begins with piece `at` ends, at least one piece on."""
    full = at + 1
    while full < len(pieces) and _fits(pieces, at, full):
        full += 1
    if full == len(pieces) or pieces[full].start - pieces[full - 1].end >= GAP_S:
        return full
    least = _LEAST_FULL * len(_joined(pieces[at:full]))
    for mark in (_SENTENCE, _CLAUSE):
        for end in range(full, at, -1):
            text = _joined(pieces[at:end])
            if mark.search(text) and len(text) >= least:
                return end
    return full


def _fits(pieces: Sequence[_Piece], at: int, last: int) -> bool:
    """Whether the cue from piece `at` may take in piece `last`."""
    near = pieces[last].start - pieces[last - 1].end < GAP_S
    short = pieces[last].end - pieces[at].start <= LONGEST_S
    return near and short and bool(_lines(pieces[at : last + 1]))


def _joined(pieces: Sequence[_Piece]) -> str:
    return " ".join("".join(piece.text for piece in pieces).split())


def _lines(pieces: Sequence[_Piece]) -> tuple[str, ...]:
    """The pieces on one line, else on two as even as can be; empty if they don't fit."""
    whole = _joined(pieces)
    if len(whole) <= LINE_CHARS:
        return (whole,)
    if len(whole) > LINES * LINE_CHARS + 1:
        return ()
    halves = [(_joined(pieces[:i]), _joined(pieces[i:])) for i in range(1, len(pieces))]
    fitting = [pair for pair in halves if max(map(len, pair)) <= LINE_CHARS]
    return min(fitting, key=_unevenness, default=())


def _unevenness(halves: tuple[str, str]) -> int:
    """In characters; a line that ends where a sentence or clause does is worth some."""
    first, second = halves
    worth = 16 if _SENTENCE.search(first) else 10 if _CLAUSE.search(first) else 0
    return abs(len(first) - len(second)) - worth


def _vtt(cue: Cue) -> str:
    text = "\n".join(map(_escaped, cue.lines))
    if cue.speaker:
        text = f"<v {_escaped(' '.join(cue.speaker.split()))}>{text}"
    return f"{_time(cue.start, '.')} --> {_time(cue.end, '.')}\n{text}\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _srt(number: int, cue: Cue) -> str:
    name = f"{' '.join(cue.speaker.split())}: " if cue.speaker else ""
    text = _untagged(name + "\n".join(cue.lines))
    return f"{number}\n{_time(cue.start, ',')} --> {_time(cue.end, ',')}\n{text}\n"


def _untagged(text: str) -> str:
    """SRT has no escapes: players would take angle brackets for tags, and so some of curly."""
    return text.replace("<", "‹").replace(">", "›").replace("{\\", "{ \\")


def _time(seconds: float, point: str) -> str:
    millis = round(seconds * 1000)
    minutes, rest = divmod(millis, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{point}{rest % 1000:03}"
