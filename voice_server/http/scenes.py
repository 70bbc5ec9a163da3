"""One scene as a file: `/v1/scenes/{id}.{wav,flac,opus,vtt,srt,zip}`."""

from __future__ import annotations

from typing import Final, assert_never

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sessions import captions
from sessions.store import SceneSheet, UnknownScene
from voice_server.export import captions as spoken
from voice_server.export.bundle import entries, scene_json
from voice_server.export.formats import Format, write_flac_file, write_wav
from voice_server.export.ogg import ogg_opus
from voice_server.export.timeline import timeline
from voice_server.export.track import scene_track
from voice_server.export.zip import zip_pieces
from voice_server.http.downloads import Exports, answered, asked

FORMATS: Final = (
    Format.WAV,
    Format.FLAC,
    Format.OPUS,
    Format.JSON,
    Format.VTT,
    Format.SRT,
    Format.ZIP,
)


def routes(exports: Exports) -> list[Route]:
    """Answers 404 for a scene that is not there or not for the asker, or an unknown ending, and 409
    for one of which nothing is spoken yet.
    """

    async def scene(request: Request) -> Response:
        name, form = asked(request, FORMATS)
        sheet = await exports.library.load_scene(name)
        exports.check(request, sheet.session_id, UnknownScene(f"no scene is called {name!r}"))
        return await _scene(exports, sheet, form)

    return [Route("/v1/scenes/{name}", answered(scene))]


async def _scene(exports: Exports, sheet: SceneSheet, form: Format) -> Response:
    name = sheet.scene.title or sheet.scene.id
    sound_file = exports.library.sound_file
    placed = timeline(sheet)
    track = scene_track(placed, sound_file)
    match form:
        case Format.WAV:
            return await exports.file(lambda path: write_wav(track, path), form, name)
        case Format.FLAC:
            return await exports.file(lambda path: write_flac_file(track, path), form, name)
        case Format.OPUS:
            return exports.stream(ogg_opus(track, name), form, name)
        case Format.VTT:
            return exports.whole(captions.webvtt(spoken.of_scene(placed)), form, name)
        case Format.SRT:
            return exports.whole(captions.srt(spoken.of_scene(placed)), form, name)
        case Format.JSON:
            return exports.whole(scene_json(sheet, placed), form, name)
        case Format.ZIP:
            return exports.stream(zip_pieces(entries(sheet, placed, sound_file)), form, name)
        case _:
            assert_never(form)
