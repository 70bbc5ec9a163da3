from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import StageFailed
from engine.graph import Edge, Graph, StageSpec, Streaming
from engine.intake import BreakOff, Feed, Intake, Path, Report, Step
from engine.messages import (
    CLIENT,
    Abort,
    Aborted,
    Ack,
    Binding,
    Chunk,
    CreditUpdate,
    Done,
    Error,
    Inbound,
    NewRequest,
    SourceGone,
    StageAddress,
)
from engine.types import Credit
from tests.engine.arithmetic import Watch, graph, make_talker, say
from tests.engine.schedulers.driving import job

A = job("a")
BINDING = Binding((StageAddress("talker", 0), StageAddress("code2wav", 0)))
PATH = Path(BINDING, (Edge("code2wav"),))
NEW = NewRequest(A, say("", "a"), BINDING)


def talker() -> Intake:
    return Intake(graph(Watch()), "talker")


def take(intake: Intake, *messages: Inbound) -> list[Step]:
    return [step for message in messages for step in intake.take(message)]


def test_the_end_before_the_request_itself_comes_after_it() -> None:
    chunks = [Chunk(A, "thinker", n) for n in range(3)]
    done = Done(A, "thinker")
    stream: list[Inbound] = [NEW, *chunks, done]
    assert take(talker(), *chunks, done, NEW) == [Feed(m) for m in stream]


@given(split=st.integers(0, 4))
def test_order_is_the_same_wherever_the_request_comes_in(split: int) -> None:
    stream: list[Inbound] = [*(Chunk(A, "thinker", n) for n in range(3)), Done(A, "thinker")]
    steps = take(talker(), *stream[:split], NEW, *stream[split:])
    assert steps == [Feed(m) for m in (NEW, *stream)]


def test_an_abort_is_answered_once_the_edge_in_is_dry() -> None:
    intake = talker()
    take(intake, NEW, Chunk(A, "thinker", 1))
    assert take(intake, Abort(A)) == [Feed(Abort(A)), BreakOff(A, PATH)]
    assert take(intake, Chunk(A, "thinker", 2)) == []
    assert take(intake, Done(A, "thinker", broken=True)) == [Report(Aborted(A))]
    assert intake.records() == 0


def test_a_broken_edge_drops_the_request_before_its_abort_comes() -> None:
    intake = talker()
    take(intake, NEW)
    broken = Done(A, "thinker", broken=True)
    assert take(intake, broken) == [Feed(Abort(A)), BreakOff(A, PATH)]
    assert take(intake, Abort(A)) == [Report(Aborted(A))]
    assert intake.records() == 0


def test_a_stage_that_died_is_not_waited_for() -> None:
    intake = talker()
    take(intake, NEW, Abort(A))
    assert take(intake, Abort(A, gone=("thinker",))) == [Report(Aborted(A))]


def test_the_entry_waits_for_no_end_of_the_client() -> None:
    intake = Intake(graph(Watch()), "thinker")
    take(intake, NEW, Chunk(A, CLIENT, "hi"))
    assert take(intake, Abort(A))[-1] == Report(Aborted(A))


def test_what_comes_for_a_request_that_is_over_leaves_no_trace() -> None:
    intake = talker()
    take(intake, NEW, Done(A, "thinker"))
    intake.finished(A)
    late = (Abort(A), Ack(A, "code2wav"), CreditUpdate(A, Credit(1)))
    assert take(intake, *late) == []
    assert intake.records() == 0


def test_a_failed_request_waits_for_its_abort() -> None:
    intake = talker()
    take(intake, NEW)
    assert intake.failed(A) == [BreakOff(A, PATH)]
    assert intake.is_lost(A)
    assert take(intake, Chunk(A, "thinker", 1), Done(A, "thinker")) == []
    assert take(intake, Abort(A)) == [Report(Aborted(A))]


def by_name(payloads: Mapping[str, object]) -> object:
    return [payloads[name] for name in sorted(payloads)]


def failing(payloads: Mapping[str, object]) -> object:
    raise KeyError("picture")


def fan_in(merge: object = by_name) -> Intake:
    work = Streaming(partial(make_talker, Watch()))
    into = (Edge("join", "payload"),)
    stages = (
        StageSpec("start", work, tuple(Edge(n, "payload") for n in ("x", "y", "z"))),
        *(StageSpec(name, work, into) for name in ("x", "y", "z")),
        StageSpec("join", work, end=True, merge=merge),  # type: ignore[arg-type]
    )
    return Intake(Graph(stages, "start"), "join")


@pytest.mark.parametrize("order", list(itertools.permutations("xyz")))
def test_payloads_are_joined_by_name_in_any_order_of_arrival(order: tuple[str, ...]) -> None:
    intake = fan_in()
    take(intake, NEW)
    steps = [take(intake, Chunk(A, name, name.upper()), Done(A, name)) for name in order]
    assert steps[:2] == [[], []]
    joined, done = steps[2]
    assert joined == Feed(Chunk(A, "join", ["X", "Y", "Z"]))
    assert isinstance(done, Feed)
    assert isinstance(done.message, Done)


def test_a_merge_that_raises_fails_the_request() -> None:
    intake = fan_in(failing)
    take(intake, NEW)
    steps = take(intake, *(Done(A, name) for name in "xyz"))
    assert steps[:2] == [Feed(Abort(A)), BreakOff(A, Path(BINDING, ()))]
    assert isinstance(steps[2], Report)
    assert isinstance(steps[2].message, Error)
    assert "join: merge: KeyError" in str(steps[2].message.error)
    assert take(intake, Abort(A)) == [Report(Aborted(A))]


def test_a_second_payload_on_one_edge_fails_the_request() -> None:
    intake = fan_in()
    take(intake, NEW, Chunk(A, "x", 1))
    (*_, last) = take(intake, Chunk(A, "x", 2))
    assert isinstance(last, Report)
    assert "x sent a second payload" in str(getattr(last.message, "error", None))


GONE = BINDING.of("talker")


def vocoder() -> Intake:
    return Intake(graph(Watch()), "code2wav")


def test_a_request_that_waits_for_a_source_that_is_gone_fails() -> None:
    intake = vocoder()
    take(intake, NEW)
    error = StageFailed("gone")
    steps = intake.take(SourceGone(GONE, error))
    assert steps == [Feed(Abort(A)), BreakOff(A, Path(BINDING, ())), Report(Error(A, error))]
    assert take(intake, Abort(A)) == [Report(Aborted(A))]
    assert intake.records() == 0


def test_a_request_that_had_all_from_a_source_that_is_gone_goes_on() -> None:
    intake = vocoder()
    take(intake, NEW, Done(A, "talker"))
    assert intake.take(SourceGone(GONE, StageFailed("gone"))) == []
    assert not intake.is_lost(A)


def test_an_aborted_request_is_given_back_when_its_source_is_gone() -> None:
    intake = vocoder()
    take(intake, NEW, Abort(A))
    assert intake.take(SourceGone(GONE, StageFailed("gone"))) == [Report(Aborted(A))]


def test_another_replica_that_is_gone_ends_nothing() -> None:
    intake = vocoder()
    take(intake, NEW)
    assert intake.take(SourceGone(StageAddress("talker", 1), StageFailed("gone"))) == []
