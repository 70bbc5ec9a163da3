"""Rows on disk as they are measured, so that a run can stop and go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from json import dumps
from pathlib import Path

from pydantic import TypeAdapter

from benchmarks.directing.rows import Row, Told

_ROW: TypeAdapter[Row] = TypeAdapter(Row)


class Kept:
    """The rows of a file of JSON lines; the last one of a direction holds."""

    def __init__(self, file: Path) -> None:
        self._file = file
        lines = file.read_text().splitlines() if file.is_file() else []
        self._rows = {row.told: row for row in map(_ROW.validate_json, lines)}

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def find(self, told: Told) -> Row | None:
        return self._rows.get(told)

    def keep(self, row: Row) -> None:
        self._rows[row.told] = row
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as lines:
            lines.write(dumps(asdict(row), ensure_ascii=False) + "\n")
