"""Whether a device computes what it should: streamed sound is whole sound, and rows don't mix.

python -m benchmarks.serving.exactness --model FOLDER --tiny FOLDER [--device cuda:0] [--out DIR]

Code2wav is that of --model, in float64 and float32 beside transformers' own, and in windows of
several streams beside each alone. The talker is --tiny's, whose likeliest codes have to be the
CPU's, which tests hold against transformers'; and --model's in bfloat16, where a take has to be the
same to the last bit whatever runs beside it.
"""

from __future__ import annotations

import argparse
import gc
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import Qwen3OmniMoeCode2Wav

from benchmarks import report
from benchmarks.machine import Machine, machine
from benchmarks.serving.takes import Talking
from engine.families.qwen3_omni.checkpoint import Checkpoint
from engine.families.qwen3_omni.code2wav_streams import Streams
from engine.families.qwen3_omni.code2wav_weights import Code2WavShape, Code2WavWeights
from engine.families.qwen3_omni.config import Qwen3OmniConfig
from engine.families.qwen3_omni.decoding import Capturing, Decoder, Window, decoder
from engine.families.qwen3_omni.frames import FIRST, LATER, Codes
from engine.families.qwen3_omni.reader import Place, Reader
from engine.types import Int16

PACKAGES: Final = ("voice-server", "torch", "transformers", "numpy")
BOUNDS: Final = {torch.float64: 1e-9, torch.float32: 1e-4}
"""Of the largest error, over the standard deviation of the sound."""
FRAMES: Final = 96
"""More than the transformer's window."""
STREAMS: Final = 8
POSITIONS: Final = 256
WINDOWS: Final = (Window(FIRST, True), Window(LATER, False))
LIKELIEST: Final = Qwen3OmniConfig(dtype="float32", slots=STREAMS, positions=160, temperature=0)


@dataclass(frozen=True, slots=True)
class Options:
    """model: a checkpoint. tiny: one that is small enough for the CPU. device: cpu or cuda:N."""

    model: Path
    tiny: Path
    device: str
    out: Path


@dataclass(frozen=True, slots=True)
class Result:
    machine: Machine
    device: str
    goals: list[report.Goal]


class Vocoder:
    """A checkpoint's code2wav on a device, ours and transformers'."""

    def __init__(self, folder: Path, place: Place) -> None:
        checkpoint = Checkpoint.open(str(folder))
        config = checkpoint.config().code2wav_config
        self.shape = Code2WavShape.of(config)
        self.device = place.device
        with Reader(checkpoint, place) as reader, torch.inference_mode():
            self.weights = Code2WavWeights.read(
                self.shape, lambda name, size: reader.read(f"code2wav.{name}", size)
            )
            self._theirs: Any = reader.module(lambda: Qwen3OmniMoeCode2Wav(config), "code2wav.")

    def codes(self, seed: int) -> Tensor:
        """[FRAMES, codebooks]"""
        generator = torch.Generator().manual_seed(seed)
        size = (FRAMES, self.shape.codebooks)
        return torch.randint(self.shape.codebook_size, size, generator=generator)

    @torch.inference_mode()
    def whole(self, codes: Tensor) -> Tensor:
        """What transformers makes of all frames at once: [samples]."""
        sound: Tensor = self._theirs(codes.t()[None].to(self.device))
        return sound[0, 0]


def checks(options: Options) -> Iterator[tuple[str, Callable[[], report.Goal]]]:
    """All of them, by what they are about; each is to be called once."""
    for dtype in BOUNDS:
        yield f"streamed sound, {dtype}", partial(streamed, options, dtype)
    yield "windows of several streams", partial(windows, options)
    for graphs in (True, False):
        yield "the likeliest codes", partial(likeliest, options, graphs)
    yield "neighbours in a batch", partial(neighbours, options)


def streamed(options: Options, dtype: torch.dtype) -> report.Goal:
    """Two streams in turn, in pushes of random sizes, beside transformers' whole decode."""
    vocoder = Vocoder(options.model, Place(torch.device(options.device), dtype))
    streams = Streams(vocoder.weights, 2)
    error = max(_error(vocoder, streams, slot) for slot in (0, 1))
    bound = BOUNDS[dtype]
    name = str(dtype).removeprefix("torch.")
    what = f"streamed sound beside whole, {name}: largest error / standard deviation"
    return report.Goal(what, f"at most {bound:g}", f"{error:.1e}", error <= bound)


def _error(vocoder: Vocoder, streams: Streams, slot: int) -> float:
    codes = vocoder.codes(slot)
    row = torch.tensor([slot], device=vocoder.device)
    rng = np.random.default_rng(slot)
    edges = [0, *sorted(rng.choice(np.arange(1, FRAMES), 12, replace=False).tolist()), FRAMES]
    parts = [
        streams.push(codes[None, start:stop].to(vocoder.device), row, first=start == 0)
        for start, stop in pairwise(edges)
    ]
    whole = vocoder.whole(codes)
    return float((torch.cat(parts, 1)[0] - whole).abs().max() / whole.std())


