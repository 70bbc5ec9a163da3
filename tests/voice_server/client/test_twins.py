"""Both twins of the SDK against a real server: each test is said once and holds for both."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack

import numpy as np
import pytest

from engine.types import Int16
from tests import arithmetic
from tests.voice_server.client.conftest import Connect, settings
from voice_server import local
from voice_server.client import (
    ClientError,
    ConnectFailed,
    ConnectionLost,
    Notice,
    RequestRefused,
    TakeHasFailed,
    TakeWasCancelled,
    connect,
)

LINE = "The quick brown fox jumps over the lazy dog and is gone"
LONG = " ".join([LINE] * 40)


def joined(blocks: list[Int16]) -> Int16:
    return np.concatenate([np.zeros(0, np.int16), *blocks])


async def test_a_take_is_heard_to_the_sample(server: str, twin: Connect) -> None:
    async with twin(server, format="pcm16") as session:
        take = await session.speak(LINE, voice="high", seed=3)
        blocks = [block async for block in take]
        done = await take.result()
    assert all(block.dtype == np.int16 and len(block) for block in blocks)
    assert np.array_equal(joined(blocks), arithmetic.whole(LINE, "high", 3))
    assert done.samples == len(joined(blocks))
    assert [take.words[at].text for at in range(len(take.words))] == LINE.split()
    assert take.first_audio_ms <= take.last_audio_ms
    assert take.queued_ms == 0
    assert done.made.windows[0] == arithmetic.FIRST
    assert 0 <= done.made.frames_ms <= done.first_audio_ms <= take.first_audio_ms


@pytest.mark.parametrize("frame_ms", [20, 40, 60])
async def test_opus_has_just_as_many_samples(server: str, twin: Connect, frame_ms: int) -> None:
    async with twin(server, frame_ms=frame_ms) as session:
        assert session.audio.format == "opus"
        take = await session.speak(LINE)
        heard = await take.pcm()
        done = await take.result()
    assert len(heard) == done.samples == len(arithmetic.whole(LINE))


async def test_text_that_comes_by_characters_sounds_the_same(server: str, twin: Connect) -> None:
    async with twin(server, format="pcm16") as session:
        take = await session.speak("", more=True)
        for character in LINE:
            await take.append(character)
        await take.finish()
        assert np.array_equal(await take.pcm(), arithmetic.whole(LINE))


async def test_several_takes_at_once_do_not_mix(server: str, twin: Connect) -> None:
    texts = ["one", LINE, "two three", LINE[::-1]]
    async with twin(server, format="pcm16") as session:
        takes = [await session.speak(text) for text in texts]
        heard = await asyncio.gather(*(take.pcm() for take in takes))
    for text, samples in zip(texts, heard, strict=True):
        assert np.array_equal(samples, arithmetic.whole(text))


async def test_words_come_while_the_take_is_made(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        take = await session.speak(LINE)
        words = [word async for word in take.words]
        assert [word.text for word in words] == LINE.split()
        assert [LINE[slice(*word.span)] for word in words] == LINE.split()


async def test_a_result_that_is_only_waited_for_leaves_the_sound_to_be_read(
    server: str, twin: Connect
) -> None:
    async with twin(server, format="pcm16", lead_ms=100) as session:
        take = await session.speak(LINE)
        done = await take.result()
        heard = await take.pcm()
    assert done.samples == len(heard)
    assert np.array_equal(heard, arithmetic.whole(LINE))


async def test_a_loop_that_is_left_early_does_not_hold_up_the_result(
    server: str, twin: Connect
) -> None:
    async with twin(server, format="pcm16", lead_ms=100) as session:
        take = await session.speak(LINE)
        first = None
        async for block in take:
            first = block
            break
        done = await take.result()
        rest = await take.pcm()
    assert first is not None
    assert len(first) + len(rest) == done.samples


async def test_a_cancelled_take_ends_at_once_and_the_session_goes_on(
    server: str, twin: Connect
) -> None:
    async with twin(server, format="pcm16") as session:
        take = await session.speak(LONG)
        cancelled = None
        async for _ in take:
            cancelled = cancelled or await take.cancel()
        assert cancelled is not None
        assert cancelled.heard + cancelled.rest == LONG
        assert take.over
        with pytest.raises(TakeWasCancelled) as stopped:
            await take.result()
        assert stopped.value.sent_ms < 40 * len(arithmetic.whole(LINE)) / 24
        again = await session.speak("again")
        assert np.array_equal(await again.pcm(), arithmetic.whole("again"))


async def test_all_takes_can_be_cancelled_together(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        takes = [await session.speak(LONG) for _ in range(3)]
        await session.cancel()
        assert all(take.over for take in takes)
        await session.cancel()


async def test_cancelling_what_is_done_does_nothing(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        take = await session.speak("hello")
        done = await take.result()
        assert await take.cancel() is None
        assert (await take.result()) == done


@pytest.mark.parametrize("text", ["", " "])
async def test_nothing_to_say_is_a_take_without_sound(
    server: str, twin: Connect, text: str
) -> None:
    async with twin(server) as session:
        take = await session.speak(text)
        assert len(await take.pcm()) == 0
        assert (await take.result()).samples == 0
        assert take.first_audio_ms is None


async def test_a_voice_that_is_not_there_is_refused_by_name(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        with pytest.raises(RequestRefused, match="nobody") as refused:
            await session.speak(LINE, voice="nobody")
        assert (refused.value.code, refused.value.field) == ("unknown_voice", "voice")


async def test_a_voice_that_breaks_fails_its_take_alone(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        take = await session.speak(LINE, voice="broken")
        with pytest.raises(TakeHasFailed) as failed:
            await take.pcm()
        assert failed.value.code == "stage_failed"
        assert len(await (await session.speak("fine")).pcm())


async def test_text_after_finish_is_refused(server: str, twin: Connect) -> None:
    async with twin(server, lead_ms=100) as session:
        take = await session.speak(LONG, more=True)
        await take.finish()
        await take.append("more")
        with pytest.raises(RequestRefused, match="can't append") as refused:
            await take.result()
        assert refused.value.code == "wrong_state"
        await take.cancel()


async def test_text_for_a_take_that_is_over_is_not_sent(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        take = await session.speak("hello")
        await take.result()
        with pytest.raises(ClientError, match="is over"):
            await take.append("more")


async def test_warnings_are_told_and_kept_with_the_take(server: str, twin: Connect) -> None:
    told: list[Notice] = []
    async with twin(server, on_notice=told.append) as session:
        take = await session.speak("hello", direction="softly")
        await take.result()
    assert [warning.code for warning in take.warnings] == ["direction_unsupported"]
    assert told == list(take.warnings)


async def test_the_session_says_what_the_server_has(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        assert [voice.id for voice in session.voices] == ["low", "high", "broken"]
        assert session.engine.family == "arithmetic"
        assert session.audio.sample_rate == arithmetic.RATE
        assert session.limits.text_chars > 0


async def test_no_server_is_said_so_with_the_address(twin: Connect) -> None:
    with local.running(settings(), lambda _: arithmetic.load()) as gone:
        pass
    with pytest.raises(ConnectFailed, match=r"no server answers at ws://127.*is it running\?"):
        async with twin(gone):
            pass


async def test_a_server_without_a_session_there_is_said_so(server: str, twin: Connect) -> None:
    with pytest.raises(ConnectFailed, match="HTTP 40"):
        async with twin(f"{server}nothing/here"):
            pass


async def test_a_server_that_goes_away_ends_the_take_with_the_reason(twin: Connect) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(local.running(settings(), lambda _: arithmetic.load()))
        async with twin(url, lead_ms=100, on_notice=lambda _: None) as session:
            take = await session.speak(LONG)
            await asyncio.to_thread(stack.close)
            with pytest.raises(ConnectionLost) as lost:
                await take.pcm()
            assert lost.value.code == 1012
            with pytest.raises(ConnectionLost):
                await session.speak("more")


async def test_giving_up_on_an_answer_does_not_end_the_session(server: str) -> None:
    async with connect(server, format="pcm16") as session:
        asking = asyncio.create_task(session.speak(LONG))
        await asyncio.sleep(0)  # It has written its frame and waits.
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        heard = await (await session.speak("fine")).pcm()
    assert np.array_equal(heard, arithmetic.whole("fine"))


async def test_nothing_is_left_running(server: str, twin: Connect) -> None:
    async with twin(server) as session:
        await (await session.speak("hello")).result()
    names = [thread.name for thread in threading.enumerate()]
    tasks = [task.get_name() for task in asyncio.all_tasks()]
    assert "voice-client-reader" not in names + tasks
