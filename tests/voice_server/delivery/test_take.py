"""One take: the order of what comes out, what is measured of it, and how it ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.types import Performance, Word
from sessions import events
from sessions.commands import Playback, Underrun
from tests.voice_server.delivery.sounds import RATE, speech
from voice_server.delivery.encoding import EncoderSettings
from voice_server.delivery.errors import DeliveryError
from voice_server.delivery.opus import OpusTakeDecoder
from voice_server.delivery.pacing import Pace
from voice_server.delivery.stats import DeliveryCounters
from voice_server.delivery.take import Outgoing, TakeDelivery
from voice_server.wire import messages as wire
from voice_server.wire.audio_frame import AudioFrame

STARTED = events.TakeStarted("t1", "l1", 3, "spoken", "v", "Hello there.", Performance(), None)
MAKING = events.Making(10.0, 0.125, 10.15, (4, 10))
FINISHED = events.TakeFinished("t1", 3, RATE, Performance(), MAKING, "m1")
WORDS = (Word(0, "Hello", 0, 9_000, (0, 5)), Word(1, "there", 9_600, 20_000, (6, 11)))


def take(counters: DeliveryCounters | None = None, lead_ms: float = 200) -> TakeDelivery:
    return TakeDelivery(
        STARTED,
        EncoderSettings("opus", RATE, 20).encoder(),
        Pace.of_ms(RATE, lead_ms, 1_000),
        counters or DeliveryCounters(),
    )


def sound(start: int, end: int) -> events.TakeAudio:
    return events.TakeAudio("t1", 3, start, speech(1.0)[start:end], 4)


def due(delivery: TakeDelivery, now: float) -> list[Outgoing]:
    given = []
    while (at := delivery.due_at(now)) is not None and at <= now:
        given.append(delivery.take_next(now))
    return given


def played_out(delivery: TakeDelivery, now: float) -> list[Outgoing]:
    given = due(delivery, now)
    while (at := delivery.due_at(now)) is not None:
        now = max(now, at)
        given += due(delivery, now)
    return given


def test_a_whole_take_comes_in_order_and_decodes_to_its_samples() -> None:
    delivery = take()
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.audio(sound(0, 7_200), 10.2)
    delivery.audio(sound(7_200, RATE), 10.3)
    delivery.finished(FINISHED, 10.4)
    given = played_out(delivery, 10.5)
    assert given[0] is STARTED
    assert isinstance(given[1], wire.TakeWords)
    assert isinstance(given[-1], wire.TakeDone)
    frames = [one for one in given if isinstance(one, AudioFrame)]
    assert given[2:-1] == frames
    assert [frame.seq for frame in frames] == list(range(51))
    assert {frame.stream for frame in frames} == {3}
    assert [frame.last for frame in frames] == [False] * 50 + [True]
    decoder = OpusTakeDecoder(RATE, 60)
    parts = [decoder.feed(frame.payload, frame.last) for frame in frames]
    assert len(np.concatenate([*parts, decoder.finish(given[-1].samples)])) == RATE
    assert delivery.drained


def test_take_done_says_what_was_measured() -> None:
    counters = DeliveryCounters()
    delivery = take(counters, lead_ms=400)
    delivery.audio(sound(0, 7_200), 10.2)
    due(delivery, 10.25)
    delivery.audio(sound(7_200, RATE), 11.0)
    delivery.finished(FINISHED, 11.0)
    made = wire.Made(frames_ms=150.0, windows=(4, 10), held_ms=50.0)
    done = played_out(delivery, 11.0)[-1]
    starved = 1000 * (11.0 - 10.25) - 1000 * (7_200 - 60) / RATE
    expected = wire.Underruns(1, round(starved, 3), round(starved, 3), "server")
    assert done == wire.TakeDone(
        "t1",
        RATE,
        1_000.0,
        first_audio_ms=250.0,
        rtf=1.0,
        underruns=expected,
        performance=Performance(),
        reply_to="m1",
        queued_ms=125.0,
        made=made,
    )
    stats = counters.snapshot()
    assert (stats.takes_started, stats.takes_done, stats.packets) == (1, 1, 51)
    assert stats.server_underruns == 1
    assert stats.server_underrun_s == pytest.approx(starved / 1000)
    assert stats.longest_underrun.counts == (0, 0, 0, 0, 1, 0, 0, 0)
    assert sum(stats.lateness.counts) == 51
    assert stats.first_audio.counts[4] == 1
    assert stats.queued.counts[2] == 1


def test_a_first_window_that_is_held_back_is_heard_later_and_said_to_be() -> None:
    delivery = take(lead_ms=400)
    first = replace(sound(0, 7_200), hold=0.5)
    delivery.audio(first, 10.2)
    assert not any(isinstance(one, AudioFrame) for one in due(delivery, 10.69))
    assert delivery.due_at(10.69) == pytest.approx(10.7)
    delivery.audio(sound(7_200, RATE), 10.6)
    delivery.finished(FINISHED, 10.6)
    done = played_out(delivery, 10.7)[-1]
    assert isinstance(done, wire.TakeDone)
    assert done.first_audio_ms == pytest.approx(700.0)
    assert done.underruns == wire.Underruns(0, 0.0, 0.0, "server")


def test_words_are_given_in_milliseconds_before_the_audio_they_speak_of() -> None:
    delivery = take()
    due(delivery, 10.0)
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.audio(sound(0, RATE), 10.0)
    first = delivery.take_next(10.0)
    assert first == wire.TakeWords(
        "t1",
        (
            wire.WordTime(0, "Hello", 0.0, 375.0, (0, 5)),
            wire.WordTime(1, "there", 400.0, 833.333, (6, 11)),
        ),
    )


def test_a_take_without_sound_is_done_at_once() -> None:
    counters = DeliveryCounters()
    delivery = take(counters)
    delivery.finished(
        events.TakeFinished("t1", 3, 0, Performance(), events.Making(10.0), "m1"), 10.1
    )
    nothing = wire.Underruns(0, 0.0, 0.0, "server")
    done = wire.TakeDone("t1", 0, 0.0, None, None, nothing, Performance(), reply_to="m1")
    assert due(delivery, 10.1) == [STARTED, done]
    assert delivery.drained
    assert sum(counters.snapshot().rtf.counts) == 0


def test_after_a_cancel_there_is_one_message_and_nothing_else() -> None:
    counters = DeliveryCounters()
    delivery = take(counters)
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.audio(sound(0, RATE), 10.0)
    due(delivery, 10.0)
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.cancelled(events.TakeCancelled("t1", 3, 150.0, "c", "Hello there. More."), 0.0)
    delivery.audio(sound(0, 480), 10.1)
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.finished(FINISHED, 10.1)
    sent_ms = 200.0 - 2.5
    expected = wire.TakeCancelled("t1", sent_ms, "Hello", " there. More.", "c")
    assert due(delivery, 99.0) == [expected]
    assert delivery.due_at(99.0) is None
    assert counters.snapshot().takes_cancelled == 1


@pytest.mark.parametrize(("played_ms", "heard"), [(0.0, ""), (1e9, "Hello"), (None, None)])
def test_what_was_heard_is_clamped_to_what_was_sent(
    played_ms: float | None, heard: str | None
) -> None:
    delivery = take()
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.audio(sound(0, RATE), 10.0)
    due(delivery, 10.0)
    delivery.cancelled(events.TakeCancelled("t1", 3, played_ms), 0.0)
    (answer,) = due(delivery, 10.0)
    assert isinstance(answer, wire.TakeCancelled)
    assert answer.heard == heard


def test_a_cancel_before_anything_was_written_still_tells_that_it_started() -> None:
    delivery = take()
    warned = events.Warned("unreadable", "x", "t1")
    delivery.warned(warned)
    delivery.words(events.TakeWords("t1", WORDS))
    delivery.audio(sound(0, 7_200), 10.0)
    delivery.cancelled(events.TakeCancelled("t1", 3, None), 0.0)
    assert due(delivery, 10.0) == [STARTED, warned, wire.TakeCancelled("t1", 0.0)]


def test_a_failure_ends_the_take() -> None:
    delivery = take()
    delivery.audio(sound(0, RATE), 10.0)
    due(delivery, 10.0)
    delivery.failed(events.TakeFailed("t1", 3, "stage_failed", "it broke", "m"), 0.0)
    failed = wire.TakeFailed("t1", wire.Failure("stage_failed", "it broke"), "m")
    assert due(delivery, 99.0) == [failed]


def test_the_players_underruns_replace_the_servers() -> None:
    counters = DeliveryCounters()
    delivery = take(counters)
    delivery.audio(sound(0, RATE), 10.0)
    delivery.finished(FINISHED, 10.0)
    due(delivery, 10.0)
    delivery.report(Playback("t1", 40.0, (Underrun(20.0, 30.0),)), 10.1)
    done = played_out(delivery, 10.1)[-1]
    assert isinstance(done, wire.TakeDone)
    assert done.underruns == wire.Underruns(1, 30.0, 30.0, "player")
    assert counters.player_underruns == 1
    assert counters.player_underrun_s == pytest.approx(0.03)


def test_sound_that_does_not_follow_is_refused() -> None:
    delivery = take()
    with pytest.raises(DeliveryError, match="from sample 0, got 480"):
        delivery.audio(sound(480, 960), 10.0)
    delivery.audio(sound(0, 480), 10.0)
    with pytest.raises(DeliveryError, match="480 came"):
        delivery.finished(FINISHED, 10.0)


def test_credit_is_told_in_steps_and_no_more_once_all_is_made() -> None:
    delivery = take()
    first = delivery.new_credit(10.0)
    assert first is not None
    assert (first.until, first.plays_at) == (28_800, None)
    assert delivery.new_credit(10.0) is None
    delivery.audio(sound(0, RATE), 10.5)
    due(delivery, 10.5)
    started = delivery.new_credit(10.5)
    assert started is not None
    assert started.plays_at == 10.5
    due(delivery, 10.7)
    assert delivery.new_credit(10.7) is None
    due(delivery, 10.76)
    grown = delivery.new_credit(10.76)
    assert grown is not None
    assert 6_000 <= grown.until - started.until <= 6_240
    delivery.finished(FINISHED, 10.8)
    assert delivery.new_credit(11.2) is None


def test_close_gives_back_and_says_nothing() -> None:
    delivery = take()
    delivery.audio(sound(0, RATE), 10.0)
    delivery.close()
    assert delivery.due_at(99.0) is None
    assert delivery.waiting_samples == 0
