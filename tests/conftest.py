"""A test that leaves a task or a thread behind fails, and none passes or fails by the processor's
speed."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.two_nodes import TwoNodes

TOGETHER = {"browser": "browser", "two_nodes": "two_nodes"}
"""Fixtures that are dear, or that the machine has room for once: whatever uses one of them is run
by one worker. The tests of a file are too, for what they share."""

GRACE_S = 60.0
"""How long threads that were told to end may take, on the slowest of machines."""

settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("dear"):
            item.add_marker(pytest.mark.long)
        if item.get_closest_marker("xdist_group"):
            continue
        used = (TOGETHER[name] for name in getattr(item, "fixturenames", ()) if name in TOGETHER)
        item.add_marker(pytest.mark.xdist_group(next(used, str(item.path))))


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    until = time.monotonic() + GRACE_S
    for thread in set(threading.enumerate()) - before:
        thread.join(max(0.0, until - time.monotonic()))
    left = [thread.name for thread in set(threading.enumerate()) - before]
    assert not left, f"threads left running: {left}"


@pytest.fixture
async def no_leaked_tasks() -> AsyncIterator[None]:
    before = asyncio.all_tasks()
    yield
    left = [task for task in asyncio.all_tasks() - before if task is not asyncio.current_task()]
    assert not left, f"tasks left running: {left}"


@pytest.fixture(autouse=True)
def nothing_leaks(request: pytest.FixtureRequest, no_leaked_threads: None) -> None:
    function = getattr(request.node, "function", None)
    if inspect.iscoroutinefunction(function):
        request.getfixturevalue("no_leaked_tasks")


@pytest.fixture(scope="session")
def two_nodes() -> Iterator[TwoNodes]:
    """Both are there at the beginning of each test, and after it."""
    from tests.two_nodes import TwoNodes

    nodes = TwoNodes()
    yield nodes
    nodes.close()
