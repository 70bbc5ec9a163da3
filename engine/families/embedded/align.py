"""Which tokens of a clause are made again, by comparing its phonemes word by word."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from engine.families.embedded.clause import Splice

_CHUNK = re.compile(r"\S+|\s")
_SPACE = " "
_STOPS = frozenset(",.;:!?—…")
_MARKS = _STOPS | frozenset('^ "“”()')


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: str
    start: int
    stop: int


def compare(old: str, new: str, forced: Collection[tuple[int, int]]) -> list[Splice]:
    """Spans in order and apart; outside them the phonemes are equal. Tokens count the padding.

    forced: tokens [from, to) of the new clause that are made again even so. Each span takes the
    spaces around it in, but no stop that follows it as before: that is silence for the most part.
    Spans that only a space parts are one.
    """
    before, after = _chunks(old), _chunks(new)
    ends = (len(old) + 1, len(new) + 1)
    keys = [f"{_SPACE}{i}" if _touches(c, forced) else c.text for i, c in enumerate(after)]
    matcher = SequenceMatcher(None, [c.text for c in before], keys, autojunk=False)
    spans = [
        Splice(*_tokens(before, a, b, ends[0]), *_tokens(after, c, d, ends[1]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
    padded = (f"^{old}$", f"^{new}$")
    kept = {token for start, stop in forced for token in range(start, stop)}
    trimmed = [_without_stops(span, *padded, kept) for span in merged(spans, gap=1)]
    return merged([_with_spaces(span, *padded) for span in trimmed])


def _without_stops(span: Splice, old: str, new: str, forced: Collection[int]) -> Splice:
    """With the stops at its end left out that both have, if more than those is left of either."""
    while (
        old[span.old_stop - 1] == new[span.stop - 1]
        and old[span.old_stop - 1] in _STOPS
        and span.stop - 1 not in forced
        and span.old_stop - span.old_start > 1
        and span.stop - span.start > 1
    ):
        span = replace(span, old_stop=span.old_stop - 1, stop=span.stop - 1)
    return span


def is_quiet(phonemes: str, token: int) -> bool:
    """Whether a token of a clause (padding counted) is a stop."""
    return f"^{phonemes}$"[token] in _STOPS


def _chunks(phonemes: str) -> list[_Chunk]:
    return [_Chunk(m.group(), m.start() + 1, m.end() + 1) for m in _CHUNK.finditer(phonemes)]


def _touches(chunk: _Chunk, forced: Collection[tuple[int, int]]) -> bool:
    return any(chunk.start < stop and start < chunk.stop for start, stop in forced)


def _tokens(chunks: Sequence[_Chunk], at: int, to: int, end: int) -> tuple[int, int]:
    start = chunks[at].start if at < len(chunks) else end
    return start, chunks[to - 1].stop if to > at else start


def _with_spaces(span: Splice, old: str, new: str) -> Splice:
    while old[span.old_start - 1] == new[span.start - 1] == _SPACE:
        span = replace(span, old_start=span.old_start - 1, start=span.start - 1)
    while old[span.old_stop] == new[span.stop] == _SPACE:
        span = replace(span, old_stop=span.old_stop + 1, stop=span.stop + 1)
    return span


def with_marks(span: Splice, old: str, new: str, at: int) -> Splice:
    """Widened to the old token `at` (of a pause), if only marks stand between."""
    padded_old, padded_new = f"^{old}$", f"^{new}$"
    while at < span.old_start and set(padded_old[at : span.old_start]) <= _MARKS:
        if padded_new[span.start - 1] != padded_old[span.old_start - 1]:
            break
        span = replace(span, old_start=span.old_start - 1, start=span.start - 1)
    while at >= span.old_stop and set(padded_old[span.old_stop : at + 1]) <= _MARKS:
        if padded_new[span.stop] != padded_old[span.old_stop]:
            break
        span = replace(span, old_stop=span.old_stop + 1, stop=span.stop + 1)
    return span


def merged(spans: Sequence[Splice], gap: int = 0) -> list[Splice]:
    """Those that at most `gap` tokens part become one."""
    result: list[Splice] = []
    for span in spans:
        if (
            result
            and max(span.old_start - result[-1].old_stop, span.start - result[-1].stop) <= gap
        ):
            result[-1] = replace(result[-1], old_stop=span.old_stop, stop=span.stop)
        else:
            result.append(span)
    return result
