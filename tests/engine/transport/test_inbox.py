from __future__ import annotations

import threading

import pytest

from engine.messages import Abort, Ack, Binding, Chunk, CreditUpdate, Done, Inbound, NewRequest
from engine.transport.inbox import Inbox, InboxOverflow
from engine.types import Credit, Utterance
from tests.engine.schedulers.driving import job

A = job("a")


def test_messages_come_in_order_all_at_once() -> None:
    inbox = Inbox("stage:x/0", 10)
    sent: list[Inbound] = [Chunk(A, "up", 1), Ack(A, "down"), Done(A, "up")]
    for message in sent:
        inbox.put(message)
    assert (inbox.depth(), inbox.owed()) == (3, 2)
    assert inbox.take(None) == sent
    assert (inbox.depth(), inbox.owed()) == (0, 0)


def test_only_the_newest_credit_of_a_request_is_kept() -> None:
    inbox = Inbox("stage:x/0", 3)
    for until in range(100):
        inbox.put(CreditUpdate(A, Credit(until)))
    inbox.put(Abort(A))
    assert inbox.take(None) == [CreditUpdate(A, Credit(99)), Abort(A)]
    inbox.put(CreditUpdate(A, Credit(100)))
    assert inbox.take(None) == [CreditUpdate(A, Credit(100))]


def test_more_than_the_bound_is_a_fault_that_names_the_inbox() -> None:
    inbox = Inbox("stage:x/0", 2)
    inbox.put(Chunk(A, "up", 1))
    inbox.put(Chunk(A, "up", 2))
    with pytest.raises(InboxOverflow, match="stage:x/0 holds 2"):
        inbox.put(Chunk(A, "up", 3))


def test_nothing_there_is_not_waited_for_longer_than_said() -> None:
    inbox = Inbox("stage:x/0", 2)
    assert inbox.take(0) == []
    assert inbox.take(0.001) == []


def test_closing_wakes_the_reader_and_lets_the_rest_fall() -> None:
    inbox = Inbox("stage:x/0", 2)
    seen: list[object] = []
    reader = threading.Thread(target=lambda: seen.append(inbox.take(None)))
    reader.start()
    inbox.close()
    reader.join()
    inbox.put(Chunk(A, "up", 1))
    assert seen == [None]
    assert inbox.depth() == 0


def begun(name: str) -> NewRequest:
    one = job(name)
    return NewRequest(one, Utterance(one.request, one.epoch, "Hello.", "v"), Binding(()))


def test_a_new_request_wakes_nobody_and_is_read_before_what_comes_of_it() -> None:
    inbox = Inbox("stage:x/0", 4)
    seen: list[object] = []
    reader = threading.Thread(target=lambda: seen.append(inbox.take(None)))
    reader.start()
    inbox.put(begun("a"))
    reader.join(0.05)
    assert reader.is_alive()
    assert (inbox.depth(), inbox.owed()) == (1, 1)
    inbox.put(Chunk(A, "up", 1))
    reader.join()
    assert seen == [[begun("a"), Chunk(A, "up", 1)]]
    assert (inbox.depth(), inbox.owed()) == (0, 0)


def test_a_reader_that_looks_by_itself_finds_a_new_request() -> None:
    inbox = Inbox("stage:x/0", 4)
    inbox.put(begun("a"))
    assert inbox.take(0) == [begun("a")]


def test_new_requests_count_towards_the_bound() -> None:
    inbox = Inbox("stage:x/0", 1)
    inbox.put(begun("a"))
    with pytest.raises(InboxOverflow):
        inbox.put(begun("b"))
