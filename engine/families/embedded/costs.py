"""What a window costs here: measured when it is not known, and kept beside the compiled graphs."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median_low
from typing import Any, Final

from engine.costs import WindowCosts
from engine.devices import cores
from engine.families.embedded import prepare, windows
from engine.families.embedded.arithmetic import Processor
from engine.families.embedded.assets import EmbeddedConfig
from engine.families.embedded.prepare import Prepared

#: Decodes a window of so many codec frames, the first of a clause.
Decode = Callable[[int], object]
FILE: Final = "costs.json"
RUNS: Final = 3
ENOUGH_S: Final = 0.2
"""Each size is decoded once, as the first time takes longer, and then timed so often, or for so
long, but twice at least; the median counts, or the shorter of two."""


def known(prepared: Prepared, threads: int, decode: Decode) -> WindowCosts:
    """As kept from an earlier start on this processor, else measured now, in about two seconds.

    What is kept is not held against a window of now: while a server starts others are at work, and
    whoever uses the costs corrects them by what windows take.
    """
    costs = kept(prepared, threads)
    if costs is not None:
        for size in windows.SIZES[:2]:
            decode(size)
        return costs
    costs = WindowCosts(tuple((size, _warm(decode, size)) for size in windows.SIZES))
    _keep(_path(prepared), _key(prepared, threads), costs.table)
    return costs


def exact(prepared: Prepared, threads: int, probe: Callable[[], bool]) -> bool:
    """Whether windows of any size give the same samples here: as an earlier start found, else as
    `probe` finds now. Floats are not asked: their sums depend on the length of a call."""
    if prepared.precision != "int8":
        return False
    path, key = _path(prepared), f"{_key(prepared, threads)}, exact"
    found = _read(path).get(key)
    if not isinstance(found, bool):
        found = probe()
        _keep(path, key, found)
    return found


def kept(prepared: Prepared, threads: int) -> WindowCosts | None:
    """As an earlier start on this machine measured them; None if none did, or if what it kept can't
    be used."""
    return _costs(_read(_path(prepared)).get(_key(prepared, threads)))


def kept_for(config: EmbeddedConfig, threads: int) -> WindowCosts | None:
    """As `kept`, before anything is prepared. Raises ModelMissing, ModelDamaged."""
    # The model is large, and read only where something is kept of any.
    if not any(config.cache.glob(f"embedded/*/{FILE}")):
        return None
    return kept(prepare.located(config), threads)


def _path(prepared: Prepared) -> Path:
    return prepared.compiled / FILE


def _warm(decode: Decode, size: int) -> float:
    decode(size)
    return _seconds(decode, size)


def _seconds(decode: Decode, size: int) -> float:
    took: list[float] = []
    while len(took) < 2 or (len(took) < RUNS and sum(took) < ENOUGH_S):
        begun = time.perf_counter()
        decode(size)
        took.append(time.perf_counter() - begun)
    return median_low(took)


def _key(prepared: Prepared, threads: int) -> str:
    """Whatever changes the costs without anybody noticing."""
    parts = (
        Processor.here().name,
        f"{threads} threads of {cores()} cores",
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


def _keep(path: Path, key: str, found: object) -> None:
    """Whole or not at all; one that can't be kept is measured again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f"{path.name}.{os.getpid()}")
        scratch.write_text(json.dumps(_read(path) | {key: found}, indent=1))
        scratch.replace(path)
