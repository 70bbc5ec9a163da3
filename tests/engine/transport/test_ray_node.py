"""What is held of messages whatever carries them, without Ray: here calls are made by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from queue import Queue

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import StageFailed
from engine.messages import CreditUpdate, Job
from engine.transport.node import PROCESS, Origin
from engine.transport.ray_node import AT_ONCE, Bag, Courier, Entry, Outlet, RayNode
from engine.types import Credit, Epoch, RequestId
from tests.patience import PATIENCE_S

ONE, TWO = Origin(1), Origin(2)


class Road:
    """Carries to a node, one call at a time, each when the test lets it."""

    def __init__(self, to: RayNode, sender: Origin) -> None:
        self.calls: list[int] = []
        self.broken = False
        self.go: Queue[None] = Queue()
        self._to = to
        self._sender = sender

    def __call__(self, entries: Sequence[Entry]) -> None:
        self.go.get(timeout=PATIENCE_S)
        if self.broken:
            raise ConnectionError("the road is out")
        self.calls.append(len(entries))
        self._to.put(self._sender, entries)

    def open(self) -> None:
        for _ in range(1000):
            self.go.put(None)


def nowhere(peer: Origin, endpoint: str) -> Outlet:
    raise ConnectionError(f"nobody is called {endpoint}")


class Pair:
    """One that sends to two over a road; `lost` is set when that fails."""

    def __init__(self, offset: float = 0.0) -> None:
        self.lost = threading.Event()
        self.two = RayNode(TWO, nowhere)
        self.two.join(ONE, Bag())
        self.road = Road(self.two, ONE)
        self.one = RayNode(ONE, self._dial, offset)
        self.one.connect(TWO, "two")

    def _dial(self, peer: Origin, endpoint: str) -> Outlet:
        assert (peer, endpoint) == (TWO, "two")
        return Courier(endpoint, self.road, self.lost.set)

    def received(self, count: int) -> list[object]:
        found = [self.two.receive(PATIENCE_S) for _ in range(count)]
        return [envelope.message for envelope in found if envelope is not None]

    def close(self) -> None:
        self.one.close()
        self.two.close()
        self.road.open()


@pytest.fixture
def pair() -> Pair:
    return Pair()


def test_what_gathers_while_a_call_is_under_way_goes_with_the_next(pair: Pair) -> None:
    """And stays in order. However much there is, a call takes no more than AT_ONCE."""
    pair.one.send(2, 0, "first")
    pair.road.go.put(None)
    assert pair.received(1) == ["first"]
    pair.one.send(2, 0, "alone, as it was there first")
    sent = [f"message {i}" for i in range(AT_ONCE + 40)]
    for message in sent:
        pair.one.send(2, 0, message)
    pair.road.open()
    assert pair.received(1 + len(sent))[1:] == sent
    assert pair.road.calls[0] == 1
    assert max(pair.road.calls) <= AT_ONCE
    assert len(pair.road.calls) <= 4
    pair.close()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.randoms())
@settings(max_examples=20)
def test_order_is_held_from_several_threads_to_one(bursts: list[int], chance: object) -> None:
    """Of each sender's messages, whatever the bursts that they come in."""
    pair = Pair()
    pair.road.open()

    def send(sender: int) -> None:
        for burst in bursts:
            for number in range(burst):
                pair.one.send(2, 0, (sender, burst, number))

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(2)]
    for thread in threads:
        thread.start()
    got = pair.received(2 * sum(bursts))
    for sender in range(2):
        own = [message[1:] for message in got if message[0] == sender]  # type: ignore[index]
        assert own == [(burst, number) for burst in bursts for number in range(burst)]
    pair.close()


def test_arrays_arrive_as_the_receivers_own(pair: Pair) -> None:
    """It may write into them, as it may where they come through shared memory."""
    array = np.arange(20_000, dtype=np.int16)
    pair.road.open()
    pair.one.send(2, 3, array)
    envelope = pair.two.receive(PATIENCE_S)
    assert envelope is not None
    assert (envelope.origin, envelope.to) == (ONE, 3)
    assert envelope.size > array.nbytes
    got = envelope.message
    assert isinstance(got, np.ndarray)
    np.testing.assert_array_equal(got, array)
    got[0] = 7
    assert array[0] == 0
    pair.close()


