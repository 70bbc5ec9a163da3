"""How messages get from one end to another, whatever lies between the two.

Every path keeps the order of one sender to one receiver. Sending never blocks: what may be on its
way is bounded by the credit of each edge times the requests that may be under way.
"""

from __future__ import annotations

from typing import Protocol

from engine.messages import Inbound, News, StageAddress


class Post(Protocol):
    """Where a stage or the coordinator hands its messages in. Called from any thread."""

    def to_stage(self, address: StageAddress, message: Inbound) -> None:
        """Raises StageFailed for an item that can't be sent; then nothing was."""
        ...

    def to_coordinator(self, mail: News, *, patient: bool = False) -> None:
        """patient: it may wait until the coordinator reads other mail. Raises StageFailed as
        `to_stage` does."""
        ...

    def mail_waiting(self) -> int:
        """How much mail the coordinator has not read yet."""
        ...
