"""Measures the norm statistics of every voice and fits what predicts them; writes statistics.npz.

    python scripts/calibrate.py [--sentences 12] [--work build/calibration]

Takes about a quarter of an hour on one core; what it wrote is kept as data in the repository, so
it is only run again when the model or the way of pooling changes. See docs/voice.md.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

from engine.families.embedded import assets, cut, norms, surgery, voices
from engine.families.embedded.dequantise import dequantise
from engine.families.embedded.phonemes import Phonemiser
from engine.families.embedded.statistics import pool

DATA = Path(str(resources.files("engine.families.embedded") / "data"))
#: Ridge penalty and rank; chosen by leaving out voices, see `report`.
PENALTY, RANK = 3.0, 64
#: Four frames of everything that the windowed parts take.
NOTHING = {
    cut.FEATURES: np.zeros((1, 512, 4), np.float32),
    cut.F0: np.zeros((1, 8), np.float32),
    cut.ENERGY: np.zeros((1, 8), np.float32),
    cut.STYLE: np.zeros((1, voices.STYLE), np.float32),
    cut.LOW: np.zeros((1, 256, 80), np.float32),
    cut.SOURCE: np.zeros((1, 22, 481), np.float32),
}


@dataclass(frozen=True)
class Row:
    """One sentence said by one voice: its acoustic frames, pooled features and norm statistics."""

    frames: int
    pooled: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


class Instrument:
    """The model in parts that tell their statistics."""

    def __init__(self, config: assets.EmbeddedConfig) -> None:
        whole = onnx.load_from_string(assets.model_bytes(config))
        front, back = cut.cut(whole), cut.cut(dequantise(whole))
        low, generator = norms.measured(back.low_rate), norms.measured(back.generator)
        graphs = (front.durations, front.prosody, front.source, low, generator)
        self.graphs = [_session(graph) for graph in graphs]
        self.vocabulary = assets.vocabulary()
        self.voices = voices.Voices(assets.voices_folder(config))
        self.phonemisers = {british: Phonemiser(british) for british in (False, True)}
        self.low_norms = len(norms.find(back.low_rate))
        self.sizes: list[int] = _sizes(back.low_rate, back.generator)

    def measure(self, voice: str, line: str) -> Row:
        reading = self.phonemisers[voices.is_british(voice)].read_all(line)[0]
        tokens = np.array([[0, *(self.vocabulary[p] for p in reading.phonemes), 0]], np.int64)
        style = self.voices.style(voice, tokens.size - 2)
        have = {cut.TOKENS: tokens, cut.STYLE: style, cut.SPEED: np.ones(1, np.float32)}
        statistics = []
        for session in self.graphs:
            names = [output.name for output in session.get_outputs()]
            values = session.run(None, {i.name: have[i.name] for i in session.get_inputs()})
            have |= dict(zip(names, values, strict=True))
            if norms.STATISTICS in have:
                statistics.append(have.pop(norms.STATISTICS).ravel())
        mean, variance = unpack(np.concatenate(statistics), self.sizes)
        features = have[cut.FEATURES][0]
        pooled = pool(features, have[cut.F0][0], have[cut.ENERGY][0])
        return Row(features.shape[1], pooled, mean, variance)


def _session(model: onnx.ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def _sizes(*parts: onnx.ModelProto) -> list[int]:
    """Channels of each norm, seen by running each part on a few frames of nothing."""
    sizes = []
    for part in parts:
        probe = surgery.copy_model(part)
        names = [norm.mean.output[0] for norm in norms.find(part)]
        infos = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in names]
        probe.graph.output.extend(infos)
        values = _session(probe).run(names, {i.name: NOTHING[i.name] for i in part.graph.input})
        sizes += [value.shape[1] for value in values]
    return sizes


def unpack(statistics: np.ndarray, sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Statistics [S] to means and variances [C]."""
    parts = np.split(statistics, np.cumsum(np.repeat(sizes, 2))[:-1])
    return np.concatenate(parts[::2]), np.concatenate(parts[1::2])


