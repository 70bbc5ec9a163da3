"""The edits one after another, each kept on disk as soon as it is judged."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import soundfile

from benchmarks.editing import making
from benchmarks.editing.cases import CHAINS, Chain
from benchmarks.editing.judging import Listening, Trial, judged
from benchmarks.editing.making import Made
from benchmarks.quality.recognisers import Recogniser, recognisers
from benchmarks.server import Server, serving
from sessions.events import Recognised
from voice_server.client import Session, connect


@dataclass(frozen=True, slots=True)
class Asked:
    """voices: each chain is said by `each` of them, which ones changes from chain to chain. folder:
    where judged edits are kept. sound: whether their sound is too. until: seconds after which
    nothing more is begun."""

    chains: tuple[Chain, ...]
    voices: tuple[str, ...]
    each: int
    threads: int
    folder: Path
    sound: bool
    until: float
    settings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A chain in a voice, and where its edits are kept."""

    chain: Chain
    voice: str
    file: Path


def jobs(asked: Asked) -> list[Job]:
    """All of them, done or not."""
    return [
        Job(chain, voice, asked.folder / f"{CHAINS.index(chain):02}-{voice}.json")
        for turn in range(asked.each)
        for at, chain in enumerate(asked.chains)
        for voice in [asked.voices[(at + turn) % len(asked.voices)]]
    ]


def kept(asked: Asked) -> list[Trial]:
    """Edits that are judged already."""
    done = (job.file for job in jobs(asked) if job.file.is_file())
    return [trial for file in done for trial in _read(file)]


def _read(file: Path) -> Iterator[Trial]:
    for values in json.loads(file.read_text()):
        yield _trial(values)


def _trial(values: dict[str, Any]) -> Trial:
    heard = [Listening(**one) for one in values.pop("heard")]
    told = values.pop("told", None)
    return Trial(heard=heard, told=told and Recognised(**told), **values)


def run(asked: Asked, told: Callable[[str], None]) -> int:
    """Makes and judges what is not there yet; returns how many chains are left. Raises NotStarted,
    ModelMissing, ModelDamaged."""
    left = [job for job in jobs(asked) if not job.file.is_file()]
    if not left:
        return 0
    asked.folder.mkdir(parents=True, exist_ok=True)
    with serving(asked.settings) as server, recognisers(asked.threads) as hearing:
        return asyncio.run(_run(left, asked, server, hearing, told))


async def _run(
    left: list[Job],
    asked: Asked,
    server: Server,
    hearing: Sequence[Recogniser],
    told: Callable[[str], None],
) -> int:
    begun = time.monotonic()
    async with connect(server.address, format="pcm16", lead_ms=10_000) as session:
        for at, job in enumerate(left):
            if time.monotonic() - begun > asked.until:
                return len(left) - at
            trials = [trial async for trial in _trials(session, server, job, asked, hearing)]
            rows = [asdict(trial) for trial in trials]
            job.file.write_text(json.dumps(rows, ensure_ascii=False) + "\n")
            told(f"{job.voice}: {job.chain.texts[-1]}")
    return 0


async def _trials(
    session: Session, server: Server, job: Job, asked: Asked, hearing: Sequence[Recogniser]
) -> AsyncIterator[Trial]:
    async for one in making.made(session, server, job.chain, job.voice):
        if asked.sound:
            _write(one, job.file)
        yield await asyncio.to_thread(judged, one, hearing)


def _write(made: Made, file: Path) -> None:
    takes = {"parent": made.parent, "edit": made.child, "whole": made.whole}
    for name, take in takes.items():
        place = file.with_name(f"{file.stem}-{made.step}-{name}.wav")
        soundfile.write(place, take.samples, made.sample_rate)
