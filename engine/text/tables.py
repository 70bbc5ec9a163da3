"""Small readers for tables that are written as plain words in the source."""

from __future__ import annotations


def word_list(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def pairs(rows: str) -> dict[str, str]:
    """Of "short=long; short=long", where a line's end is a semicolon too."""
    entries = (row.split("=") for row in rows.replace("\n", ";").split(";") if row.strip())
    return {short.strip(): spoken.strip() for short, spoken in entries}
