"""What `/metrics` shows: read from those who count, when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import get_args

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from engine.stats import EngineStats, ProcessState, ProcessStats, StageStats
from sessions.hearing import ChecksStats
from sessions.scheduler import SchedulerStats
from sessions.store import Store, StoreStats
from voice_server.connections import Connections
from voice_server.delivery.stats import DeliveryCounters, DeliveryStats, HistogramSnapshot
from voice_server.hosting import EngineHost
from voice_server.readiness import Readiness, Ready, Stopping


class Metrics(Collector):
    """One registry of its own, so that two servers in a process do not mix."""

    def __init__(
        self,
        readiness: Readiness,
        host: EngineHost,
        connections: Connections,
        counters: DeliveryCounters,
        store: Store,
    ) -> None:
        self._readiness = readiness
        self._host = host
        self._connections = connections
        self._counters = counters
        self._store = store
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        """The Prometheus text format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """All figures as of now."""
        now = self._readiness.now
        yield _gauge("voice_ready", "1 if takes can be spoken", isinstance(now, Ready))
        yield _gauge("voice_connections", "Open sockets", len(self._connections))
        yield from _waiting(self._connections)
        yield from _delivery(self._counters.snapshot())
        yield from _stored(self._store.stats())
        scheduler = now.scheduler if isinstance(now, Ready | Stopping) else None
        if scheduler is not None:
            yield from _sessions(scheduler.stats())
            if scheduler.checks is not None:
                yield from _checks(scheduler.checks.stats())
        if self._host.engine is not None:
            yield from _engine(self._host.engine.stats())


def _waiting(connections: Connections) -> Iterator[Metric]:
    texts = sum(connection.texts for connection in connections)
    samples = sum(connection.waiting_samples for connection in connections)
    yield _gauge("voice_delivery_messages_waiting", "Messages not written yet", texts)
    yield _gauge("voice_delivery_samples_waiting", "Sound made and not due yet", samples)


def _stored(stats: StoreStats) -> Iterator[Metric]:
    yield _gauge("voice_store_queue_depth", "Changes and reads not done yet", stats.depth)
    yield _gauge("voice_store_queue_bound", "How many there may be", stats.bound)
    yield _counter("voice_store_written", "Changes written", stats.written)
    yield _counter("voice_store_failed", "Changes that could not be written", stats.failed)
    yield _counter("voice_store_busy_seconds", "Time at work", stats.busy_s)


def _sessions(stats: SchedulerStats) -> Iterator[Metric]:
    yield _gauge("voice_sessions", "Open sessions", stats.sessions)
    yield _gauge("voice_capacity", "Takes made at once at most", stats.capacity)
    yield _gauge("voice_takes_speaking", "Takes being made", stats.speaking)
    yield _gauge("voice_takes_queued", "Takes waiting for capacity", stats.waiting)
    yield _gauge("voice_takes_under_way", "Takes not over yet", stats.under_way)
    yield _gauge("voice_session_events_queued", "Events not read yet", stats.queued_events)


def _checks(stats: ChecksStats) -> Iterator[Metric]:
    edits = CounterMetricFamily(
        "voice_edit_checks", "Edits listened to, by what came of them", labels=["outcome"]
    )
    edits.add_metric(["right"], stats.right)
    edits.add_metric(["mended"], stats.mended)
    edits.add_metric(["wrong"], stats.wrong)
    edits.add_metric(["failed"], stats.failed)
    yield edits
    yield _counter(
        "voice_edit_check_seconds", "From the request to the last verdict", stats.seconds
    )


def _delivery(stats: DeliveryStats) -> Iterator[Metric]:
    takes = CounterMetricFamily("voice_takes", "Takes by what became of them", labels=["outcome"])
    takes.add_metric(["started"], stats.takes_started)
    takes.add_metric(["done"], stats.takes_done)
    takes.add_metric(["cancelled"], stats.takes_cancelled)
    takes.add_metric(["failed"], stats.takes_failed)
    yield takes
    yield _counter("voice_packets", "Audio packets written", stats.packets)
    yield _counter("voice_audio_bytes", "Bytes of sound written", stats.audio_bytes)
    yield from _underruns(stats)
    yield _histogram("voice_lateness_seconds", "Packets, behind their time", stats.lateness)
    yield _histogram(
        "voice_first_audio_seconds",
        "From the command read to the first packet written, by take",
        stats.first_audio,
    )
    yield _histogram(
        "voice_queued_seconds",
        "From the command read to the engine having it, by take; 0 where it did not wait",
        stats.queued,
    )
    yield _histogram(
        "voice_rtf",
        "From the command read to all sound made, less rests, over the duration, by take",
        stats.rtf,
    )
    yield _histogram(
        "voice_longest_underrun_seconds", "Longest underrun, by take", stats.longest_underrun
    )


