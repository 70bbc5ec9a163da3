"""Differences are the fewest, and found in bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sessions.differing import MOST, regions


def cost(found: list[tuple[tuple[int, int], tuple[int, int]]]) -> int:
    return sum(b - a + d - c for (a, b), (c, d) in found)


def fewest(old: str, new: str) -> int:
    """By the table of all beginnings, the plain way."""
    row = list(range(len(new) + 1))
    for i, a in enumerate(old, 1):
        last, row = row, [i]
        for j, b in enumerate(new, 1):
            row.append(last[j - 1] if a == b else 1 + min(last[j], row[j - 1]))
    return row[-1]


_TEXT = st.text("abc ", max_size=14)


@given(_TEXT, _TEXT)
def test_no_smaller_difference_exists(old: str, new: str) -> None:
    found = regions(old, new)
    made, at = "", 0
    for (a, b), (c, d) in found:
        made += old[at:a] + new[c:d]
        at = b
    assert made + old[at:] == new
    assert cost(found) == fewest(old, new)


def test_beyond_the_bound_the_middle_is_one_difference() -> None:
    old = ["a", *map(str, range(MOST)), "z"]
    new = ["a", *map(str, range(MOST, 2 * MOST)), "z"]
    assert regions(old, new) == [((1, MOST + 1), (1, MOST + 1))]
