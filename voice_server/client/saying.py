"""One text to one file, with a line on the terminal that says how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from engine.types import Int16
from sessions.events import Moved
from voice_server.client.recording import Recording, recording
from voice_server.client.sync import Session
from voice_server.client.sync_take import Take
from voice_server.client.telling import Teller
from voice_server.wire.messages import TakeDone

PIECE: Final = 10_000
"""Characters of a long text that are sent at a time."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be said. out: where to; None keeps no sound."""

    text: str
    voice: str | None = None
    seed: int | None = None
    direction: str | None = None
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take that is done."""

    request: Request
    take: Take
    done: TakeDone
    sample_rate: int

    @property
    def rtf(self) -> float | None:
        """From the request sent to its last packet read, over the duration of the sound."""
        last = self.take.last_audio_ms
        return last / self.done.duration_ms if last and self.done.duration_ms else None


def say(session: Session, request: Request, teller: Teller) -> Spoken:
    """Speaks the text into `request.out` and returns when it is all there. Raises ClientError."""
    rate = session.audio.sample_rate
    take = _speak(session, request)
    for moved in take.moved:
        teller.line(_shown(moved))
    samples = 0
    with _file(request.out, rate) as file:
        for block in take:
            file.write(block)
            samples += len(block)
            chars = take.words[-1].span[1] if take.words else 0
            told = f"{samples / rate:.1f} s of sound"
            teller.step(told, min(1.0, chars / max(1, len(request.text))))
        done = take.result()
    return Spoken(request, take, done, rate)


def _speak(session: Session, request: Request) -> Take:
    """A text longer than one message may be goes in pieces."""
    text, most = request.text, session.limits.text_chars
    size = len(text) if len(text) <= most else min(most, PIECE)
    take = session.speak(
        text[:size],
        voice=request.voice,
        seed=request.seed,
        direction=request.direction,
        more=size < len(text),
    )
    if size < len(text):
        for at in range(size, len(text), size):
            take.append(text[at : at + size])
        take.finish()
    return take


def _shown(moved: Moved) -> str:
    """What some words of the direction came to, on one line."""
    levers = ", ".join(
        f"{name} {_number(before)} to {_number(after)}"
        for name, (before, after) in moved.levers.items()
    )
    place = f" (of {moved.scope!r})" if moved.scope else ""
    return f"{moved.words}: {levers or 'so already'}{place}"


def _number(value: float) -> str:
    """A lever's value; those that are on or off are bool."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else f"{value:g}"


class _Nowhere:
    def write(self, data: Int16) -> None:
        return None


@contextmanager
def _file(out: Path | None, sample_rate: int) -> Iterator[Recording]:
    with nullcontext(_Nowhere()) if out is None else recording(out, sample_rate) as file:
        yield file


def figures(spoken: Spoken) -> dict[str, object]:
    """What was measured here, for `--json`; underruns are those of a player that starts at once."""
    take, done = spoken.take, spoken.done
    return {
        "voice": take.voice,
        "out": str(spoken.request.out) if spoken.request.out else None,
        "sample_rate": spoken.sample_rate,
        "samples": done.samples,
        "duration_ms": done.duration_ms,
        "first_audio_ms": take.first_audio_ms,
        "queued_ms": done.queued_ms,
        "rtf": spoken.rtf,
        "underruns": asdict(take.underruns),
        "direction": spoken.request.direction,
        "performance": asdict(done.performance),
        "moved": [asdict(one) for one in take.moved],
        "words": [asdict(word) for word in take.words],
        "warnings": [{"code": one.code, "message": one.message} for one in take.warnings],
    }
