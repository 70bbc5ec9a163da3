"""What a run is told by."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.scene.player import Gap
from benchmarks.scene.script import Said
from engine.types import Int16


@dataclass(frozen=True, slots=True)
class Memory:
    """wall_s: since the script was sent. heard_s: of sound and pauses by then."""

    wall_s: float
    heard_s: float
    rss_mib: float


@dataclass(frozen=True, slots=True)
class Line:
    """start_s, end_s: of what is heard, with the pauses. digest: of its samples."""

    number: int
    said: Said
    voice: str
    start_s: float
    end_s: float
    digest: str
    sound: Int16 = field(repr=False)


@dataclass(frozen=True, slots=True)
class Performed:
    """first_s, wall_s: from the script sent to the first packet and to the last. sound_s: without
    pauses. in_order: the lines came as they were written, each once and whole. again, same: lines
    said before in the run, and those of them whose samples were the same. told_s: of underruns, by
    what the server said at the end of each line; took_s: from first packets to last ones, of all
    lines. first, last: of the first and the last minute."""

    first_s: float
    wall_s: float
    sound_s: float
    heard_s: float
    sample_rate: int
    lines: int
    in_order: bool
    again: int
    same: int
    cast: dict[str, str]
    warnings: list[str]
    gaps: list[Gap]
    told_s: float
    took_s: float
    least_lead_s: float | None
    memory: list[Memory]
    first: list[Line]
    last: list[Line]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Cosines of GE2E embeddings, means over pairs of two lines of other words, None where there is
    no pair.

    within: both of the character's first minute, the yardstick. to_first: one of the first minute,
    one of the last. to_others: one of the last minute, one of other characters' first.
    nearest: of how many of the last lines the character's own first minute is the nearest.
    """

    speaker: str
    voice: str
    first: int
    last: int
    within: float | None
    to_first: float | None
    to_others: float | None
    nearest: int
