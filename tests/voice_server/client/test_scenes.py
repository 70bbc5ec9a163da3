"""Scenes by both twins, against a real server."""

from __future__ import annotations

import numpy as np
import pytest

from tests import arithmetic
from tests.voice_server.client.conftest import Connect
from voice_server.client import RequestRefused

SCRIPT = "ANNA: Good evening to you all\nBEN: And to you\nANNA: Shall we go then\n"
LINES = [tuple(line.split(": ")) for line in SCRIPT.splitlines()]
CAST = {"ANNA": "high", "BEN": "low"}
LONG = "\n".join(f"ANNA: Line number {at} of a scene that goes on and on" for at in range(200))


async def test_takes_come_in_the_order_of_the_lines(server: str, twin: Connect) -> None:
    async with twin(server, format="pcm16") as session:
        scene = await session.perform(SCRIPT, cast=CAST)
        assert [(line.speaker, line.text) for line in scene.lines] == LINES
        assert scene.cast == CAST
        heard = [(take, await take.pcm()) async for take in scene]
        done = await scene.done()
    assert [(take.speaker, take.text) for take, _ in heard] == LINES
    assert [take.line_id for take, _ in heard] == [line.line_id for line in scene.lines]
    for take, samples in heard:
        assert np.array_equal(samples, arithmetic.whole(take.text, CAST[take.speaker]))
    assert (done.lines, done.cancelled) == (3, False)
    assert scene.over


async def test_speakers_without_a_voice_get_different_ones(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        scene = await session.perform(SCRIPT)
        assert set(scene.cast) == {"ANNA", "BEN"}
        assert len(set(scene.cast.values())) == 2
        await scene.cancel()


async def test_a_scene_that_is_only_waited_for_can_be_read_afterwards(
    server: str, twin: Connect
) -> None:
    async with twin(server, format="pcm16", lead_ms=100) as session:
        scene = await session.perform(SCRIPT, cast=CAST)
        assert (await scene.done()).lines == 3
        samples = [len(await take.pcm()) async for take in scene]
    assert samples == [len(arithmetic.whole(text)) for _, text in LINES]


async def test_lines_that_are_gone_past_do_not_hold_up_the_scene(
    server: str, twin: Connect
) -> None:
    async with twin(server, lead_ms=100) as session:
        scene = await session.perform(SCRIPT, cast=CAST)
        assert len([take async for take in scene]) == 3
        assert (await scene.done()).lines == 3


async def test_script_is_added_while_the_scene_is_performed(server: str, twin: Connect) -> None:
    async with twin(server, format="pcm16") as session:
        scene = await session.perform("ANNA: Good evening to you all\n", cast=CAST, more=True)
        await scene.append("BEN: And to")
        await scene.append(" you\nANNA: Shall we go then\n")
        await scene.finish()
        spoken = [(take.speaker, take.text) async for take in scene]
        assert (await scene.done()).lines == 3
    assert spoken == LINES


async def test_a_cancelled_scene_ends_at_once_and_the_session_goes_on(
    server: str, twin: Connect
) -> None:
    async with twin(server, format="pcm16") as session:
        scene = await session.perform(LONG, cast=CAST)
        takes = []
        async for take in scene:
            takes.append(take)
            await scene.cancel()
        assert scene.over
        assert all(take.over for take in takes)
        done = await scene.done()
        assert done.cancelled
        assert done.lines < 200
        again = await session.speak("again")
        assert np.array_equal(await again.pcm(), arithmetic.whole("again"))


async def test_all_can_be_cancelled_together(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        scene = await session.perform(LONG, cast=CAST)
        await session.cancel()
        assert scene.over
        await session.cancel()
        await scene.cancel()


async def test_a_script_that_can_not_be_read_is_refused_with_its_place(
    server: str, twin: Connect
) -> None:
    async with twin(server) as session:
        with pytest.raises(RequestRefused, match=r"line 2, column \d") as refused:
            await session.perform("ANNA: Hello\nBEN: (softly and\n", format="plain")
    assert (refused.value.code, refused.value.field) == ("bad_script", "script")


async def test_a_voice_that_is_not_there_is_refused_by_the_speaker(
    server: str, twin: Connect
) -> None:
    async with twin(server) as session:
        with pytest.raises(RequestRefused, match="nobody") as refused:
            await session.perform(SCRIPT, cast={"BEN": "nobody"})
    assert (refused.value.code, refused.value.field) == ("unknown_voice", "cast.BEN")


async def test_a_take_of_a_scene_can_be_directed_while_it_goes_on(able: str, twin: Connect) -> None:
    async with twin(able) as session:
        scene = await session.perform(SCRIPT, cast=CAST)
        takes = []
        directed = None
        async for take in scene:
            takes.append(take)
            await take.result()
            directed = directed or await take.direct("slower")
        assert directed is not None
        await directed.result()
    assert len(takes) == 3
    assert (directed.parent, directed.line_id) == (takes[0].id, takes[0].line_id)
    assert directed.started.scene_id == scene.id


async def test_a_scene_that_nobody_listens_to_waits(server: str, twin: Connect) -> None:
    """Sound that is not taken is not sent on and on, so that memory stays flat."""
    async with twin(server, lead_ms=100) as session:
        scene = await session.perform(LONG, cast=CAST)
        async for take in scene:
            async for _ in take:
                break
            break
        await scene.cancel()
        done = await scene.done()
    assert (done.lines, done.cancelled) == (0, True)
