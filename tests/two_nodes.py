"""Two hosts of a Ray cluster on this one: "front", which the tests themselves are on, and "back".

Each has addresses of its own within the loopback network, and a raylet and workers of its own.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# Else Ray writes a token into the user's home, and asks for it in this process from then on.
os.environ["RAY_AUTH_MODE"] = "disabled"
# Ray's workers stand back behind all others (15), and beside tests that compute would never begin.
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  # as Ray spells it

from ray.cluster_utils import Cluster

from engine.launch import ray_cluster, ray_member
from tests.patience import PATIENCE_S

for module in (ray_cluster, ray_member):
    # Ray starts one Python after another, and on a slow machine each takes many seconds.
    module.PLACING_S = PATIENCE_S  # type: ignore[misc, attr-defined]
# Nor is one dead that says nothing for a while.
ray_member.SILENT_S = PATIENCE_S  # type: ignore[misc]

STORE_BYTES = 80 * 2**20
NOTICED_S = 0.3
"""How long the cluster waits for a sign of life, and so takes a dead node for alive, three times.
"""


class TwoNodes:
    def __init__(self) -> None:
        self._cluster: Any = Cluster()
        watching = {
            "health_check_initial_delay_ms": 1000,
            "health_check_period_ms": int(1000 * NOTICED_S),
            # A dead node refuses at once; a live one may be slow to answer.
            "health_check_timeout_ms": 20_000,
            "health_check_failure_threshold": 3,
        }
        self._add("front", "127.0.0.2", include_log_monitor=False, _system_config=watching)
        self._back: Any = None
        self.start_back()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def start_back(self) -> None:
        """A new node of that label."""
        self._back = self._add("back", "127.0.0.3")

    def kill_back(self) -> None:
        """As a machine that loses its power: all processes of the node at once."""
        raylet = self._back.all_processes["raylet"][0].process
        for pid in (raylet.pid, *descendants(raylet.pid)):
            os.kill(pid, signal.SIGKILL)
        raylet.wait()
        self._cluster.remove_node(self._back, allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()

    def _add(self, label: str, address: str, **more: Any) -> Any:
        return self._cluster.add_node(
            num_cpus=1,
            labels={"host": label},
            node_ip_address=address,
            object_store_memory=STORE_BYTES,
            include_dashboard=False,
            **more,
        )


def descendants(pid: int) -> list[int]:
    """All processes that a process has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def gone(pids: list[int]) -> bool:
    """Whether these processes end, in whatever time."""
    until = time.monotonic() + PATIENCE_S
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
