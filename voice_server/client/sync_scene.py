"""The sync twin's scenes."""

from __future__ import annotations

import time
from collections.abc import Iterator

from sessions.commands import Cancel
from sessions.events import SceneDone
from voice_server.client import asks
from voice_server.client.scene_core import SceneCore
from voice_server.client.sync_link import Link
from voice_server.client.sync_take import Take, stop
from voice_server.client.views import SceneView


class Performing(SceneView):
    """A scene that is performed. Loop over it for the takes of its lines in order, each once and
    as soon as it has started; the loop ends where the scene does, or where it was cancelled.

    Lines are made ahead while earlier ones are read. A take that the loop goes past without reading
    it counts as played.
    """

    def __init__(self, core: SceneCore, link: Link) -> None:
        super().__init__(core)
        self._link = link

    def __iter__(self) -> Iterator[Take]:
        while (take := self._next()) is not None:
            yield take

    def _next(self) -> Take | None:
        with self._link.changed:
            self._core.go_on(time.monotonic())
            frames = self._link.core.reports()
        self._link.write(frames)
        with self._link.changed:
            self._link.until(lambda: self._core.readable)
            core = self._core.next()
        return None if core is None else Take(core, self._link)

    def append(self, script: str) -> None:
        """Adds script to a scene opened with `more`."""
        self._add(script, more=True)

    def finish(self) -> None:
        """No more script will follow."""
        self._add("", more=False)

    def _add(self, script: str, more: bool) -> None:
        with self._link.changed:
            self._core.check_open()
        self._link.command(asks.add_script(self._core, script, more))

    def done(self) -> SceneDone:
        """Waits for the end and says how many lines were spoken. From now on sound that nobody
        reads counts as played; it can be read afterwards.

        Raises RequestRefused for script that the server would not take, or what ended the
        connection.
        """
        with self._link.changed:
            self._core.pass_all(time.monotonic())
            frames = self._link.core.reports()
        self._link.write(frames)
        with self._link.changed:
            self._link.until(lambda: self._core.over or bool(self._core.refusals))
            return self._core.result()

    def cancel(self) -> None:
        """Stops the scene, and what else is under way in the session; when this returns, nothing
        more comes of it.
        """
        stop(self._link, Cancel(), lambda: self._core.over)


def stop_all(link: Link) -> None:
    """Stops every take and scene under way."""
    with link.changed:
        takes, scenes = link.core.takes, link.core.scenes

    def over() -> bool:
        ended = all(take.outcome is not None for take in takes)
        return ended and all(scene.over for scene in scenes)

    stop(link, Cancel(), over)