def test_when_it_was_sent_is_told_by_the_receivers_clock() -> None:
    """The clock of host one is 100 s behind the server's, that of host two 30 s before it."""
    pair = Pair(offset=100.0)
    pair.two = RayNode(TWO, nowhere, offset=-30.0)
    pair.two.join(ONE, Bag())
    pair.road = Road(pair.two, ONE)
    pair.one.connect(TWO, "two")
    pair.road.open()
    before = time.monotonic()
    pair.one.send(2, PROCESS, "now")
    envelope = pair.two.receive(PATIENCE_S)
    assert envelope is not None
    assert before + 130 <= envelope.sent <= time.monotonic() + 130
    pair.close()


def test_credit_says_when_a_take_plays_by_the_receivers_clock() -> None:
    pair = Pair()
    pair.two = RayNode(TWO, nowhere, offset=-30.0)
    pair.two.join(ONE, Bag())
    pair.road = Road(pair.two, ONE)
    pair.one.connect(TWO, "two")
    pair.road.open()
    job = Job(RequestId("r"), Epoch(0))
    for plays_at in (5.0, None):
        pair.one.send(2, PROCESS, CreditUpdate(job, Credit(480, plays_at)))
    credits = [envelope.message.credit for _ in range(2) if (envelope := pair.two.receive(5))]
    assert credits == [Credit(480, 35.0), Credit(480, None)]
    pair.close()


def test_last_words_of_an_earlier_life_are_let_fall(pair: Pair) -> None:
    pair.road.open()
    pair.one.send(2, 0, "of the first life")
    while not pair.road.calls:
        time.sleep(0.001)
    again = RayNode(Origin(1, 1), lambda peer, endpoint: Courier("two", late, pair.lost.set))
    late = Road(pair.two, again.me)
    late.open()
    pair.two.join(again.me, Bag())
    again.connect(TWO, "two")
    again.send(2, 0, "of the second")
    assert pair.received(1) == ["of the second"]
    pair.two.drop(1, starts=0)
    again.send(2, 0, "still its peer")
    assert pair.received(1) == ["still its peer"]
    pair.two.drop(1, starts=1)
    again.send(2, 0, "no more")
    assert pair.two.receive(0.05) is None
    again.close()
    pair.close()


def test_a_road_that_is_out_is_told_once_and_nothing_waits_for_it(pair: Pair) -> None:
    pair.road.broken = True
    pair.one.send(2, 0, "lost")
    pair.road.go.put(None)
    assert pair.lost.wait(PATIENCE_S)
    pair.lost.clear()
    for _ in range(3):
        pair.one.send(2, 0, "let fall")
    pair.close()
    assert not pair.lost.is_set()


def test_a_peer_that_was_dropped_is_not_told_as_lost(pair: Pair) -> None:
    pair.road.broken = True
    pair.one.send(2, 0, "on its way when it died")
    pair.one.drop(2)
    pair.road.go.put(None)
    assert not pair.lost.wait(0.1)
    pair.close()


def test_nobody_is_at_an_endpoint_that_is_gone() -> None:
    node = RayNode(ONE, nowhere)
    node.connect(TWO, "two")
    node.send(2, 0, "to nobody")
    node.close()


def test_what_cannot_be_sent_is_the_senders_failure_alone(pair: Pair) -> None:
    pair.road.open()
    with pytest.raises(StageFailed, match="function can't leave its process"):
        pair.one.send(2, 0, lambda: None)
    pair.one.send(2, 0, "and this goes")
    assert pair.received(1) == ["and this goes"]
    pair.close()


def test_whoever_waits_can_be_woken(pair: Pair) -> None:
    pair.two.wake()
    assert pair.two.receive(PATIENCE_S) is None
    assert pair.two.receive() is None
    pair.close()


def test_a_bag_gives_what_it_holds_after_it_was_closed() -> None:
    bag = Bag()
    bag.put((0, 0.0, b"last"))
    bag.close()
    bag.put((0, 0.0, b"late"))
    assert bag.take(1) == [(0, 0.0, b"last")]
    assert bag.take(1) is None
    assert Bag().take(1, 0.0) == []


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(0, 100))
def test_a_bag_gives_all_in_order_and_never_too_much_at_once(sizes: list[int], most: int) -> None:
    bag = Bag()
    for number, size in enumerate(sizes):
        bag.put((number, 0.0, bytes(size)))
    bag.close()
    got: list[int] = []
    while (entries := bag.take(most)) is not None:
        assert len(entries) == 1 or sum(len(data) for _, _, data in entries) <= most
        got += [number for number, _, _ in entries]
    assert got == list(range(len(sizes)))
