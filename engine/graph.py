"""Which stages there are, what each computes, and which feeds which. Declared in code by a family.

A graph says nothing of threads, processes or devices: see `engine.topology` for those.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeAlias, assert_never

from engine.errors import GraphError
from engine.messages import CLIENT
from engine.runners import AutoregressiveRunner, BatchRunner, StreamRunner, VocoderRunner
from engine.types import Utterance


@dataclass(frozen=True, slots=True)
class Worker:
    """Where a runner is made: what a factory may need to know of its place.

    replica: counts from 0. threads: compute threads that the runner may use. device: "cpu" or
    "cuda:N". memory: share of the device's that the replica may use; None for what is free.
    frame_samples: of one codec frame of the family. windows: codec frames of each window of sound,
    the last of which repeats; None where they follow what they cost. copies: replicas of the stage
    in this process, which may share what they load.
    """

    replica: int = 0
    threads: int = 1
    device: str = "cpu"
    memory: float | None = None
    frame_samples: int = 1920
    windows: tuple[int, ...] | None = None
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Simple:
    """Whole payloads, batched. wait: seconds that a batch waits for more once two are there.

    cost: of a payload, such as its length. most: that a batch may cost together; one payload alone
    may cost more.
    """

    factory: Callable[[Worker], BatchRunner[Any, Any]]
    wait: float = 0.005
    cost: Callable[[Any], float] | None = None
    most: float = inf


@dataclass(frozen=True, slots=True)
class Threaded:
    """Whole payloads, one each in `threads` threads, each with a runner of its own: for work that
    waits or leaves Python, where one that takes long must hold up no other."""

    factory: Callable[[Worker], BatchRunner[Any, Any]]
    threads: int = 2


@dataclass(frozen=True, slots=True)
class Streaming:
    """Ordered streams, a step at a time. outstanding: items a request may have out that the next
    stage has not taken yet."""

    factory: Callable[[Worker], StreamRunner[Any, Any, Any]]
    outstanding: int = 2


@dataclass(frozen=True, slots=True)
class Vocoder:
    """Frames to windows of sound, by playback deadline. sample_rate: Hz, of the runner's Pcm."""

    factory: Callable[[Worker], VocoderRunner[Any, Any]]
    sample_rate: int


@dataclass(frozen=True, slots=True)
class Autoregressive:
    """Sequences an element a step, all of them in one step. outstanding: items a request may have
    out that the next stage has not taken when a step of it begins."""

    factory: Callable[[Worker], AutoregressiveRunner[Any, Any, Any, Any]]
    outstanding: int = 2


Work: TypeAlias = Simple | Threaded | Streaming | Vocoder | Autoregressive
Merge: TypeAlias = Callable[[Mapping[str, object]], object]
Route: TypeAlias = Callable[[Utterance], Collection[str]]


@dataclass(frozen=True, slots=True)
class Edge:
    """To the stage `target`. A stream edge carries items in order; a payload edge exactly one.

    project: makes what this target is sent from what the stage put out; None sends it as it is.
    local: both stages must be in one process, as what the edge carries can't leave it.
    """

    target: str
    kind: Literal["stream", "payload"] = "stream"
    project: Callable[[Any], object] | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class StageSpec:
    """A stage. end: what it puts out goes to the client.

    merge: makes one payload of those of several sources, given by the source's name. The factory in
    `work` is called in the thread (or process) that the stage runs in, so it must be importable.
    copies: replicas of its group where the topology doesn't say, for a stage known to be the
    bottleneck. route: which of the targets a request goes to, by name; None: all of them. It must
    give the same names for the same utterance wherever it is asked. devices: the kinds of device
    that the runner can use. max_ranks: over how many ranks the runner can be spread. threads:
    compute threads that its runner has where the topology doesn't say.
    """

    name: str
    work: Work
    to: tuple[Edge, ...] = ()
    end: bool = False
    merge: Merge | None = None
    copies: int = 1
    route: Route | None = None
    devices: tuple[str, ...] = ("cpu",)
    max_ranks: int = 1
    threads: int = 1

    def taken(self, utterance: Utterance) -> tuple[Edge, ...]:
        """The edges that a request takes. Raises GraphError for a route that leads nowhere."""
        if self.route is None:
            return self.to
        try:
            names = frozenset(self.route(utterance))
        except Exception as error:  # The family's own code: it loses this request and no other.
            raise GraphError(f"stages.{self.name}.route: {error!r}") from error
        declared = [edge.target for edge in self.to]
        if not names.issubset(declared) or not (names or self.end):
            told = ", ".join(sorted(names)) or "nothing"
            raise GraphError(
                f"stages.{self.name}.route: chose {told}; targets are {', '.join(declared)}"
            )
        return tuple(edge for edge in self.to if edge.target in names)

    @property
    def outstanding(self) -> int | None:
        """Items a request may have out that a target has not taken; None: credit bounds them."""
        match self.work:
            case Streaming(outstanding=outstanding):
                return outstanding
            case Autoregressive(outstanding=outstanding):
                # The steps under way may each put out one more.
                return outstanding + 2
            case Simple() | Threaded():
                return 1
            case Vocoder():
                return None
            case _:
                assert_never(self.work)


