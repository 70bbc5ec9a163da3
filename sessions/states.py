"""What may happen to a take, as one table. All other happenings are refused."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType

from sessions.errors import WrongState


class TakeState(Enum):
    """Where a take is. `OPEN` means that text may still be added to it."""

    QUEUED_OPEN = "waiting for capacity, text may follow"
    QUEUED = "waiting for capacity"
    SPEAKING_OPEN = "being spoken, text may follow"
    SPEAKING = "being spoken"
    MADE = "made, still being sent"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Happening(Enum):
    """What befalls a take."""

    APPEND = "append"
    FINISH = "finish"
    ADMIT = "admit"
    COMPLETE = "complete"
    DELIVER = "deliver"
    CANCEL = "cancel"
    FAIL = "fail"


TRANSITIONS = MappingProxyType(
    {
        (TakeState.QUEUED_OPEN, Happening.APPEND): TakeState.QUEUED_OPEN,
        (TakeState.QUEUED_OPEN, Happening.FINISH): TakeState.QUEUED,
        (TakeState.QUEUED_OPEN, Happening.ADMIT): TakeState.SPEAKING_OPEN,
        (TakeState.QUEUED_OPEN, Happening.CANCEL): TakeState.CANCELLED,
        (TakeState.QUEUED_OPEN, Happening.FAIL): TakeState.FAILED,
        (TakeState.QUEUED, Happening.ADMIT): TakeState.SPEAKING,
        (TakeState.QUEUED, Happening.CANCEL): TakeState.CANCELLED,
        (TakeState.QUEUED, Happening.FAIL): TakeState.FAILED,
        (TakeState.SPEAKING_OPEN, Happening.APPEND): TakeState.SPEAKING_OPEN,
        (TakeState.SPEAKING_OPEN, Happening.FINISH): TakeState.SPEAKING,
        (TakeState.SPEAKING_OPEN, Happening.CANCEL): TakeState.CANCELLED,
        (TakeState.SPEAKING_OPEN, Happening.FAIL): TakeState.FAILED,
        (TakeState.SPEAKING, Happening.COMPLETE): TakeState.MADE,
        (TakeState.SPEAKING, Happening.CANCEL): TakeState.CANCELLED,
        (TakeState.SPEAKING, Happening.FAIL): TakeState.FAILED,
        (TakeState.MADE, Happening.DELIVER): TakeState.DONE,
        (TakeState.MADE, Happening.CANCEL): TakeState.CANCELLED,
    }
)
OVER = frozenset({TakeState.DONE, TakeState.CANCELLED, TakeState.FAILED})


def after(state: TakeState, happening: Happening) -> TakeState:
    """The state that follows. Raises WrongState where the table has none."""
    following = TRANSITIONS.get((state, happening))
    if following is None:
        raise WrongState(f"the take is {state.value}: it can't {happening.value} now", "take_id")
    return following
