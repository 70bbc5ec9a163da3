from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator

import pytest

from engine.build import start
from engine.coordinator import Coordinator
from tests.engine.arithmetic import Watch, family


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def engine(watch: Watch) -> AsyncIterator[Coordinator]:
    """The arithmetic family in threads; after the test all must be given back."""
    made = await start(family(watch))
    yield made
    await made.close()
    made.check_integrity()


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    yield
    left = [t.name for t in threading.enumerate() if t.name.startswith("stage:")]
    assert not left, f"threads left behind: {left}"
