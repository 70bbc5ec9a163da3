"""The embedded voice on every topology that this machine can run: the same words, the same samples.

Twenty requests together, in another random order each time.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from pathlib import Path

import pytest

from engine import build
from engine.family import Family
from engine.placement import resolve
from engine.topology import Topology
from engine.types import Credit, Epoch, Failed, Levers, Part, Pcm, Performance, RequestId, Utterance
from voice_server import config, families, hosting

CONFIGS = Path(__file__).parents[2] / "configs"
VOICES = ("af_heart", "am_michael", "bf_emma", "bm_lewis")
LINES = (
    "Every morning the baker opens the shop before the sun is up.",
    "Hello.",
    "Is that the last train? I thought it left at nine.",
    "The captain, who had said nothing all evening, put down the glass and walked out.",
    "On the third of May 1984 it rained for forty days.",
)
SOFT = Performance(rate=0.9, soft=0.2, parts=(Part((0, 5), Levers(pitch=2.0)),))

pytestmark = pytest.mark.long


def utterances() -> list[Utterance]:
    return [
        Utterance(
            RequestId(f"r{i}"),
            Epoch(0),
            LINES[i % len(LINES)],
            VOICES[i % len(VOICES)],
            SOFT if i % 3 == 0 else Performance(),
            seed=i % 2,
        )
        for i in range(20)
    ]


async def digests(family: Family, topology: Topology, seed: int) -> dict[RequestId, str]:
    """Of each request's samples, when all are made at once in random order."""
    engine = await build.start(family, topology)
    asked = utterances()
    random.Random(seed).shuffle(asked)

    async def digest(utterance: Utterance) -> str:
        request = engine.submit(utterance)
        request.credit(Credit(2**40))
        made = hashlib.sha256()
        async for output in request:
            assert not isinstance(output, Failed), output
            if isinstance(output, Pcm):
                made.update(output.samples.tobytes())
        return made.hexdigest()

    try:
        found = await asyncio.gather(*map(digest, asked))
        await engine.idle()
        engine.check_integrity()
    finally:
        await engine.close()
    return {utterance.request: made for utterance, made in zip(asked, found, strict=True)}


async def test_the_samples_do_not_depend_on_the_topology() -> None:
    found: dict[str, dict[RequestId, str]] = {}
    for seed, name in enumerate(("laptop", "two-core", "replicated")):
        settings = config.load(CONFIGS / f"{name}.yaml")
        family = await asyncio.to_thread(families.loader(settings), lambda *_: None)
        topology = hosting.topology(settings)
        assert resolve(family.graph, topology)
        found[name] = await digests(family, topology, seed)
    assert len(set(found["laptop"].values())) > 10
    assert found["two-core"] == found["laptop"]
    assert found["replicated"] == found["laptop"]