def frozen(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A voice's own: pooled, mean, log deviation; moments averaged by length."""
    weight = np.array([row.frames for row in rows], float)
    weight /= weight.sum()
    mean = sum(w * row.mean for w, row in zip(weight, rows, strict=True))
    square = sum(w * (row.variance + row.mean**2) for w, row in zip(weight, rows, strict=True))
    pooled = sum(w * row.pooled for w, row in zip(weight, rows, strict=True))
    return pooled, mean, 0.5 * np.log(square - mean**2)


def targets(rows: list[Row], base: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """(pooled, statistics) of each row less the voice's own, in its standard deviations."""
    pooled, mean, deviation = base
    x = np.array([row.pooled - pooled for row in rows])
    y = [
        np.concatenate(
            [(row.mean - mean) / np.exp(deviation), 0.5 * np.log(row.variance) - deviation]
        )
        for row in rows
    ]
    return x, np.array(y)


@dataclass(frozen=True)
class Map:
    """The regression as two thin matrices, with what codes were seen."""

    scale: np.ndarray
    encode: np.ndarray
    decode: np.ndarray
    spread: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return ((x / self.scale) @ self.encode) @ self.decode


def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Map:
    """Ridge regression y ~ x with row weights, at rank RANK. x: [n, P], y: [n, 2 C]."""
    scale = x.std(0) + 1e-6
    z, root = x / scale, np.sqrt(weight / weight.mean())[:, None]
    kernel = (z * root) @ (z * root).T
    dual = np.linalg.solve(kernel + PENALTY * z.shape[1] / 50 * np.eye(len(z)), y * root)
    fitted = kernel @ dual
    _, _, axes = np.linalg.svd(fitted, full_matrices=False)
    decode = axes[:RANK]
    encode = (z * root).T @ (dual @ decode.T)
    return Map(scale, encode, decode, (z @ encode).std(0) + 1e-6)


def report(rows: dict[str, list[Row]]) -> float:
    """Share of what frozen statistics miss that the map explains, for voices it was not fitted on
    and sentences that the voice's own statistics leave out."""
    left = missed = 0.0
    for held in rows:
        model = _fit_all({v: r for v, r in rows.items() if v != held})
        for i, row in enumerate(rows[held]):
            others = [r for j, r in enumerate(rows[held]) if j != i]
            x, y = targets([row], frozen(others))
            missed += float(np.mean(y**2))
            left += float(np.mean((y - model(x)) ** 2))
    return 1 - left / missed


def _fit_all(rows: dict[str, list[Row]]) -> Map:
    pairs = [targets(r, frozen(r)) for r in rows.values()]
    weight = np.array([row.frames for r in rows.values() for row in r], float)
    x, y = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return fit(x, y, weight)


def save(rows: dict[str, list[Row]], sizes: list[int], low_norms: int, path: Path) -> None:
    bases = [frozen(r) for r in rows.values()]
    model = _fit_all(rows)
    pooled, mean, deviation = (np.array(part) for part in zip(*bases, strict=True))
    np.savez_compressed(
        path,
        ids=np.array(list(rows)),
        sizes=np.array(sizes, np.int64),
        low_norms=np.array(low_norms),
        pooled=pooled.astype(np.float32),
        mean=mean.astype(np.float16),
        log_deviation=deviation.astype(np.float16),
        scale=model.scale.astype(np.float32),
        encode=model.encode.astype(np.float32),
        decode=model.decode.astype(np.float16),
        spread=model.spread.astype(np.float32),
    )


def sentences(voice: str, lines: list[str], count: int) -> list[str]:
    """`count` lines of all lengths, others for each voice."""
    chosen, ordered = random.Random(voice), sorted(lines, key=len)
    edges = [i * len(ordered) // count for i in range(count + 1)]
    return [chosen.choice(ordered[a:b]) for a, b in pairwise(edges)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=12)
    parser.add_argument("--out", type=Path, default=DATA / "statistics.npz")
    options = parser.parse_args()
    config = assets.EmbeddedConfig()
    assets.fetch_voices(config, lambda what, done: None)
    instrument = Instrument(config)
    lines = (DATA / "calibration.txt").read_text("utf-8").split("\n")[:-1]
    rows: dict[str, list[Row]] = {}
    for voice in voices.table():
        said = sentences(voice, lines, options.sentences)
        rows[voice] = [instrument.measure(voice, line) for line in said]
        print(f"{voice}: {len(rows[voice])} sentences", flush=True)
    print(f"explained of what frozen statistics miss: {report(rows):.2f}")
    save(rows, instrument.sizes, instrument.low_norms, options.out)


if __name__ == "__main__":
    main()
