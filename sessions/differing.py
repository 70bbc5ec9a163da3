"""Where two sequences of words differ, in as few words as can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

#: Items [from, to) of the one sequence stand where items [from, to) of the other do.
Region: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
#: Items taken out and put in, up to which the fewest are looked for. The time grows with its
#: square; beyond, what lies between the common ends counts as one difference.
MOST = 600


def regions(old: Sequence[str], new: Sequence[str]) -> list[Region]:
    """What differs, going up; between the regions, and around them, the sequences are equal."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    pairs = _pairs(before, after)
    ends = [*pairs, (len(before), len(after))]
    found: list[Region] = []
    x = y = 0
    for i, j in ends:
        if (x, y) != (i, j):
            found.append(((head + x, head + i), (head + y, head + j)))
        x, y = i + 1, j + 1
    return found


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items are the same from the start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Indexes of equal items that are kept: a longest common subsequence, by Myers's greedy
    algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986); none beyond MOST."""
    trace = _trace(old, new)
    pairs: list[tuple[int, int]] = []
    x, y = len(old), len(new)
    for steps in range(len(trace) - 1, -1, -1):
        reached = trace[steps]
        diagonal = x - y
        down = _goes_down(reached, diagonal, steps)
        from_x = reached[diagonal + 1] if down else reached[diagonal - 1]
        from_y = from_x - (diagonal + 1 if down else diagonal - 1)
        while x > max(from_x, 0) and y > max(from_y, 0):
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = from_x, from_y
    return pairs[::-1]


def _trace(old: Sequence[str], new: Sequence[str]) -> list[dict[int, int]]:
    """For each number of steps, how far along `old` each diagonal was reached before it."""
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    for steps in range(MOST + 1):
        trace.append(dict(reached))
        for diagonal in range(-steps, steps + 1, 2):
            down = _goes_down(reached, diagonal, steps)
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return trace
    return []


def _goes_down(reached: dict[int, int], diagonal: int, steps: int) -> bool:
    """Whether the farthest way to the diagonal puts an item in, rather than takes one out."""
    if diagonal == -steps:
        return True
    return diagonal != steps and reached[diagonal - 1] < reached[diagonal + 1]
