"""One take as a file: `/v1/takes/{id}.{wav,flac,opus,json,vtt,srt}`."""

from __future__ import annotations

import dataclasses
from typing import Final, assert_never

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sessions import captions
from sessions.errors import UnknownTake
from sessions.store import TakeSheet
from voice_server.export import captions as spoken
from voice_server.export.errors import ExportError
from voice_server.export.formats import Format, write_flac_file, write_wav
from voice_server.export.ogg import ogg_opus
from voice_server.export.track import take_track
from voice_server.http.downloads import Exports, answered, asked

FORMATS: Final = (
    Format.WAV,
    Format.FLAC,
    Format.OPUS,
    Format.JSON,
    Format.VTT,
    Format.SRT,
)
_SHEET: Final = TypeAdapter(TakeSheet)


def routes(exports: Exports) -> list[Route]:
    """Answers 404 for a take that is not there or not for the asker, or an unknown ending."""

    async def take(request: Request) -> Response:
        name, form = asked(request, FORMATS)
        sheet = await exports.library.load_take(name)
        exports.check(request, sheet.session_id, UnknownTake(f"no take is called {name!r}"))
        return await _take(exports, sheet, form)

    return [Route("/v1/takes/{name}", answered(take))]


async def _take(exports: Exports, sheet: TakeSheet, form: Format) -> Response:
    name = sheet.take.id
    sound_file = exports.library.sound_file
    track = take_track(sheet.session_id, sheet.take, sound_file)
    match form:
        case Format.FLAC if track.samples:
            return await exports.stored(sound_file(sheet.session_id, name), form, name)
        case Format.FLAC:
            return await exports.file(lambda path: write_flac_file(track, path), form, name)
        case Format.WAV:
            return await exports.file(lambda path: write_wav(track, path), form, name)
        case Format.OPUS:
            return exports.stream(ogg_opus(track, sheet.take.text), form, name)
        case Format.VTT:
            return exports.whole(captions.webvtt(spoken.of_take(sheet)), form, name)
        case Format.SRT:
            return exports.whole(captions.srt(spoken.of_take(sheet)), form, name)
        case Format.JSON:
            return exports.whole(take_json(sheet), form, name)
        case Format.ZIP:
            raise ExportError("a take is one file: ask for .wav, .flac or .opus")
        case _:
            assert_never(form)


def take_json(sheet: TakeSheet) -> bytes:
    """The take with its words and performance, and its line but for the line's other takes."""
    alone = dataclasses.replace(sheet, line=dataclasses.replace(sheet.line, takes=()))
    return _SHEET.dump_json(alone)
