"""Pacing in virtual time: never too far ahead, nothing lost, and underruns as a player has them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.commands import Playback, Underrun
from voice_server.delivery.errors import DeliveryError
from voice_server.delivery.pacing import Pace, TakePacer
from voice_server.delivery.packet import Packet
from voice_server.delivery.playout import HELD_S
from voice_server.wire.server_messages import Underruns

RATE = 24_000
FRAME = 480
PACE = Pace.of_ms(RATE, lead_ms=500, make_ahead_ms=1_000)


def packets(count: int, first: int = 0, last: bool = False) -> list[Packet]:
    return [
        Packet(b"x", n * FRAME, (n + 1) * FRAME, last and n == first + count - 1)
        for n in range(first, first + count)
    ]


def write_due(pacer: TakePacer, now: float) -> list[Packet]:
    written = []
    while (due := pacer.due_at(now)) is not None and due <= now:
        written.append(pacer.take(now).packet)
    return written


def report(played_ms: float, *underruns: Underrun) -> Playback:
    return Playback("t", played_ms, underruns)


def test_the_lead_goes_at_once_and_the_rest_as_it_is_played() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(100), now=10.0)
    assert len(write_due(pacer, 10.0)) == 25
    assert pacer.due_at(10.0) == pytest.approx(10.02)
    assert write_due(pacer, 10.0199) == []
    assert len(write_due(pacer, 10.02)) == 1
    assert len(write_due(pacer, 10.3)) == 14


@given(hold=st.floats(0, 20), count=st.integers(1, 60))
def test_what_is_held_back_is_due_after_that(hold: float, count: int) -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(count), now=10.0, hold=hold)
    assert pacer.due_at(10.0) == pytest.approx(10.0 + hold)
    written = pacer.take(10.0 + hold)
    assert written.lateness == pytest.approx(0.0)
    assert pacer.first_at == 10.0 + hold


def test_lateness_is_counted_from_when_a_packet_could_have_gone() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(26), now=1.0)
    assert pacer.take(1.25).lateness == pytest.approx(0.25)
    assert len(write_due(pacer, 1.25)) == 24
    assert pacer.take(1.30).lateness == pytest.approx(0.03)
    pacer.offer(packets(1, first=26), now=9.0)
    assert pacer.take(9.0).lateness == 0.0


def test_taking_what_is_not_due_is_refused() -> None:
    pacer = TakePacer(PACE)
    with pytest.raises(DeliveryError):
        pacer.take(0.0)
    pacer.offer(packets(26), now=0.0)
    write_due(pacer, 0.0)
    with pytest.raises(DeliveryError):
        pacer.take(0.001)


def test_credit_follows_the_listener() -> None:
    pacer = TakePacer(PACE)
    assert (pacer.credit(5.0).until, pacer.credit(5.0).plays_at) == (36_000, None)
    pacer.offer(packets(50), now=5.0)
    write_due(pacer, 5.0)
    assert (pacer.credit(5.1).until, pacer.credit(5.1).plays_at) == (38_400, 5.0)
    pacer.report(report(40.0), now=5.2)
    assert pacer.credit(5.2).until == 36_960
    assert pacer.credit(5.2).plays_at == pytest.approx(5.16)


def test_a_report_overrides_the_servers_clock() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(60), now=0.0)
    write_due(pacer, 0.0)
    pacer.report(report(100.0), now=0.4)
    assert pacer.played(0.4) == 2_400
    assert pacer.sent == 12_000
    assert len(write_due(pacer, 0.4)) == 5
    assert pacer.underruns().source == "player"


def test_a_paused_player_is_not_sent_the_whole_take() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(5_000), now=0.0)
    for second in range(60):
        write_due(pacer, float(second))
        pacer.report(report(300.0), now=second + 0.5)
    assert pacer.sent <= (0.3 + 0.5 + HELD_S) * RATE
    assert pacer.due_at(60.0) is None
    pacer.report(report(400.0), now=61.0)
    assert pacer.due_at(61.0) is not None


def test_a_player_that_waits_for_more_than_the_lead_still_gets_it() -> None:
    """Its jitter buffer wants a second before it starts; the lead is half of that."""
    pacer = TakePacer(PACE)
    pacer.offer(packets(5_000), now=0.0)
    now = 0.0
    while pacer.sent < RATE and now < 5:
        write_due(pacer, now)
        pacer.report(report(0.0), now)
        now += 0.1
    assert pacer.sent >= RATE


def test_a_player_that_stops_reporting_is_taken_to_play_on() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(1_000), now=0.0)
    write_due(pacer, 0.0)
    pacer.report(report(0.0), now=0.1)
    for tick in range(1, 500):
        write_due(pacer, 0.1 + tick * 0.02)
    assert pacer.sent > 9 * RATE


@pytest.mark.parametrize("nonsense", [1e9, 0.0, 123_456.789])
def test_nonsense_reports_are_clamped(nonsense: float) -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(10), now=0.0)
    write_due(pacer, 0.0)
    pacer.report(report(50.0), now=0.1)
    pacer.report(report(nonsense, Underrun(1e9, 1e9), Underrun(0.0, 1e9)), now=0.15)
    assert 1_200 <= pacer.played(0.15) <= 4_800
    assert pacer.underruns().total_ms <= 150.0


def test_reports_before_the_first_packet_say_nothing() -> None:
    pacer = TakePacer(PACE)
    assert pacer.report(report(50.0, Underrun(0, 5)), now=0.0) == ()
    assert not pacer.reported


def test_underruns_of_the_player_add_up_over_reports() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(100), now=0.0)
    write_due(pacer, 0.0)
    pacer.report(report(10.0, Underrun(5.0, 30.0)), now=1.0)
    pacer.report(report(90.0, Underrun(50.0, 70.0), Underrun(80.0, 0.0)), now=2.0)
    assert pacer.underruns() == Underruns(2, 100.0, 70.0, "player")


def test_an_empty_last_block_is_no_underrun() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(1), now=0.0)
    write_due(pacer, 0.0)
    pacer.offer([Packet(b"", FRAME, FRAME, last=True)], now=3.0)
    assert [packet.last for packet in write_due(pacer, 3.0)] == [True]
    assert pacer.underruns() == Underruns(0, 0.0, 0.0, "server")


def test_cancel_drops_what_waits_and_says_what_was_sent() -> None:
    pacer = TakePacer(PACE)
    pacer.offer(packets(100), now=0.0)
    write_due(pacer, 0.0)
    assert pacer.cancel() == 12_000
    assert pacer.due_at(100.0) is None
    with pytest.raises(DeliveryError):
        pacer.offer(packets(1), now=1.0)


@dataclass(frozen=True)
class Arrival:
    """After `wait` seconds, `count` packets are made; the writer is `lag` seconds late."""

    wait: float
    count: int
    lag: float


arrivals = st.lists(
    st.builds(Arrival, st.floats(0, 1.5), st.integers(1, 40), st.sampled_from((0.0, 0.013, 0.2))),
    min_size=1,
    max_size=12,
)
leads = st.sampled_from((100, 500, 2_000))


def run(found: list[Arrival], lead_ms: int) -> tuple[TakePacer, list[tuple[float, Packet]], float]:
    """Plays the arrivals through a pacer; every packet with the time it was written."""
    pacer = TakePacer(Pace.of_ms(RATE, lead_ms, 1_000))
    log: list[tuple[float, Packet]] = []
    now, made = 100.0, 0
    for arrival in found:
        until = now + arrival.wait
        now = drive(pacer, log, now, until, arrival.lag)
        pacer.offer(packets(arrival.count, made), now)
        made += arrival.count
    end = drive(pacer, log, now, math.inf, 0.0)
    return pacer, log, end


def drive(
    pacer: TakePacer, log: list[tuple[float, Packet]], now: float, until: float, lag: float
) -> float:
    while (due := pacer.due_at(now)) is not None and max(now, due + lag) <= until:
        now = max(now, due + lag)
        log.append((now, pacer.take(now).packet))
    return until if until < math.inf else now


def brute_force(log: list[tuple[float, Packet]], tick: float) -> float:
    """Total starvation of a player that plays tick by tick, from the first packet to the last."""
    played, starved = 0.0, 0.0
    now, last = log[0][0], log[-1][0]
    arrived = 0
    have = 0
    while now < last:
        while arrived < len(log) and log[arrived][0] <= now:
            have = log[arrived][1].end
            arrived += 1
        if played < have:
            played += tick * RATE
        else:
            starved += tick
        now += tick
    return starved


def exact(log: list[tuple[float, Packet]]) -> list[float]:
    """By the definition: how late each packet is against the end of the sound so far."""
    found = []
    ends_at = log[0][0] + log[0][1].end / RATE
    for (at, packet), (_, before) in zip(log[1:], log, strict=False):
        if at > ends_at + 1e-6:
            found.append(at - ends_at)
            ends_at = at
        ends_at += (packet.end - before.end) / RATE
    return found


@given(arrivals, leads)
def test_nothing_is_lost_reordered_or_sent_past_the_lead(found: list[Arrival], lead: int) -> None:
    _, log, _ = run(found, lead)
    assert [packet for _, packet in log] == packets(sum(one.count for one in found))
    start, paused = log[0][0], 0.0
    ends = 0
    for at, packet in log:
        paused += max(0.0, at - (start + paused + ends / RATE)) if ends else 0.0
        heard = (at - start - paused) * RATE
        assert packet.end - heard <= lead * RATE / 1000 + 1
        ends = packet.end


@given(arrivals, leads)
def test_underruns_are_those_of_the_definition(found: list[Arrival], lead: int) -> None:
    pacer, log, _ = run(found, lead)
    expected = exact(log)
    got = pacer.underruns()
    assert (got.count, got.source) == (len(expected), "server")
    assert got.total_ms == pytest.approx(1000 * sum(expected), abs=0.01)
    assert got.longest_ms == pytest.approx(1000 * max(expected, default=0.0), abs=0.01)


@given(arrivals)
def test_underruns_are_those_of_a_player_that_plays_tick_by_tick(found: list[Arrival]) -> None:
    pacer, log, _ = run(found, 500)
    got = pacer.underruns()
    allowed = 0.001 * (2 * got.count + 2)
    assert got.total_ms / 1000 == pytest.approx(brute_force(log, 0.001), abs=allowed)


@given(
    st.lists(st.tuples(st.floats(0, 2), st.floats(0, 1e6), st.floats(0, 1e6)), max_size=20), leads
)
def test_whatever_the_player_says_played_stays_sane(
    told: list[tuple[float, float, float]], lead: int
) -> None:
    pacer = TakePacer(Pace.of_ms(RATE, lead, 1_000))
    pacer.offer(packets(300), now=0.0)
    now, heard = 0.0, 0
    for wait, played_ms, underrun_ms in told:
        now += wait
        write_due(pacer, now)
        pacer.report(report(played_ms, Underrun(0.0, underrun_ms)), now)
        heard = max(heard, min(int(played_ms * RATE / 1000), pacer.sent))
        assert heard <= pacer.played(now) <= pacer.sent
        assert pacer.underruns().total_ms <= 1000 * now + 0.001


@given(st.floats(0.05, 3.0), st.sampled_from((100, 500, 2_000)), st.sampled_from((0, 240, 4_000)))
def test_what_waits_is_bounded_by_the_credit_and_the_sound_never_stops(
    window_s: float, lead_ms: int, ahead_ms: int
) -> None:
    """An engine as fast as it may be, that makes windows as the credit allows."""
    pace = Pace.of_ms(RATE, lead_ms, ahead_ms)
    pacer = TakePacer(pace)
    window = max(1, int(window_s * RATE / FRAME))
    made, total, now, told = 0, 600, 0.0, 0
    while made < total or pacer.waiting:
        until = pacer.credit(now).until
        told = until if until - told >= pace.credit_step else told
        while made < total and made * FRAME < told:
            pacer.offer(packets(min(window, total - made), made), now)
            made = min(total, made + window)
        bound = pace.lead + pace.make_ahead + window * FRAME
        assert made * FRAME - pacer.played(now) <= bound
        write_due(pacer, now)
        due = pacer.due_at(now)
        assert due is not None or made == total or pacer.credit(now).until - told >= 1
        now = due if due is not None else now
    assert pacer.underruns().count == 0
