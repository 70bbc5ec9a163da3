"""What is measured: ours and the peers, each in a process of its own, behind one interface."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

import httpx
import psutil

from benchmarks.first_audio import kokoro_onnx_worker
from benchmarks.first_audio.weights import Weights
from benchmarks.listening import Listener, Pace, listening
from benchmarks.scoring import Arrival, Heard, Outcome, Refused
from benchmarks.server import START_S, NotStarted, Printed, Server, child
from voice_server import serving
from voice_server.config import Server as Address

RATE: Final = 24_000


class System(Protocol):
    """Something that speaks. slot: which of the takes at once it is, from 0."""

    name: str

    async def say(self, slot: int, text: str, voice: str) -> Outcome: ...

    def cpu_s(self) -> float:
        """Seconds that its process has computed so far, on all cores together."""


class Ours:
    """Our server, heard by one connection a slot."""

    def __init__(self, name: str, server: Server, listeners: list[Listener]) -> None:
        self.name = name
        self._server = server
        self._listeners = listeners

    async def say(self, slot: int, text: str, voice: str) -> Outcome:
        return await self._listeners[slot].speak(text, voice)

    def cpu_s(self) -> float:
        return self._server.cpu_s()


@asynccontextmanager
async def ours(name: str, server: Server, pace: Pace, slots: int) -> AsyncIterator[System]:
    """Connections to a running server."""
    async with AsyncExitStack() as stack:
        opening = (stack.enter_async_context(listening(server.socket, pace)) for _ in range(slots))
        yield Ours(name, server, [await one for one in opening])


class KokoroOnnx:
    """The kokoro-onnx library with its default threads, in a process that does nothing else; a
    text of several sentences is made sentence by sentence, as its users do."""

    name = "kokoro-onnx"

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asked = 0
        self._answers: dict[int, asyncio.Queue[kokoro_onnx_worker.Answer]] = {}

    async def say(self, slot: int, text: str, voice: str) -> Outcome:
        """Asks for the sentences of `text` and times each answer."""
        self._asked += 1
        number = self._asked
        self._answers[number] = asyncio.Queue()
        assert self._process.stdin is not None
        sentences = re.split(r"(?<=[.!?])\s+", text)
        begun, until, arrivals = time.perf_counter(), 0, []
        asked = {"number": number, "sentences": sentences, "voice": voice}
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        for _ in sentences:
            answer = await self._answers[number].get()
            if answer.error:
                return Refused(answer.error)
            until += answer.samples
            arrivals.append(Arrival(time.perf_counter() - begun, until))
        del self._answers[number]
        return Heard(tuple(arrivals), RATE, 2 * until)

    def cpu_s(self) -> float:
        return _cpu_s(psutil.Process(self._process.pid))

    async def read(self) -> None:
        """Hands its answers out until it ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            answer = kokoro_onnx_worker.Answer(**json.loads(line))
            self._answers[answer.number].put_nowait(answer)


@asynccontextmanager
async def kokoro_onnx(weights: Weights) -> AsyncIterator[System]:
    """The library, loaded. Raises NotStarted."""
    program = [sys.executable, "-m", kokoro_onnx_worker.__name__]
    log = weights.folder / "kokoro-onnx.log"
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *program,
            str(weights.model),
            str(weights.voices),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    assert process.stdout is not None
    try:
        if await process.stdout.readline() != kokoro_onnx_worker.READY:
            raise NotStarted(_last_line(log.read_text()))
        system = KokoroOnnx(process)
        reading = asyncio.create_task(system.read())
        yield system
        reading.cancel()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


class FastKokoro:
    """fastkokoro's HTTP server, streaming by sentences, which is its default."""

    name = "fastkokoro"

    def __init__(self, client: httpx.AsyncClient, process: psutil.Process) -> None:
        self._client = client
        self._process = process

    async def say(self, slot: int, text: str, voice: str) -> Outcome:
        """Asks for PCM and times each piece of the body."""
        body = {"input": text, "voice": voice, "response_format": "pcm", "stream": True}
        begun, size, arrivals = time.perf_counter(), 0, []
        async with self._client.stream("POST", "/v1/audio/speech", json=body) as answer:
            if answer.status_code != 200:
                return Refused(f"HTTP {answer.status_code}: {(await answer.aread()).decode()}")
            async for piece in answer.aiter_raw():
                size += len(piece)
                arrivals.append(Arrival(time.perf_counter() - begun, size // 2))
        return Heard(tuple(arrivals), RATE, size) if arrivals else Refused("no sound came")

    def cpu_s(self) -> float:
        return _cpu_s(self._process)


@asynccontextmanager
async def fastkokoro(weights: Weights) -> AsyncIterator[System]:
    """The server on a free port, ready. Raises NotStarted."""
    program = Path(sys.executable).with_name("fastkokoro")
    if not program.is_file():
        raise NotStarted("fastkokoro is not installed")
    port = _free_port()
    given = {
        "MODEL_PATH": weights.model,
        "VOICES_PATH": weights.voices,
        "CACHE_DIR": weights.folder / "fastkokoro",
        "HOST": "127.0.0.1",
        "PORT": port,
    }
    env = os.environ | {f"FASTKOKORO_{key}": str(value) for key, value in given.items()}
    with child([str(program)], env) as (process, printed):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=None) as client:
            await _healthy(client, lambda: process.poll() is None, printed)
            yield FastKokoro(client, psutil.Process(process.pid))


async def _healthy(client: httpx.AsyncClient, alive: Alive, printed: Printed) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and alive():
        try:
            if (await client.get("/health")).is_success:
                return
        except httpx.TransportError:
            await asyncio.sleep(0.2)
    raise NotStarted(printed.tail())


class Alive(Protocol):
    def __call__(self) -> bool: ...


def _free_port() -> int:
    with serving.listen(Address(port=0)) as listening_on:
        return int(listening_on.getsockname()[1])


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it ended without a word"