@dataclass(frozen=True, slots=True)
class Graph:
    """Stages in any order; `entry` is given the client's text as a stream of str.

    Raises GraphError, naming the key, for a graph that can't run.
    """

    stages: tuple[StageSpec, ...]
    entry: str

    def __post_init__(self) -> None:
        _check_names(self)
        for stage in self.stages:
            _check_targets(self, stage)
            _check_inputs(self, stage)
        _check_order(self)

    def stage(self, name: str) -> StageSpec:
        """Raises KeyError for a name that isn't a stage's."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(stage.name for stage in self.stages)

    def sources(self, name: str) -> tuple[tuple[str, Edge], ...]:
        """The edges into a stage with the names of the stages they come from."""
        return tuple((s.name, edge) for s in self.stages for edge in s.to if edge.target == name)

    def visited(self, utterance: Utterance) -> frozenset[str]:
        """The stages that a request goes through. Raises GraphError for a bad route."""
        if all(stage.route is None for stage in self.stages):
            return frozenset(self.names)
        seen: set[str] = set()
        left = [self.entry]
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += [edge.target for edge in self.stage(name).taken(utterance)]
        return frozenset(seen)

    def feeding(self, name: str, utterance: Utterance) -> tuple[str, ...]:
        """The stages that feed this one for a request that goes through it."""
        visited = self.visited(utterance)
        return tuple(
            source
            for source, edge in self.sources(name)
            if source in visited and edge in self.stage(source).taken(utterance)
        )

    def upstream_first(self) -> tuple[str, ...]:
        """Names ordered so that every edge goes forward. Raises GraphError on a cycle."""
        order: list[str] = []
        left = set(self.names)
        while left:
            free = [n for n in self.names if n in left and not self._waits(n, left)]
            if not free:
                raise GraphError(f"stages: {', '.join(sorted(left))} feed each other in a cycle")
            order.extend(free)
            left.difference_update(free)
        return tuple(order)

    def _waits(self, name: str, left: set[str]) -> bool:
        return any(source in left for source, _ in self.sources(name))


def _check_names(graph: Graph) -> None:
    names = graph.names
    for name in names:
        if names.count(name) > 1:
            raise GraphError(f"stages.{name}: there are two stages of this name")
        if not name or name == CLIENT:
            raise GraphError(f"stages.{name}: {name!r} can't be a stage's name")
    if graph.entry not in names:
        raise GraphError(f"entry: no stage {graph.entry!r}; stages are {', '.join(names)}")


def _check_targets(graph: Graph, stage: StageSpec) -> None:
    key = f"stages.{stage.name}"
    if not stage.to and not stage.end:
        raise GraphError(f"{key}: has neither a target (to) nor an end (end=True)")
    if isinstance(stage.work, Vocoder) and (stage.to or not stage.end):
        raise GraphError(f"{key}: a vocoder's sound goes to the client (end=True) and nowhere else")
    if stage.route is not None and len(stage.to) + stage.end < 2:
        raise GraphError(f"{key}.route: there is nothing to choose from")
    targets = [edge.target for edge in stage.to]
    for target in targets:
        if target not in graph.names:
            names = ", ".join(graph.names)
            raise GraphError(f"{key}.to: no stage {target!r}; stages are {names}")
        if targets.count(target) > 1:
            raise GraphError(f"{key}.to: two edges to {target!r}")
        if target == graph.entry:
            raise GraphError(f"{key}.to: {target!r} is the entry and takes only the client's text")


def _check_inputs(graph: Graph, stage: StageSpec) -> None:
    key = f"stages.{stage.name}"
    sources = graph.sources(stage.name)
    if not sources and stage.name != graph.entry:
        raise GraphError(f"{key}: no stage feeds it and it is not the entry")
    streams = [source for source, edge in sources if edge.kind == "stream"]
    if streams and len(sources) > 1:
        names = ", ".join(source for source, _ in sources)
        raise GraphError(f"{key}: a stream must be a stage's only input, but it has {names}")
    if len(sources) > 1 and stage.merge is None:
        raise GraphError(f"{key}.merge: missing, though {len(sources)} stages feed it")


def _check_order(graph: Graph) -> None:
    graph.upstream_first()
