"""Makes a prepared folder's files, in a process of its own.

Preparing holds the interpreter for seconds at a time, takes gigabytes and prints; a server that is
up already must go on answering, and wants none of that.
"""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias, assert_never

import onnx

from engine.errors import EngineError, ModelDamaged
from engine.families.embedded import (
    assets,
    cut,
    dictionaries,
    fold,
    norms,
    quantise,
    source,
    surgery,
    upsample,
)
from engine.families.embedded.assets import EmbeddedConfig, Progress
from engine.families.embedded.dequantise import dequantise
from engine.families.embedded.prepare import Prepared
from engine.families.embedded.statistics import Statistics


@dataclass(frozen=True, slots=True)
class _Step:
    what: str
    done: float


@dataclass(frozen=True, slots=True)
class _Ended:
    """error: what went wrong, None if nothing did."""

    error: EngineError | None


_Told: TypeAlias = _Step | _Ended


def make(config: EmbeddedConfig, to: Prepared, progress: Progress) -> None:
    """Writes every file of `to`. Raises ModelMissing, ModelDamaged."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_main, args=(config, to, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        _follow(ours, progress)
    finally:
        ours.close()
        child.join()
        child.close()


def _follow(told: Connection, progress: Progress) -> None:
    while True:
        try:
            message: _Told = told.recv()
        except EOFError:
            raise ModelDamaged(
                "the process that prepares the model died; is there memory?"
            ) from None
        match message:
            case _Step():
                progress(message.what, message.done)
            case _Ended():
                if message.error is not None:
                    raise message.error
                return
            case _:
                assert_never(message)


def _main(config: EmbeddedConfig, to: Prepared, tell: Connection) -> None:
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # the quantiser's own progress bars
    try:
        write(config, to, lambda what, done: tell.send(_Step(what, done)))
    except EngineError as error:
        tell.send(_Ended(error))
    except Exception as error:  # The end of a process: whoever waits is told.
        why = f"{type(error).__name__}: {error}"
        tell.send(_Ended(ModelDamaged(f"the model could not be prepared: {why}")))
    else:
        tell.send(_Ended(None))


def write(config: EmbeddedConfig, to: Prepared, progress: Progress) -> None:
    """Writes every file of a prepared folder. Raises ModelMissing, ModelDamaged."""
    progress("reading the model", 0.05)
    model = onnx.load_from_string(assets.model_bytes(config))
    progress("cutting the model", 0.15)
    front = cut.cut(model)
    back = cut.cut(dequantise(model))
    surgery.save(front.durations, to.durations)
    surgery.save(front.prosody, to.prosody)
    dictionaries.write(to.folder)
    source.Mixer.of(front.source).save(to.source)
    surgery.save(norms.measured(front.low_rate), to.low_rate_measured)
    surgery.save(fold.polynomial_snake(norms.measured(front.generator)), to.generator_measured)
    statistics = Statistics.load()
    progress("folding norms", 0.35)
    floats = replace(to, precision="f32")
    low = _lean(back.low_rate, statistics.low_sizes, to.low_rate_affine)
    surgery.save(low, floats.low_rate)
    lean = _lean(back.generator, statistics.generator_sizes, to.generator_affine)
    middle, high = cut.halves(lean, fold.AFFINE)
    surgery.save(middle, floats.middle)
    surgery.save(high, floats.high)
    if to.precision == "int8":
        quantise.quantise(floats, to, progress)
        for path in (floats.low_rate, floats.middle, floats.high):
            path.unlink()


def _lean(part: onnx.ModelProto, sizes: list[int], affine: Path) -> onnx.ModelProto:
    """One part with given statistics, folded; writes the graph that makes its scales and shifts."""
    made, folded = fold.fold(norms.given(part, sizes), cut.STYLE, norms.STATISTICS)
    surgery.save(made, affine)
    return upsample.as_products(fold.polynomial_snake(folded))
