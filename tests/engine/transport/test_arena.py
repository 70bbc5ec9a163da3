"""Who has a block and when it is free again."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.transport.arena import ArenaReader, ArenaWriter, Block, close_all, nameless

SIZE = 2**20


@pytest.fixture
def descriptor() -> Iterator[int]:
    descriptor = nameless(SIZE)
    yield descriptor
    close_all((descriptor,))


def put(writer: ArenaWriter, data: bytes) -> Block:
    block = writer.put(memoryview(data))
    assert block is not None
    return block


def test_what_is_put_is_taken_and_given_back_with_its_last_view(descriptor: int) -> None:
    writer, reader = ArenaWriter(descriptor), ArenaReader(descriptor)
    data = os.urandom(50_000)
    view = reader.take(put(writer, data))
    array = np.frombuffer(view, np.uint8)
    part = array[10:20]
    assert bytes(view) == data
    del view, array
    assert writer.used() == 1
    del part
    assert writer.used() == 0


def test_what_is_copied_out_is_free_at_once(descriptor: int) -> None:
    writer, reader = ArenaWriter(descriptor), ArenaReader(descriptor)
    copy = reader.copy(put(writer, b"x" * 40_000))
    assert writer.used() == 0
    put(writer, b"y" * 40_000)
    assert bytes(copy) == b"x" * 40_000


def test_a_full_arena_says_so_and_has_room_again(descriptor: int) -> None:
    writer, reader = ArenaWriter(descriptor), ArenaReader(descriptor)
    views = []
    while (block := writer.put(memoryview(b"z" * 100_000))) is not None:
        views.append(reader.take(block))
    assert len(views) == (SIZE - 32_768) // 131_072
    views.pop(0)
    assert writer.put(memoryview(b"z" * 100_000)) is not None


def test_memory_has_no_name_and_two_ends(descriptor: int) -> None:
    """Both ends map it on their own, so either may be the last to let go."""
    writer = ArenaWriter(descriptor)
    block = put(writer, b"q" * 20_000)
    again = os.dup(descriptor)
    reader = ArenaReader(again)
    close_all((again,))
    del writer
    assert bytes(reader.take(block)) == b"q" * 20_000


@given(steps=st.lists(st.tuples(st.integers(1, 120_000), st.booleans()), max_size=60))
def test_blocks_never_overlap_and_always_balance(steps: list[tuple[int, bool]]) -> None:
    descriptor = nameless(SIZE)
    writer, reader = ArenaWriter(descriptor), ArenaReader(descriptor)
    close_all((descriptor,))
    held: list[tuple[int, memoryview]] = []
    for number, (size, drop) in enumerate(steps):
        if drop and held:
            held.pop(size % len(held))
        block = writer.put(memoryview(bytes([number]) * size))
        if block is not None:
            held.append((number, reader.take(block)))
        assert writer.used() == len(held)
    assert [set(bytes(view)) for _, view in held] == [{number} for number, _ in held]
    held.clear()
    assert writer.used() == 0
