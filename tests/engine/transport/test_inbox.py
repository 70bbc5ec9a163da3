from __future__ import annotations

import threading

import pytest

from engine.messages import Abort, Ack, Chunk, CreditUpdate, Done, Inbound
from engine.transport.inbox import Inbox, InboxOverflow
from engine.types import Credit
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