def windows(options: Options) -> report.Goal:
    """As the server decodes: windows of 4, 10 and 10, captured where there is CUDA."""
    vocoder = Vocoder(options.model, Place(torch.device(options.device), torch.float32))
    codes = torch.stack([vocoder.codes(seed) for seed in range(STREAMS)]).numpy()
    together, alone = (_decoder(vocoder) for _ in range(2))
    worst = 0
    for window, at in ((WINDOWS[0], 0), (WINDOWS[1], FIRST), (WINDOWS[1], FIRST + LATER)):
        part = codes[:, at : at + window.frames]
        one = np.stack(_decoded(alone, window, part, 1)).astype(int)
        all_ = np.stack(_decoded(together, window, part, together.together))
        worst = max(worst, int(np.abs(all_ - one).max()))
    what = f"windows of {STREAMS} streams beside each alone, float32: largest difference"
    return report.Goal(what, "at most 1 of 32,767", str(worst), worst <= 1)


def _decoder(vocoder: Vocoder) -> Decoder:
    return decoder(Streams(vocoder.weights, STREAMS), WINDOWS, Capturing(graphs=True))


def _decoded(decode: Decoder, window: Window, codes: Codes, each: int) -> list[Int16]:
    """The next window of all streams, so many a call."""
    made: list[Int16] = []
    for at in range(0, STREAMS, each):
        slots = range(at, min(STREAMS, at + each))
        made += decode(window, codes[at : slots.stop], slots)
    return made


def likeliest(options: Options, graphs: bool) -> report.Goal:
    """Takes that share steps on the device, beside each alone on the CPU. Sums that are rounded
    otherwise turn the choice between two codes that are as good as equally likely."""
    config = replace(LIKELIEST, model=str(options.tiny), graphs=graphs)
    together = Talking(config, options.device).takes(range(STREAMS))
    alone = _on_the_cpu(str(options.tiny))
    wrong = sum(not np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
    what = f"likeliest codes {'with' if graphs else 'without'} graphs beside the CPU's, float32"
    told = f"{wrong} of {STREAMS} takes differ"
    return report.Goal(what, "the same, but for a near tie", told, wrong <= 1)


@cache
def _on_the_cpu(model: str) -> list[Codes]:
    talking = Talking(replace(LIKELIEST, model=model), "cpu")
    return [talking.takes([seed])[0] for seed in range(STREAMS)]


def neighbours(options: Options) -> report.Goal:
    """Drawn codes of takes that share steps, beside those of each alone; all steps of one size."""
    config = Qwen3OmniConfig(
        model=str(options.model), slots=STREAMS, positions=POSITIONS, steady=True
    )
    talking = Talking(config, options.device)
    together = talking.takes(range(STREAMS))
    alone = [talking.takes([seed])[0] for seed in range(0, STREAMS, 3)]
    pairs = zip(alone, together[::3], strict=True)
    wrong = sum(not np.array_equal(a, b) for a, b in pairs)
    what = "drawn codes of a take with and without neighbours, bfloat16, steady"
    told = f"{wrong} of {len(alone)} takes differ"
    return report.Goal(what, "the same", told, wrong == 0)


def measure(options: Options, told: Callable[[str], None]) -> Result:
    """Runs all checks; one that fails to run is not met, and the others are run all the same."""
    about = machine(PACKAGES)
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = False  # transformers' convolutions, the reference
    goals: list[report.Goal] = []
    for about_what, check in checks(options):
        try:
            goals.append(check())
        except Exception as error:  # The end of one check's work: the report says so.
            traceback.print_exc()
            goals.append(report.Goal(about_what, "to run", repr(error)[:200], False))
        gc.collect()
        told(f"{goals[-1].what}: {goals[-1].measured}")
    return Result(about, _name(options.device), goals)


def _name(device: str) -> str:
    return device if device == "cpu" else torch.cuda.get_device_name(device)


def asked() -> Options:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving.exactness")
    parser.add_argument("--model", type=Path, required=True, help="folder of a checkpoint")
    parser.add_argument("--tiny", type=Path, required=True, help="folder of a tiny checkpoint")
    parser.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder for the file")
    given = parser.parse_args()
    return Options(given.model, given.tiny, given.device, given.out)


def main() -> None:
    options, console = asked(), report.console()
    options.out.mkdir(parents=True, exist_ok=True)
    result = measure(options, lambda text: console.print(text, highlight=False))
    report.write(result, options.out / "exactness.json")
    console.print(report.goals(result.goals))
    sys.exit(not all(goal.met for goal in result.goals))


if __name__ == "__main__":
    main()
