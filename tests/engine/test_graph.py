from __future__ import annotations

import pytest

from engine.errors import GraphError
from engine.graph import Edge, Graph, StageSpec, Streaming, Vocoder, Worker
from engine.runners import StreamRunner
from tests.engine.arithmetic import RATE, Code2Wav, State, Talker, Watch, graph


def make(worker: Worker) -> StreamRunner[State, tuple[int, ...], int]:
    return Talker(Watch())


def stage(name: str, *to: str | Edge, end: bool = False, merge: bool = False) -> StageSpec:
    edges = tuple(Edge(t) if isinstance(t, str) else t for t in to)
    return StageSpec(name, Streaming(make), edges, end, dict if merge else None)


def voice(name: str, *to: str, end: bool = False) -> StageSpec:
    edges = tuple(Edge(t) for t in to)
    return StageSpec(name, Vocoder(lambda worker: Code2Wav(Watch()), RATE), edges, end)


def whole(target: str) -> Edge:
    return Edge(target, "payload")


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ((voice("a", "b"), stage("b", end=True)), r"stages\.a: a vocoder's sound goes to the"),
        ((stage("a"),), r"stages\.a: has neither a target \(to\) nor an end"),
        ((stage("a", "x"),), r"stages\.a\.to: no stage 'x'; stages are a"),
        ((stage("a", "b", "b"), stage("b", end=True)), r"stages\.a\.to: two edges to 'b'"),
        ((stage("a", end=True), stage("a", end=True)), r"stages\.a: there are two"),
        ((stage("a", end=True), stage("client", end=True)), r"stages\.client: 'client' can't"),
        ((stage("b", end=True),), r"entry: no stage 'a'; stages are b"),
        ((stage("a", end=True), stage("b", end=True)), r"stages\.b: no stage feeds it"),
        ((stage("a", "b"), stage("b", "a", end=True)), r"stages\.b\.to: 'a' is the entry"),
        (
            (stage("a", whole("b")), stage("b", "c"), stage("c", whole("b"), end=True)),
            r"stages\.b\.merge: missing, though 2 stages feed it",
        ),
        (
            (
                stage("a", whole("b")),
                stage("b", "c", merge=True),
                stage("c", whole("b"), end=True),
            ),
            "stages: b, c feed each other in a cycle",
        ),
        (
            (stage("a", "b", whole("c")), stage("b", "c"), stage("c", end=True)),
            r"stages\.c: a stream must be a stage's only input, but it has a, b",
        ),
    ],
)
def test_a_graph_that_cannot_run_is_refused_with_its_key(
    stages: tuple[StageSpec, ...], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        Graph(stages, "a")


def test_stages_are_ordered_along_the_edges_however_they_are_listed(watch: Watch) -> None:
    chain = graph(watch)
    backwards = Graph(tuple(reversed(chain.stages)), chain.entry)
    assert backwards.upstream_first() == ("thinker", "talker", "code2wav")
    assert [source for source, _ in backwards.sources("talker")] == ["thinker"]
