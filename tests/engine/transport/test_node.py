"""Two ends of a connection between processes, in one process."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
import zmq

from engine.errors import StageFailed
from engine.transport.arena import ARENA_BYTES, INLINE_BYTES, close_all, nameless
from engine.transport.node import PROCESS, Endpoints, Node, Origin
from tests.patience import PATIENCE_S

ONE, TWO = Origin(1), Origin(2)


@dataclass
class Pair:
    one: Node
    two: Node
    endpoints: Endpoints

    def join(self, one: Origin = ONE, two: Origin = TWO) -> None:
        there, back = nameless(ARENA_BYTES), nameless(ARENA_BYTES)
        self.one.connect(two, self.two.endpoint, there, back)
        self.two.connect(one, self.one.endpoint, back, there)
        close_all((there, back))


@pytest.fixture
def pair() -> Iterator[Pair]:
    endpoints = Endpoints()
    one = Node(ONE, endpoints.new(), keep=True)
    two = Node(TWO, endpoints.new(), keep=False)
    pair = Pair(one, two, endpoints)
    pair.join()
    yield pair
    one.close()
    two.close()
    endpoints.close()


@pytest.mark.parametrize("size", [0, 1, INLINE_BYTES, INLINE_BYTES + 1, 2**21])
@pytest.mark.parametrize("back", [False, True])
def test_arrays_of_any_size_arrive_as_they_were(pair: Pair, size: int, back: bool) -> None:
    array = np.random.default_rng(size).integers(0, 255, size, np.uint8)
    sender, receiver = (pair.two, pair.one) if back else (pair.one, pair.two)
    sender.send(receiver.me.number, 7, (array, "with", {"it": array[:3]}))
    envelope = receiver.receive(PATIENCE_S)
    assert envelope is not None
    assert (envelope.origin, envelope.to) == (sender.me, 7)
    got, word, more = envelope.message  # type: ignore[misc]
    np.testing.assert_array_equal(got, array)
    np.testing.assert_array_equal(more["it"], array[:3])
    assert word == "with"
    assert got.flags.writeable, "what is received belongs to the receiver"


def test_order_is_kept_whatever_the_size(pair: Pair) -> None:
    for number in range(200):
        pair.one.send(2, 0, (number, np.zeros(number * 997 % 60_000, np.uint8)))
    got = [pair.two.receive(PATIENCE_S) for _ in range(200)]
    assert [envelope.message[0] for envelope in got if envelope] == list(range(200))  # type: ignore[index]


def test_more_than_an_arena_holds_arrives_too(pair: Pair) -> None:
    pair.one.send(2, 0, np.zeros(ARENA_BYTES + 1, np.uint8))
    envelope = pair.two.receive(PATIENCE_S)
    assert envelope is not None
    assert envelope.message.nbytes == ARENA_BYTES + 1  # type: ignore[attr-defined]


def test_the_last_words_of_one_that_was_started_again_are_let_fall(pair: Pair) -> None:
    pair.one.send(2, 0, "old")
    pair.two.drop(1, 0)
    assert pair.two.receive(0.05) is None
    again = Node(Origin(1, 1), pair.endpoints.new(), keep=True)
    there, back = nameless(ARENA_BYTES), nameless(ARENA_BYTES)
    pair.two.connect(again.me, again.endpoint, back, there)
    again.connect(TWO, pair.two.endpoint, there, back)
    close_all((there, back))
    pair.one.send(2, 0, "still old")
    again.send(2, 0, "new")
    envelope = pair.two.receive(PATIENCE_S)
    assert envelope is not None
    assert envelope.message == "new"
    again.close()


def test_nothing_goes_to_one_that_is_not_there(pair: Pair) -> None:
    pair.one.drop(2)
    pair.one.send(2, PROCESS, "nobody")
    assert pair.two.receive(0.05) is None


def test_dropping_an_earlier_life_leaves_the_one_of_now(pair: Pair) -> None:
    pair.one.drop(2, starts=5)
    pair.one.send(2, 0, "there")
    assert pair.two.receive(PATIENCE_S) is not None


def test_what_can_not_be_sent_is_told_and_sends_nothing(pair: Pair) -> None:
    with pytest.raises(StageFailed, match="can't leave its process"):
        pair.one.send(2, 0, threading.Lock())
    assert pair.two.receive(0.05) is None


def test_waiting_ends_when_it_is_woken(pair: Pair) -> None:
    found: list[object] = ["nothing yet"]
    waiting = threading.Thread(target=lambda: found.append(pair.two.receive(3 * PATIENCE_S)))
    waiting.start()
    pair.two.wake()
    waiting.join(PATIENCE_S)
    assert found[-1] is None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have folders with permissions")
def test_only_our_own_user_may_connect(pair: Pair) -> None:
    """The kernel says who is at the other end; a node of another user would not hear us."""
    with zmq.Context() as context, context.socket(zmq.PULL) as other:
        other.setsockopt(zmq.IPC_FILTER_UID, os.getuid() + 1)
        other.bind(pair.endpoints.new())
        with context.socket(zmq.PUSH) as us:
            us.setsockopt(zmq.LINGER, 0)
            us.connect(other.getsockopt_string(zmq.LAST_ENDPOINT))
            us.send(b"anyone there?")
            assert other.poll(200) == 0
