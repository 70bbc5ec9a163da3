from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, TypeAlias

import pytest

from engine import build
from engine.coordinator import Coordinator
from engine.family import Family
from engine.topology import Topology
from tests.engine.arithmetic import Watch, family

Starter: TypeAlias = Callable[..., Coroutine[Any, Any, Coordinator]]


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    yield
    left = [t.name for t in threading.enumerate() if t.name.startswith("stage:")]
    assert not left, f"threads left behind: {left}"


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def start() -> AsyncIterator[Starter]:
    """Starts engines as `engine.build.start` does; after the test all must be given back."""
    started: list[Coordinator] = []

    async def begin(family: Family, topology: Topology | None = None) -> Coordinator:
        started.append(await build.start(family, topology))
        return started[-1]

    yield begin
    for engine in started:
        await engine.close()
    for engine in started:
        engine.check_integrity()


@pytest.fixture
async def engine(start: Starter, watch: Watch) -> Coordinator:
    """The arithmetic family, one thread a stage."""
    return await start(family(watch))
