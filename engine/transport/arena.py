"""Memory that two processes share, for arrays too large to be sent.

An arena belongs to one sender and one receiver and has no name: its file descriptor is handed to
both, so the kernel frees it when the last of them is gone, however they end. Named shared memory
would outlive whoever is killed before it could unlink it.

Who frees a block: the sender takes it and marks it used, and from the message on it is the
receiver's, who marks it free once the last array in it is dropped. The sender reads that mark when
it next wants a block. If either process dies, the other drops the whole arena.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

INLINE_BYTES = 16_384
"""Arrays up to so large travel within the message."""
ARENA_BYTES = 256 * 2**20
"""Address space of an arena. Only what was used once takes memory."""
_MARKS = 16_384
"""Blocks that an arena can have: a byte each, at its start, says whether the block is used."""
_SMALLEST = 32_768
_FREE, _USED = 0, 1


@dataclass(frozen=True, slots=True)
class Block:
    """number: of its mark. at, size: bytes of the arena."""

    number: int
    at: int
    size: int


def nameless(size: int) -> int:
    """A file descriptor of `size` zero bytes that can be shared and has no name anywhere."""
    if sys.platform == "linux":
        descriptor = os.memfd_create("voice-server", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor


def _mapped(descriptor: int) -> NDArray[np.uint8]:
    """All of it as bytes; unmapped when the last array over it is dropped."""
    memory = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
    return np.frombuffer(memory, np.uint8)


class ArenaWriter:
    """The sender's side. Blocks are of sizes that double, and the lowest free one of a size is
    used first: it was used last and is likely still in the cache. Called under the sender's lock.
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = _mapped(descriptor)
        self._blocks: dict[int, list[Block]] = {}
        self._count = 0
        self._end = max(_MARKS, _SMALLEST)

    def put(self, data: memoryview) -> Block | None:
        """A copy of `data` (contiguous bytes); None if there is no room for it now."""
        block = self._free(_rounded(data.nbytes))
        if block is None:
            return None
        self._memory[block.number] = _USED
        np.copyto(self._memory[block.at : block.at + data.nbytes], np.frombuffer(data, np.uint8))
        return Block(block.number, block.at, data.nbytes)

    def give_back(self, block: Block) -> None:
        """For a block whose message could not be sent."""
        self._memory[block.number] = _FREE

    def used(self) -> int:
        """Blocks that are the receiver's now."""
        return int(np.count_nonzero(self._memory[: self._count]))

    def _free(self, size: int) -> Block | None:
        blocks = self._blocks.setdefault(size, [])
        for block in blocks:
            if self._memory[block.number] == _FREE:
                return block
        if self._count == _MARKS or self._end + size > len(self._memory):
            return None
        block = Block(self._count, self._end, size)
        self._count, self._end = self._count + 1, self._end + size
        blocks.append(block)
        return block


class ArenaReader:
    """The receiver's side."""

    def __init__(self, descriptor: int) -> None:
        self._memory = _mapped(descriptor)

    def take(self, block: Block) -> memoryview:
        """The block's bytes, writable; the block is given back when the last array (or view) over
        them is dropped."""
        view = self._memory[block.at : block.at + block.size].view()
        weakref.finalize(view, _mark_free, self._memory, block.number).atexit = False
        return view.data

    def copy(self, block: Block) -> memoryview:
        """The block's bytes as memory of this process; the block is given back at once."""
        data = self._memory[block.at : block.at + block.size].copy().data
        self._memory[block.number] = _FREE
        return data


def _mark_free(memory: NDArray[np.uint8], number: int) -> None:
    memory[number] = _FREE


def _rounded(size: int) -> int:
    return max(_SMALLEST, 1 << (size - 1).bit_length())


def close_all(descriptors: Iterable[int]) -> None:
    """Closes what was handed on; those that are closed already are passed over."""
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)