def _underruns(stats: DeliveryStats) -> Iterator[Metric]:
    count = CounterMetricFamily("voice_underruns", "Underruns by whose clock", labels=["source"])
    count.add_metric(["server"], stats.server_underruns)
    count.add_metric(["player"], stats.player_underruns)
    yield count
    time = CounterMetricFamily(
        "voice_underrun_milliseconds", "Time with nothing to play", labels=["source"]
    )
    time.add_metric(["server"], 1000 * stats.server_underrun_s)
    time.add_metric(["player"], 1000 * stats.player_underrun_s)
    yield time


def _engine(stats: EngineStats) -> Iterator[Metric]:
    requests = CounterMetricFamily("voice_engine_requests", "By outcome", labels=["outcome"])
    requests.add_metric(["submitted"], stats.submitted)
    requests.add_metric(["finished"], stats.finished)
    requests.add_metric(["failed"], stats.failed)
    requests.add_metric(["aborted"], stats.aborted)
    yield requests
    yield _counter("voice_engine_stale", "Outputs of requests that were over", stats.stale)
    yield _gauge("voice_engine_active", "Requests not answered yet", stats.active)
    yield _gauge("voice_engine_closing", "Requests answered, not given back", stats.closing)
    labels = ["stage", "replica"]
    depth = GaugeMetricFamily("voice_queue_depth", "Messages unread by a stage", labels=labels)
    bound = GaugeMetricFamily("voice_queue_bound", "How many there may be", labels=labels)
    states = GaugeMetricFamily("voice_stage_states", "States of streams held", labels=labels)
    busy = CounterMetricFamily("voice_stage_busy_seconds", "Time at work", labels=labels)
    items = CounterMetricFamily("voice_stage_items", "Items put out", labels=labels)
    for stage in stats.stages:
        place = [stage.address.stage, str(stage.address.replica)]
        depth.add_metric(place, stage.depth)
        bound.add_metric(place, stage.bound)
        states.add_metric(place, stage.states)
        busy.add_metric(place, stage.busy)
        items.add_metric(place, stage.items)
    yield from (depth, bound, states, busy, items)
    yield from _windows(stats.stages)
    yield from _processes(stats.processes)


def _windows(stages: tuple[StageStats, ...]) -> Iterator[Metric]:
    labels = ["stage", "replica"]
    seconds = GaugeMetricFamily(
        "voice_window_seconds",
        "What a window of so many codec frames costs now",
        labels=[*labels, "frames"],
    )
    factor = GaugeMetricFamily(
        "voice_window_cost_factor", "What windows cost now, over the start", labels=labels
    )
    for stage in stages:
        if stage.windows is None:
            continue
        place = [stage.address.stage, str(stage.address.replica)]
        factor.add_metric(place, stage.windows.factor)
        for frames, cost in stage.windows.now.table:
            seconds.add_metric([*place, str(frames)], cost)
    yield from (seconds, factor)


def _processes(processes: tuple[ProcessStats, ...]) -> Iterator[Metric]:
    labels = ["group", "replica"]
    state = GaugeMetricFamily(
        "voice_process_state", "1 for the state that a process is in", labels=[*labels, "state"]
    )
    starts = CounterMetricFamily("voice_process_starts", "How often it was started", labels=labels)
    cpu = GaugeMetricFamily("voice_process_cpu_seconds", "Computing since it began", labels=labels)
    for process in processes:
        place = [process.group, str(process.replica)]
        for name in get_args(ProcessState):
            state.add_metric([*place, name], process.state == name)
        starts.add_metric(place, process.starts)
        cpu.add_metric(place, process.cpu)
    yield from (state, starts, cpu)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value)


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(name, meaning, value)


def _histogram(name: str, meaning: str, stats: HistogramSnapshot) -> Metric:
    bounds = [str(float(bound)) for bound in stats.bounds] + ["+Inf"]
    buckets = list(zip(bounds, map(float, accumulate(stats.counts)), strict=True))
    return HistogramMetricFamily(name, meaning, buckets=buckets, sum_value=stats.sum)
