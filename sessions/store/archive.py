"""A session as JSON that can be opened again.

`{"format": "voice-session", "version": 1, "session": {…}, "sounds": [{take_id, flac, score}, …]}`:
`session` is a `SessionRecord`, enumerations by value, pairs and spans as arrays; `flac` and `score`
are base64 and `sounds` is empty where the sound stays behind. It is written a part at a time, so
that an hour of sound is never in memory at once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as validated

from sessions.ids import new_id
from sessions.store.errors import BadArchive, StoreError
from sessions.store.files import check_name
from sessions.store.records import LineRecord, SessionRecord, TakeRecord

VERSION: Final = 1
_BASE64: Final = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


@validated(frozen=True, config=_BASE64)
class ArchivedSound:
    """flac: the take's sound as a file. score: what the engine needs to edit the take."""

    take_id: str
    flac: bytes
    score: bytes | None = None


@dataclass(frozen=True, slots=True)
class Archive:
    """A session and the sound of its takes, or of some of them."""

    session: SessionRecord
    sounds: tuple[ArchivedSound, ...] = ()


@dataclass(frozen=True, slots=True)
class _Document:
    format: Literal["voice-session"]
    version: int
    session: SessionRecord
    sounds: tuple[ArchivedSound, ...] = ()


@dataclass(frozen=True, slots=True)
class _Head:
    format: Literal["voice-session"]
    version: int


_DOCUMENT: Final = TypeAdapter(_Document)
_HEAD: Final = TypeAdapter(_Head)
_SESSION: Final = TypeAdapter(SessionRecord)
_SOUND: Final = TypeAdapter(ArchivedSound)


def write(
    session: SessionRecord, sounds: Iterable[ArchivedSound] = ()
) -> Generator[bytes, None, None]:
    """The document, in pieces; `sounds` is read one at a time."""
    yield b'{"format":"voice-session","version":%d,"session":' % VERSION
    yield _SESSION.dump_json(session)
    yield b',"sounds":['
    for number, sound in enumerate(sounds):
        yield (b"," if number else b"") + _SOUND.dump_json(sound)
    yield b"]}"


def read(document: bytes | str) -> Archive:
    """Raises BadArchive, which names the place, for what is no archive or contradicts itself; its
    `field` is that place in the document, where there is one."""
    try:
        head = _HEAD.validate_json(document)
        if head.version > VERSION:
            told = f"an archive of version {head.version}; this program reads up to {VERSION}"
            raise BadArchive(told, "version")
        found = _DOCUMENT.validate_json(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadArchive(f"{place or 'the document'}: {first['msg']}", place or None) from None
    _check(found.session, found.sounds)
    return Archive(found.session, found.sounds)


def renamed(archive: Archive) -> Archive:
    """The same under names that nobody has yet."""
    session = archive.session
    scenes = {scene.id: new_id("scene") for scene in session.scenes}
    lines = {line.id: new_id("line") for line in session.lines}
    takes = {take.id: new_id("take") for take in session.takes}
    copied = replace(
        session,
        id=new_id("session"),
        scenes=tuple(replace(scene, id=scenes[scene.id]) for scene in session.scenes),
        lines=tuple(_renamed_line(line, scenes, lines, takes) for line in session.lines),
    )
    sounds = (
        ArchivedSound(takes[sound.take_id], sound.flac, sound.score) for sound in archive.sounds
    )
    return Archive(copied, tuple(sounds))


def _renamed_line(
    line: LineRecord, scenes: Mapping[str, str], lines: Mapping[str, str], takes: Mapping[str, str]
) -> LineRecord:
    def renamed_take(take: TakeRecord) -> TakeRecord:
        parent = None if take.parent is None else takes[take.parent]
        return replace(take, id=takes[take.id], line_id=lines[take.line_id], parent=parent)

    return replace(
        line,
        id=lines[line.id],
        scene_id=None if line.scene_id is None else scenes[line.scene_id],
        kept=None if line.kept is None else takes[line.kept],
        takes=tuple(map(renamed_take, line.takes)),
    )


def _check(session: SessionRecord, sounds: tuple[ArchivedSound, ...]) -> None:
    """Raises BadArchive where names are wrong, used twice or of nothing."""
    takes = [take.id for take in session.takes]
    scenes = [scene.id for scene in session.scenes]
    lines = [line.id for line in session.lines]
    for names in ([session.id], scenes, lines, takes):
        _check_names(names)
    _check_known("scene", (line.scene_id for line in session.lines), scenes)
    _check_known("parent", (take.parent for take in session.takes), takes)
    _check_known("take", (sound.take_id for sound in sounds), takes)
    for line in session.lines:
        _check_line(line)


def _check_line(line: LineRecord) -> None:
    _check_known("kept take", [line.kept], [take.id for take in line.takes])
    _check_known("line", (take.line_id for take in line.takes), [line.id])


def _check_names(names: list[str]) -> None:
    for name in names:
        try:
            check_name(name)
        except StoreError as error:
            raise BadArchive(str(error)) from None
    if len(set(names)) < len(names):
        raise BadArchive(f"{max(names, key=names.count)!r} is there twice")


def _check_known(kind: str, used: Iterable[str | None], known: list[str]) -> None:
    strange = set(used) - {None, *known}
    if strange:
        raise BadArchive(f"no {kind} is called {min(map(str, strange))!r} there")
