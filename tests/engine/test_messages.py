from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import pytest

from engine.errors import StageFailed
from engine.messages import (
    CLIENT,
    Abort,
    Aborted,
    Ack,
    Admitted,
    Binding,
    Chunk,
    CreditUpdate,
    Done,
    Error,
    Inbound,
    Mail,
    NewRequest,
    Noticed,
    Outbound,
    Outgoing,
    Result,
    StageAddress,
    StreamItem,
    Taken,
)
from engine.types import Credit, Epoch, Notice, RequestId
from tests.engine.arithmetic import say
from tests.engine.schedulers.driving import job

A = job("a")
HERE = StageAddress("talker", 1)
MESSAGES: list[Inbound | Outgoing | Outbound] = [
    NewRequest(A, say("hi", "a"), Binding((HERE,))),
    Chunk(A, CLIENT, "hi"),
    Done(A, "thinker", broken=True),
    Abort(A, ("thinker",)),
    CreditUpdate(A, Credit(3, 1.5)),
    Ack(A, "code2wav"),
    Admitted(A),
    StreamItem(A, (1, 2)),
    Noticed(A, Notice(RequestId("a"), Epoch(0), "code", "text")),
    Taken(A),
    Result(A),
    Aborted(A),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_messages_can_cross_a_process_and_never_change(message: Inbound | Outgoing) -> None:
    assert pickle.loads(pickle.dumps(message)) == message
    with pytest.raises(FrozenInstanceError):
        message.job = A  # type: ignore[misc]


def test_an_error_crosses_with_its_kind_and_its_words() -> None:
    mail = pickle.loads(pickle.dumps(Mail(HERE, Error(A, StageFailed("talker: no")))))
    assert isinstance(mail.message.error, StageFailed)
    assert str(mail.message.error) == "talker: no"


def test_a_binding_knows_the_replica_of_each_stage() -> None:
    assert Binding((HERE,)).of("talker") == HERE
    with pytest.raises(KeyError):
        Binding((HERE,)).of("thinker")
