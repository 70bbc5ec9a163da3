"""Which take of each line is heard in a scene, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sessions.pauses import NATURAL, Pauses
from sessions.store import LineRecord, SceneSheet, TakeRecord
from voice_server.export.errors import ExportError


@dataclass(frozen=True, slots=True)
class Clip:
    """A take in its place: samples [start, end) of the scene."""

    line: LineRecord
    take: TakeRecord
    start: int

    @property
    def samples(self) -> int:
        return self.take.samples

    @property
    def end(self) -> int:
        return self.start + self.take.samples


@dataclass(frozen=True, slots=True)
class Timeline:
    """The clips of a scene in order, none over another but where lines are said at the same time;
    `samples` long at `sample_rate`."""

    session_id: str
    sample_rate: int
    clips: tuple[Clip, ...]

    @property
    def samples(self) -> int:
        return max((clip.end for clip in self.clips), default=0)

    @property
    def speakers(self) -> tuple[str | None, ...]:
        """In the order they first speak; None is whoever has no name."""
        return tuple(dict.fromkeys(clip.line.speaker for clip in self.clips))


def timeline(sheet: SceneSheet, pauses: Pauses = NATURAL) -> Timeline:
    """The kept take of each line, else its last finished one; lines with neither are left out. One
    that is said at the same time as the line before it begins with it.

    Raises ExportError where the takes differ in sample rate, or there are none.
    """
    chosen = list(_chosen(sheet))
    rates = {take.sample_rate for _, _, take in chosen}
    if not rates:
        raise ExportError("no line of the scene has a finished take yet")
    if len(rates) > 1:
        told = " and ".join(f"{rate} Hz" for rate in sorted(rates))
        raise ExportError(f"the takes of the scene are at {told}: speak the lines anew")
    return Timeline(sheet.session_id, rates.pop(), tuple(_place(sheet, chosen, pauses)))


def _chosen(sheet: SceneSheet) -> Iterator[tuple[int, LineRecord, TakeRecord]]:
    """Number of the line in the scene, the line, its take."""
    for number, line in enumerate(sheet.lines):
        take = line.chosen()
        if take is not None and take.samples:
            yield number, line, take


def _place(
    sheet: SceneSheet, chosen: list[tuple[int, LineRecord, TakeRecord]], pauses: Pauses
) -> Iterator[Clip]:
    headings = [aside.before_line for aside in sheet.scene.asides if aside.kind == "heading"]
    previous: tuple[int, Clip] | None = None
    end = 0
    for number, line, take in chosen:
        start = 0
        if previous is not None:
            last, clip = previous
            heading = any(last < before <= number for before in headings)
            quiet = pauses.before(line.speaker, clip.line.speaker, heading)
            together = line.dual and last == number - 1
            start = clip.start if together else end + round(quiet * take.sample_rate)
        clip = Clip(line, take, start)
        previous, end = (number, clip), max(end, clip.end)
        yield clip
