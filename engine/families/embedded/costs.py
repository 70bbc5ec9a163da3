"""What a window costs here: measured when it is not known, and kept beside the compiled graphs."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final

from engine.costs import WindowCosts
from engine.families.embedded import prepare, windows
from engine.families.embedded.arithmetic import Processor
from engine.families.embedded.prepare import Prepared

#: Decodes a window of so many codec frames, the first of a clause.
Decode = Callable[[int], object]
RUNS: Final = 3
"""Of each size, once it has been decoded once; the median counts."""
LIKE: Final = 1.3
"""What is known is measured again where a window now takes longer, or shorter, by this factor."""

log = logging.getLogger(__name__)


def known(prepared: Prepared, threads: int, decode: Decode) -> WindowCosts:
    """As kept from an earlier start if that still holds, else measured now; under two seconds."""
    path = prepared.compiled / "costs.json"
    key = _key(prepared, threads)
    kept = _costs(_read(path).get(key))
    probe = windows.SIZES[0]
    decode(probe)
    if kept is not None:
        ratio = _seconds(decode, probe) / kept.seconds(probe)
        if 1 / LIKE < ratio < LIKE:
            return kept
        log.info("a window takes %.2f of what it took when it was measured: again", ratio)
    costs = WindowCosts(tuple((size, _warm(decode, size)) for size in windows.SIZES))
    _keep(path, key, costs)
    return costs


def _warm(decode: Decode, size: int) -> float:
    decode(size)
    return _seconds(decode, size)


def _seconds(decode: Decode, size: int) -> float:
    took = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        decode(size)
        took.append(time.perf_counter() - begun)
    return median(took)


def _key(prepared: Prepared, threads: int) -> str:
    """Whatever changes the costs without anybody noticing."""
    parts = (
        Processor.here().name,
        f"{os.cpu_count()} cores",
        f"{threads} threads",
        f"{prepared.precision}+{prepared.hint}",
        f"v{prepare.VERSION}",
        f"openvino {version('openvino')}",
        str(windows.SIZES),
    )
    return ", ".join(parts)


def _costs(kept: Any) -> WindowCosts | None:
    """None where what is kept is nothing, or nothing that windows could have taken."""
    with contextlib.suppress(TypeError, ValueError):
        table = tuple((int(frames), float(seconds)) for frames, seconds in kept)
        if all(0 < seconds < math.inf for _, seconds in table):
            return WindowCosts(table)
    return None


def _read(path: Path) -> dict[str, Any]:
    """What is kept, by key; nothing where it can't be read."""
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(path.read_text())
        if isinstance(kept, dict):
            return kept
    return {}


def _keep(path: Path, key: str, costs: WindowCosts) -> None:
    """Whole or not at all; one that can't be kept is measured again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f"{path.name}.{os.getpid()}")
        scratch.write_text(json.dumps(_read(path) | {key: costs.table}, indent=1))
        scratch.replace(path)
