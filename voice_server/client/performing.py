"""One script to a folder: the scene, a stem a character, captions, and who was who."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from sessions import captions
from sessions.script import NARRATOR, Wanted
from voice_server.client.errors import ClientError
from voice_server.client.scene_hearing import (
    Hearing,
    SpokenLine,
    Whole,
    hear,
    hear_together,
    whole,
)
from voice_server.client.stems import SCENE, Stems, stems
from voice_server.client.sync import Session
from voice_server.client.sync_scene import Performing
from voice_server.client.sync_take import Take
from voice_server.client.telling import Teller
from voice_server.delivery.playout import summary
from voice_server.wire.messages import Underruns, milliseconds

CAST: Final = "cast.json"
VTT: Final = "scene.vtt"
SRT: Final = "scene.srt"


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """What is to be performed, and the folder it goes to. cast: voices by speaker. directions: how
    a speaker says all their lines."""

    script: str
    out: Path
    format: Wanted = "auto"
    cast: Mapping[str, str] = field(default_factory=dict)
    directions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Character:
    """Who says how many lines with which voice, and the file with only that."""

    speaker: str
    voice: str
    lines: int
    stem: str | None


@dataclass(frozen=True, slots=True)
class Performed:
    """A scene that is done: `cast.json`, and what `--json` prints.

    first_audio_ms: from the request to the first sound read here. rtf: from the request to the last
    of it, over the duration. underruns: of a player that starts at once.
    """

    sample_rate: int
    samples: int
    duration_ms: float
    first_audio_ms: float | None
    rtf: float | None
    underruns: Underruns
    scene: str
    captions: tuple[str, ...]
    cast: tuple[Character, ...]
    lines: tuple[SpokenLine, ...]


def perform(session: Session, request: SceneRequest, teller: Teller) -> Performed:
    """Performs the script into `request.out`, which has all files at the end, or none of them.

    Raises ClientError; RequestRefused where the script or the cast makes no sense.
    """
    hearing = Hearing(session.audio.sample_rate)
    scene = session.perform(
        request.script, format=request.format, cast=request.cast, directions=request.directions
    )
    with _folder(request.out) as folder:
        with stems(folder, session.audio.sample_rate) as files:
            together: list[Whole] = []
            for number, take in enumerate(scene):
                _told(teller, scene, number)
                speaker = _name(scene, number, take)
                if not (together or _is_dual(scene, number + 1)):
                    hear(hearing, files, take, speaker)
                    continue
                together.append(whole(take, speaker))
                if not _is_dual(scene, number + 1):
                    hear_together(hearing, files, together)
                    together = []
            scene.done()
        performed = _performed(hearing, files, scene)
        _write(folder / VTT, captions.webvtt(hearing.spoken))
        _write(folder / SRT, captions.srt(hearing.spoken))
        _write(folder / CAST, as_json(performed) + "\n")
    return performed


def as_json(performed: Performed) -> str:
    """The performance as JSON text, in fields as they are above."""
    return json.dumps(asdict(performed), ensure_ascii=False, indent=2)


def _told(teller: Teller, scene: Performing, number: int) -> None:
    count = len(scene.lines)
    speaker = scene.lines[number].speaker if number < count else ""
    teller.step(f"line {number + 1} of {count}, {speaker}", min(1.0, number / max(1, count)))


def _name(scene: Performing, number: int, take: Take) -> str:
    known = scene.lines[number].speaker if number < len(scene.lines) else NARRATOR
    return take.speaker or known


def _is_dual(scene: Performing, number: int) -> bool:
    """Whether the line is said at the same time as the one before it."""
    return number < len(scene.lines) and scene.lines[number].dual


def _performed(hearing: Hearing, files: Stems, scene: Performing) -> Performed:
    duration = milliseconds(files.samples, hearing.sample_rate)
    last = _since(hearing, hearing.last_at)
    return Performed(
        sample_rate=hearing.sample_rate,
        samples=files.samples,
        duration_ms=duration,
        first_audio_ms=_since(hearing, hearing.first_at),
        rtf=last / duration if last is not None and duration else None,
        underruns=summary(hearing.player.starvation, by_player=True),
        scene=SCENE,
        captions=(VTT, SRT),
        cast=_cast(scene.cast, hearing.lines, files),
        lines=tuple(hearing.lines),
    )


def _since(hearing: Hearing, at: float | None) -> float | None:
    return None if at is None else round(1000 * (at - hearing.asked_at), 3)


def _cast(
    cast: Mapping[str, str], lines: Sequence[SpokenLine], files: Stems
) -> tuple[Character, ...]:
    said = Counter(line.speaker for line in lines)
    return tuple(
        Character(speaker, voice, said[speaker], files.names.get(speaker))
        for speaker, voice in cast.items()
    )


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ClientError(f"{path.name} can't be written: {error}") from error


@contextmanager
def _folder(out: Path) -> Iterator[Path]:
    """A folder whose files are in `out` once the block has ended well, and gone otherwise."""
    out = out.absolute()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as name:
            folder = Path(name)
            yield folder
            _move(folder, out)
    except OSError as error:
        raise ClientError(f"{out} can't be written: {error}") from error


def _move(folder: Path, out: Path) -> None:
    """Each file takes the place of one that had its name; other files stay."""
    for path in sorted(folder.rglob("*")):
        target = out / path.relative_to(folder)
        if path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
