"""Measures whose voice is whose: a speaker embedding of each voice of the embedded family; writes
engine/families/embedded/data/speakers.npz, by which casting tells how much voices differ.

    python scripts/voice_distances.py [--out FILE]

Needs the speaker encoder (see benchmarks/directing/speaker.py). Takes about two minutes on one
core; it is only run again when the voices change.
"""

from __future__ import annotations

import argparse
import asyncio
from importlib import resources
from pathlib import Path

import librosa
import numpy as np
from numpy.typing import NDArray

from benchmarks.directing.speaker import Encoder
from benchmarks.quality.recognisers import RATE
from benchmarks.server import serving
from engine.families.embedded import voices
from voice_server.client import Session, connect

#: Two of statements and one that asks, of about five seconds each.
SENTENCES = (
    "The ferry left the harbour before sunrise, and nobody on the quay said a word.",
    "Would you rather walk home through the park, or wait here for the last bus?",
    "She opened every window in the house and let the cold morning air blow through.",
)
OUT = Path(str(resources.files("engine.families.embedded") / "data" / "speakers.npz"))
LEVELS = 255


async def said(session: Session, voice: str) -> list[NDArray[np.float32]]:
    """What the voice makes of the sentences, each at the encoder's rate."""
    waves = []
    for sentence in SENTENCES:
        take = await session.speak(sentence, voice=voice)
        wave = (await take.pcm()).astype(np.float32) / 32768
        waves.append(librosa.resample(wave, orig_sr=session.audio.sample_rate, target_sr=RATE))
    return waves


async def measured() -> NDArray[np.float32]:
    """float32 [voices, sentences, 256], in the table's order."""
    encoder, rows = Encoder(), []
    with serving() as server:
        async with connect(server.address, format="pcm16") as session:
            for voice in voices.table():
                rows.append([encoder.embedding(wave) for wave in await said(session, voice)])
                print(voice, flush=True)
    return np.array(rows)


def report(rows: NDArray[np.float32]) -> str:
    """How alike sentences are in one voice, and in two."""
    alike = np.einsum("vsx,wtx->vwst", rows, rows)
    own = alike[np.arange(len(rows)), np.arange(len(rows))][:, *np.triu_indices(rows.shape[1], 1)]
    others = alike[np.triu_indices(len(rows), 1)]
    return (
        f"one voice {own.mean():.2f} ({own.min():.2f} to {own.max():.2f}), "
        f"two {others.mean():.2f} ({others.min():.2f} to {others.max():.2f})"
    )


def save(rows: NDArray[np.float32], path: Path) -> None:
    """Means over the sentences, as bytes: only their directions are of use."""
    means = rows.mean(1)
    embeddings = np.round(LEVELS * means / means.max()).astype(np.uint8)
    np.savez_compressed(path, ids=np.array(list(voices.table())), embeddings=embeddings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    rows = asyncio.run(measured())
    print(report(rows))
    save(rows, options.out)


if __name__ == "__main__":
    main()
