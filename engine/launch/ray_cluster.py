"""The server's connection to a cluster of Ray: who is there, and what is put where."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import ray
from ray.exceptions import RayError
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from engine.errors import GraphError, StageFailed
from engine.launch.member import arithmetic
from engine.launch.ray_actor import IN, OUT, Actor, StageActor
from engine.placement import HERE, Group, Seat

AUTO: Final = "auto"
LOCAL: Final = "local"
LABEL: Final = "host"
"""The label of a node that a topology names it by."""
NODE_ID: Final = "ray.io/node-id"
SHARE: Final = 0.001
"""Of a processor, which is asked of Ray for each replica: the topology says what runs where, and
Ray's own counting must not refuse it."""
STORE_BYTES: Final = 128 * 2**20
"""Ray's shared memory on a node that is started here; only what is on its way is in it."""
LOOPBACK: Final = "127.0.0.2" if sys.platform == "linux" else None
"""Where a cluster of this host alone listens. Ray replaces 127.0.0.1 by an address that other hosts
can reach, except where it knows no clusters."""
REACH_S: Final = 5.0
"""How long the head of a cluster may take to answer at all."""
PLACING_S: Final = 30.0
"""How long Ray may take to place all that there are nodes for."""
_TRIES: Final = "RAY_gcs_server_port_wait_time_s"
T = TypeVar("T")

logger = logging.getLogger(__name__)


class Cluster:
    """Whatever may wait for Ray is done by one thread. That one must be there for as long as the
    cluster, too: the kernel ends the processes of a cluster that was started here with the thread
    that started them, so that none is left of a server that was killed.
    """

    def __init__(self, address: str) -> None:
        """address: see `topology.RayCluster`."""
        self._address = address
        self._thread = ThreadPoolExecutor(1, "ray")
        self._name = f"voice-server-{uuid.uuid4().hex[:12]}"
        self._group: PlacementGroup | None = None
        self._ours = False
        self._here = ""

    async def open(self, seats: Sequence[tuple[Group, Seat]]) -> None:
        """Connects, and has a place kept on its node for every replica. Raises GraphError when
        there is no such node, and StageFailed when there is no such cluster."""
        await self._do(self._connect)
        await self._do(lambda: self._place(seats))

    async def make(self, index: int, group: Group, seat: Seat, name: str) -> Actor:
        """An actor that will be at that place, by order of `open`, under a name that only processes
        of this server find. Raises GraphError when there is no such node now."""
        return await self._do(lambda: self._make(index, group, seat, name))

    def kill(self, actor: Actor) -> None:
        """Does not wait, and nothing happens to an actor that is gone."""
        self._thread.submit(ray.kill, actor)

    def unique(self, name: str) -> str:
        return f"{self._name}/{name}"

    async def close(self) -> None:
        """Leaves the cluster, and ends it if it was started here."""
        await self._do(self._leave)
        self._thread.shutdown()

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _connect(self) -> None:
        if not ray.is_initialized():
            _quieten()
            self._ours = True
            try:
                _init(self._address, self._name)
            except (RayError, ConnectionError, RuntimeError, ValueError) as error:
                raise StageFailed(f"ray.address: {self._address}: {error}") from error
        self._here = ray.get_runtime_context().get_node_id()

    def _place(self, seats: Sequence[tuple[Group, Seat]]) -> None:
        for group, seat in seats:
            self._check(group, seat)
        selectors = [self._selector(seat) for _, seat in seats]
        bundles = [{"CPU": SHARE} for _ in seats]
        self._group = placement_group(bundles, bundle_label_selector=selectors)
        if not self._group.wait(PLACING_S):
            raise StageFailed(
                f"ray: no room for all replicas within {PLACING_S:g} s; each wants {SHARE} CPU"
            )

    def _selector(self, seat: Seat) -> dict[str, str]:
        return {NODE_ID: self._here} if seat.host == HERE else {LABEL: seat.host}

    def _check(self, group: Group, seat: Seat) -> None:
        """Told at once, where Ray would wait for a node to come."""
        labels = [node["Labels"] for node in _nodes() if node["Alive"]]
        key, value = next(iter(self._selector(seat).items()))
        if all(of_node.get(key) != value for of_node in labels):
            there = ", ".join(sorted({label[LABEL] for label in labels if LABEL in label}))
            raise GraphError(
                f"processes.{group.name}.hosts: no node of the cluster is labelled "
                f"{LABEL}={value}; there is {there or 'none with such a label'}"
            )

    def _make(self, index: int, group: Group, seat: Seat, name: str) -> Actor:
        self._check(group, seat)
        assert self._group is not None, "places are kept before anything is made"
        place = PlacementGroupSchedulingStrategy(self._group, index)
        variables = arithmetic(group.threads) | {"RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES": "1"}
        # Ray's types know no concurrency groups, nor what an actor class with options is.
        as_actor: Any = ray.remote
        actor_class = as_actor(concurrency_groups={IN: 1, OUT: 1})(StageActor)
        actor: Actor = actor_class.options(
            name=name,
            num_cpus=SHARE,
            max_restarts=0,
            scheduling_strategy=place,
            runtime_env={"env_vars": variables},
        ).remote()
        return actor

    def _leave(self) -> None:
        if self._ours:
            ray.shutdown()  # Places are given back with that.
        elif self._group is not None:
            remove_placement_group(self._group)


def _nodes() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]  # in Ray
    return found


def _quieten() -> None:
    """Ray reads these when it starts or joins a cluster: it reports nothing to its makers, logs
    only what went wrong, and is quick to tell of the dead."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # How long an actor whose connection ended may yet turn out to be alive.
    os.environ.setdefault("RAY_timeout_ms_task_wait_for_death_info", "300")
    logging.getLogger("ray").setLevel(logging.ERROR)


def _init(address: str, namespace: str) -> None:
    told = os.environ.get("RAY_ADDRESS", AUTO) if address == AUTO else address
    if told == LOCAL:
        _begin(namespace)
    elif told == AUTO:
        try:
            _join(AUTO, namespace)
        except ConnectionError as error:
            logger.info("a cluster is started, as there is none: %s", error)
            _begin(namespace)
    else:
        _reach(told)
        _join(told, namespace)


def _reach(address: str) -> None:
    """Raises ConnectionError at once where Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), REACH_S).close()
    except (OSError, ValueError) as error:
        raise ConnectionError(str(error)) from error


def _join(address: str, namespace: str) -> None:
    with _few_tries():
        ray.init(address=address, namespace=namespace, log_to_driver=False, configure_logging=False)


@contextmanager
def _few_tries() -> Iterator[None]:
    """Else Ray tries a cluster that was there and is gone 20 times, for seconds each."""
    os.environ[_TRIES] = (told := os.environ.get(_TRIES)) or "1"
    try:
        yield
    finally:
        if told is None:
            del os.environ[_TRIES]


def _begin(namespace: str) -> None:
    """Of this host alone, reached from it alone."""
    # Without its head it is of no use, and a minute is long for a server that is to end.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "10")
    ray.init(
        address=LOCAL,
        namespace=namespace,
        num_cpus=1,
        num_gpus=0,
        object_store_memory=STORE_BYTES,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        _node_ip_address=LOOPBACK,
    )
