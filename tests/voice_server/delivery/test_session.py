"""All takes of a session: fair turns, whole order within each, and nothing kept too long."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import Performance, Word
from sessions import events
from sessions.commands import Playback, Underrun
from tests.voice_server.delivery.sounds import RATE, speech
from voice_server.delivery.encoding import EncoderSettings
from voice_server.delivery.pacing import Pace
from voice_server.delivery.session import ENDED, MAX_TEXTS, SessionDelivery
from voice_server.delivery.stats import DeliveryCounters
from voice_server.delivery.take import Outgoing
from voice_server.wire import messages as wire
from voice_server.wire.audio_frame import AudioFrame


def session(counters: DeliveryCounters | None = None, lead_ms: float = 200) -> SessionDelivery:
    return SessionDelivery(
        EncoderSettings("pcm16", RATE, 20),
        Pace.of_ms(RATE, lead_ms, 1_000),
        counters or DeliveryCounters(),
    )


def started(number: int) -> events.TakeStarted:
    return events.TakeStarted(
        f"t{number}", "l", number, "spoken", "v", "Hi there.", Performance(), reply_to=f"m{number}"
    )


def sound(number: int, start: int, end: int) -> events.TakeAudio:
    return events.TakeAudio(f"t{number}", number, start, speech(1.0)[start:end], 4)


def finished(number: int, samples: int, asked_at: float = 0.0) -> events.TakeFinished:
    making = events.Making(asked_at)
    return events.TakeFinished(f"t{number}", number, samples, Performance(), making, f"m{number}")


def played_out(delivery: SessionDelivery, now: float) -> list[Outgoing]:
    given: list[Outgoing] = []
    while (due := delivery.next_due(now)) is not None:
        now = max(now, due)
        given += delivery.poll(now)
    return given


def streams(given: list[Outgoing]) -> list[int]:
    return [one.stream for one in given if isinstance(one, AudioFrame)]


def test_takes_get_turns_by_what_is_due_first() -> None:
    delivery = session()
    for number in (1, 2, 3):
        delivery.handle(started(number), 0.0)
        delivery.handle(sound(number, 0, RATE), 0.0)
    given = streams(delivery.poll(0.0, most=1_000))
    assert given == [1, 2, 3] * 10
    assert streams(delivery.poll(0.02, most=1_000)) == [1, 2, 3]


def test_a_take_that_is_far_behind_does_not_wait_for_the_others() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.poll(0.0, most=4)
    delivery.handle(started(2), 0.5)
    delivery.handle(sound(2, 0, RATE), 0.5)
    given = streams(delivery.poll(0.5, most=12))
    assert given[:4] == [1, 1, 1, 1]
    assert 2 in streams(delivery.poll(0.5, most=40))


def test_poll_gives_no_more_than_asked_and_says_that_more_is_due() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    assert len(delivery.poll(0.0, most=3)) == 3
    assert delivery.next_due(0.0) == 0.0
    delivery.poll(0.0)
    due = delivery.next_due(0.0)
    assert due is not None
    assert due > 0.0


def test_messages_of_the_session_go_before_audio() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.say(wire.Pong("p"))
    refused = events.Refused("unknown_take", "no such take", "take_id", "x")
    delivery.handle(refused, 0.0)
    warned = events.Warned("queued", "wait", "nobody")
    delivery.handle(warned, 0.0)
    assert delivery.poll(0.0, most=4) == [wire.Pong("p"), refused, warned, started(1)]


def test_a_warning_of_a_take_comes_after_its_start() -> None:
    delivery = session()
    warned = events.Warned("unreadable", "x", "t1")
    delivery.handle(started(1), 0.0)
    delivery.handle(warned, 0.0)
    assert delivery.poll(0.0) == [started(1), warned]


def test_first_audio_counts_from_when_the_command_came() -> None:
    delivery = session()
    delivery.handle(started(1), 5.0)
    delivery.handle(sound(1, 0, RATE), 5.0)
    delivery.handle(finished(1, RATE, asked_at=4.0), 5.0)
    done = played_out(delivery, 5.0)[-1]
    assert isinstance(done, wire.TakeDone)
    assert (done.first_audio_ms, done.rtf) == (1_000.0, 1.0)


def test_a_cancelled_take_says_so_once_and_the_others_go_on() -> None:
    delivery = session()
    for number in (1, 2):
        delivery.handle(started(number), 0.0)
        delivery.handle(sound(number, 0, RATE), 0.0)
    delivery.poll(0.0, most=1_000)
    delivery.handle(events.TakeCancelled("t1", 1, 100.0, "c"), 0.1)
    delivery.handle(sound(1, RATE, RATE), 0.1)
    given = played_out(delivery, 0.1)
    assert given[0] == wire.TakeCancelled("t1", 200.0, "", "Hi there.", "c")
    assert set(streams(given)) == {2}


def test_a_cancel_that_crossed_take_done_is_answered_too() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, 4_800), 0.0)
    delivery.handle(finished(1, 4_800), 0.0)
    played_out(delivery, 0.0)
    assert delivery.takes == 0
    delivery.handle(events.TakeCancelled("t1", 1, None, "c"), 1.0)
    assert delivery.poll(1.0) == [wire.TakeCancelled("t1", 200.0, reply_to="c")]
    delivery.handle(events.TakeCancelled("t9", 9, None, "c"), 1.0)
    assert delivery.poll(1.0) == [wire.TakeCancelled("t9", 0.0, reply_to="c")]


def test_the_players_last_report_comes_after_take_done_and_counts() -> None:
    counters = DeliveryCounters()
    delivery = session(counters)
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, 4_800), 0.0)
    delivery.handle(finished(1, 4_800), 0.0)
    played_out(delivery, 0.0)
    delivery.report(Playback("t1", 200.0, (Underrun(10.0, 20.0),)), 1.0)
    delivery.report(Playback("nobody", 200.0), 1.0)
    assert counters.player_underruns == 1


def test_memory_of_takes_that_are_out_is_bounded() -> None:
    counters = DeliveryCounters()
    delivery = session(counters)
    for number in range(1, 4 * ENDED):
        delivery.handle(started(number), 0.0)
        delivery.handle(sound(number, 0, 960), 0.0)
        delivery.handle(finished(number, 960), 0.0)
        played_out(delivery, 0.0)
    assert delivery.takes == 0
    assert len(delivery._ended) == ENDED
    assert delivery.waiting_samples == 0
    assert counters.snapshot().takes_done == 4 * ENDED - 1


def test_whoever_feeds_is_told_when_too_much_waits() -> None:
    delivery = session()
    for _ in range(MAX_TEXTS):
        assert not delivery.full
        delivery.say(wire.Pong())
    assert delivery.full
    delivery.poll(0.0, most=1)
    assert not delivery.full


def test_credits_are_told_when_they_change() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(started(2), 0.0)
    assert [one.take_id for one in delivery.credits(0.0)] == ["t1", "t2"]
    assert delivery.credits(0.0) == []
    delivery.handle(sound(2, 0, RATE), 0.1)
    delivery.poll(0.1)
    (told,) = delivery.credits(0.1)
    assert (told.take_id, told.credit.plays_at) == ("t2", 0.1)


def test_close_gives_everything_back() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.say(wire.Pong())
    delivery.close()
    assert (delivery.takes, delivery.texts, delivery.waiting_samples) == (0, 0, 0)
    assert delivery.next_due(99.0) is None


steps = st.lists(
    st.tuples(st.sampled_from(("sound", "words", "wait", "finish", "cancel")), st.integers(1, 3)),
    max_size=40,
)


class Script:
    """Feeds a session by steps that may come in any order, as a session room would send them."""

    def __init__(self, lead_ms: float) -> None:
        self.delivery = session(lead_ms=lead_ms)
        self.given: list[Outgoing] = []
        self.now = 0.0
        self.made = {1: 0, 2: 0, 3: 0}
        self.over: set[int] = set()
        for number in self.made:
            self.delivery.handle(started(number), 0.0)

    def step(self, kind: str, number: int) -> None:
        if kind == "wait":
            self.now += 0.137 * number
            self.given += self.delivery.poll(self.now, most=7)
        elif number not in self.over:
            self.feed(kind, number)

    def feed(self, kind: str, number: int) -> None:
        made = self.made[number]
        if kind == "words":
            word = Word(0, "Hi", made, made + 10, (0, 2))
            self.delivery.handle(events.TakeWords(f"t{number}", (word,)), self.now)
        elif kind == "sound":
            self.made[number] = min(RATE, made + 1_800)
            self.delivery.handle(sound(number, made, self.made[number]), self.now)
        elif kind == "finish":
            self.over.add(number)
            self.delivery.handle(finished(number, made), self.now)
        else:
            self.over.add(number)
            self.delivery.handle(events.TakeCancelled(f"t{number}", number, None), self.now)

    def finish(self) -> None:
        for number in set(self.made) - self.over:
            self.feed("finish", number)
        self.given += played_out(self.delivery, self.now)


def of_take(given: list[Outgoing], number: int) -> list[Outgoing]:
    return [
        one
        for one in given
        if (one.stream == number if isinstance(one, AudioFrame) else one.take_id == f"t{number}")
    ]


@settings(max_examples=60)
@given(steps, st.sampled_from((100, 500)))
def test_whatever_comes_each_take_keeps_its_order(found: list[tuple[str, int]], lead: int) -> None:
    script = Script(lead)
    for kind, number in found:
        script.step(kind, number)
    script.finish()
    for number, made in script.made.items():
        own = of_take(script.given, number)
        frames = [one for one in own if isinstance(one, AudioFrame)]
        assert own[0] == started(number)
        assert [frame.seq for frame in frames] == list(range(len(frames)))
        if isinstance(own[-1], wire.TakeDone):
            assert own[-1].samples == made
            assert sum(len(frame.payload) for frame in frames) == 2 * made
        else:
            assert isinstance(own[-1], wire.TakeCancelled)
            assert own[-1].sent_ms * 24 == sum(len(frame.payload) for frame in frames) / 2
        enders = (wire.TakeDone, wire.TakeCancelled)
        assert [isinstance(one, enders) for one in own].count(True) == 1
        marks = {one.words[0].start_ms for one in own if isinstance(one, wire.TakeWords)}
        for before, after in itertools.pairwise(own):
            if isinstance(before, AudioFrame) and isinstance(after, wire.TakeWords):
                assert before.timestamp / 24 <= max(marks)
    assert script.delivery.takes == 0


def following(number: int, pause_ms: float = 500.0) -> events.TakeStarted:
    return replace(started(number), scene_id="s", follows=f"t{number - 1}", pause_ms=pause_ms)


def test_a_take_that_follows_another_is_sent_when_its_turn_comes() -> None:
    """Two lines of a second, half a second apart, with a lead of 200 ms: the second line's first
    packet is due 200 ms before 1.5 s."""
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.handle(finished(1, RATE), 0.0)
    delivery.handle(following(2), 0.1)
    delivery.handle(sound(2, 0, RATE), 0.1)
    delivery.handle(finished(2, RATE, asked_at=0.1), 0.1)
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    now = 0.1
    while (due := delivery.next_due(now)) is not None:
        now = max(now, due)
        for one in delivery.poll(now):
            if isinstance(one, AudioFrame):
                first.setdefault(one.stream, now)
                last[one.stream] = now
            if isinstance(one, wire.TakeDone):
                assert one.underruns.count == 0
                assert one.first_audio_ms == 0.0 if one.take_id == "t2" else True
    assert abs(first[2] - (0.1 + 1.5 - 0.2)) < 0.001
    assert last[1] < first[2]
    assert abs(last[2] - (0.1 + 2.5 - 0.2)) < 0.021


def test_a_line_that_comes_after_its_turn_is_an_underrun() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.handle(finished(1, RATE), 0.0)
    played_out(delivery, 0.0)
    delivery.handle(following(2), 1.0)
    delivery.handle(sound(2, 0, RATE), 1.9)
    delivery.handle(finished(2, RATE), 1.9)
    (done,) = [one for one in played_out(delivery, 1.9) if isinstance(one, wire.TakeDone)]
    assert (done.underruns.count, done.underruns.total_ms) == (1, 400.0)


def test_a_line_whose_turn_comes_after_one_that_was_stopped_does_not_wait_for_it() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.handle(finished(1, RATE), 0.0)
    delivery.handle(following(2), 0.0)
    delivery.handle(sound(2, 0, RATE), 0.0)
    assert 2 not in streams(delivery.poll(0.0))
    delivery.handle(events.TakeCancelled("t1", 1, None), 0.2)
    assert 2 not in streams(delivery.poll(0.49))
    assert 2 in streams(delivery.poll(0.51))


def test_a_listener_who_pauses_holds_the_next_line_back() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.handle(finished(1, RATE), 0.0)
    delivery.handle(following(2), 0.0)
    delivery.handle(sound(2, 0, RATE), 0.0)
    delivery.poll(0.0)
    for at in range(1, 100):
        delivery.report(Playback("t1", 100.0), at / 10)
        assert 2 not in streams(delivery.poll(at / 10)), at


def test_silent_lines_do_not_pile_up() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(sound(1, 0, RATE), 0.0)
    delivery.handle(finished(1, RATE), 0.0)
    for number in range(2, 3_000):
        delivery.handle(following(number), 0.0)
        delivery.handle(finished(number, 0), 0.0)
        delivery.poll(0.0)
    assert delivery.takes == 1


def test_the_end_of_a_scene_is_told_after_the_ends_of_its_takes() -> None:
    delivery = session()
    delivery.handle(started(1), 0.0)
    delivery.handle(events.TakeFailed("t1", 1, "broke", "it broke"), 0.0)
    delivery.handle(events.SceneDone("s", 0), 0.0)
    given = delivery.poll(0.0)
    assert [type(one) for one in given] == [wire.TakeStarted, wire.TakeFailed, wire.SceneDone]
