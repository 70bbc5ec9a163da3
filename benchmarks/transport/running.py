"""What both programs here do around their measuring."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from benchmarks.machine import machine

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    R = TypeVar("R", bound=DataclassInstance)


def run(
    what: str,
    packages: Sequence[str],
    measure: Callable[[], Awaitable[list[R]]],
    show: Callable[[list[R]], None],
) -> None:
    """Measures, shows the rows, and writes them with the machine where `--json` says."""

    async def measured() -> list[R]:
        return await measure()

    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    on = machine(tuple(packages))
    rows = asyncio.run(measured())
    show(rows)
    if chosen.json is not None:
        figures = {"machine": asdict(on), "rows": [asdict(row) for row in rows]}
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n")
