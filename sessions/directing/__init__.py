"""The language of direction: plain words -> a change of Performance. No engine, no IO."""

from sessions.directing.directing import concepts, direct
from sessions.directing.values import (
    Change,
    Context,
    Directed,
    Impossible,
    Meaning,
    Moved,
    Near,
)

__all__ = [
    "Change",
    "Context",
    "Directed",
    "Impossible",
    "Meaning",
    "Moved",
    "Near",
    "concepts",
    "direct",
]
