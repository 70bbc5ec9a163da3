"""What the coordinator and the builder need of stages that run, wherever they run."""

from __future__ import annotations

from typing import Protocol

from engine.stats import ProcessStats, StageStats


class Launched(Protocol):
    """All replicas of all stages, ready."""

    def stats(self) -> tuple[StageStats, ...]:
        """Of every replica that is alive or was; called on the event loop, never waits."""
        ...

    def processes(self) -> tuple[ProcessStats, ...]:
        """Those that were started beside this one; never waits."""
        ...

    def drain(self) -> None:
        """Nothing more will be begun: whoever asks is told so."""
        ...

    async def close(self) -> None:
        """Ends every stage and returns when all of it is gone. The stages must be idle."""
        ...
