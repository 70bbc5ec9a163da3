"""The coordinator with real stages in real threads."""

from __future__ import annotations

import asyncio
import gc
import random
import threading

import numpy as np
import pytest

from engine.coordinator import Coordinator
from engine.errors import DuplicateRequest, EngineFull, StageFailed
from engine.request import BoundRequest
from engine.topology import parse_topology
from engine.types import Credit, Failed, Finished, Notice, Output, Pcm, Utterance
from tests.engine.arithmetic import FIRST, FRAME, LATER, Watch, family, joined, say, sound_of
from tests.engine.conftest import Starter
from tests.patience import PATIENCE_S

ALL = Credit(until=10**9)
STAGE_METHODS = [
    *(("thinker", m) for m in ("open", "push", "end", "step", "close")),
    *(("talker", m) for m in ("open", "push", "end", "step", "close")),
    *(("code2wav", m) for m in ("open", "push", "end", "ready", "decode", "close")),
]


@pytest.fixture
async def replicated(start: Starter, watch: Watch) -> Coordinator:
    topology = parse_topology({"processes": {"code2wav": {"replicas": 3}}})
    return await start(family(watch), topology)


def begin(engine: Coordinator, text: str, name: str = "r", credit: Credit = ALL) -> BoundRequest:
    request = engine.submit(say(text, name))
    request.credit(credit)
    return request


async def all_of(request: BoundRequest) -> list[Output]:
    return [output async for output in request]


def windows(outputs: list[Output]) -> list[Pcm]:
    return [output for output in outputs if isinstance(output, Pcm)]


def some_text(chance: random.Random) -> str:
    letters = "abc. !"
    return "".join(chance.choice(letters) for _ in range(chance.randrange(80)))


async def test_samples_are_equal_alone_and_beside_others(replicated: Coordinator) -> None:
    chance = random.Random(5)
    texts = {f"r{i}": some_text(chance) for i in range(17)}
    alone = {n: await all_of(begin(replicated, t, "alone" + n)) for n, t in texts.items()}
    names = list(texts)
    chance.shuffle(names)
    requests = {name: begin(replicated, texts[name], name) for name in names}
    outputs = await asyncio.gather(*(all_of(request) for request in requests.values()))
    for name, found in zip(requests, outputs, strict=True):
        np.testing.assert_array_equal(joined(windows(found)), joined(windows(alone[name])))
        np.testing.assert_array_equal(joined(windows(found)), sound_of(texts[name]))
    await replicated.idle()
    replicated.check_integrity()


async def test_text_by_single_characters_makes_the_same_sound(engine: Coordinator) -> None:
    text = "Slowly. One key at a time. " * 5
    request = engine.submit(say("", more=True))
    request.credit(ALL)
    for character in text:
        request.append(character)
    request.finish()
    request.finish()
    np.testing.assert_array_equal(joined(windows(await all_of(request))), sound_of(text))
    with pytest.raises(ValueError, match="it was finished"):
        request.append("more")


async def test_without_credit_only_the_first_window_is_made(
    engine: Coordinator, watch: Watch
) -> None:
    request = engine.submit(say("x" * 500))
    first = await anext(request)
    assert isinstance(first, Pcm)
    request.credit(Credit(until=FIRST * FRAME + 1))
    await anext(request)
    request.abort()
    await engine.idle()
    assert [start for _, start in watch.windows] == [0, FIRST * FRAME]


async def test_what_is_held_does_not_grow_with_the_text(engine: Coordinator, watch: Watch) -> None:
    """10,000 frames are wanted 100 at a time: no stage runs ahead of what was asked for."""
    pushed = {"talker": 0, "code2wav": 0}

    def count(stage: str, method: str, utterance: Utterance) -> None:
        if method == "push" and stage in pushed:
            pushed[stage] += 1
            ahead = pushed["code2wav"] - request_credit // FRAME
            assert ahead <= LATER * 2
            assert pushed["talker"] * 10 - pushed["code2wav"] <= 14

    watch.before = count
    request_credit = 0
    request = engine.submit(say("123456789." * 1000))
    heard, outputs = 0, []
    async for output in request:
        outputs.append(output)
        if isinstance(output, Pcm):
            heard += len(output.samples)
            request_credit = max(request_credit, heard + 100 * FRAME)
            request.credit(Credit(request_credit))
        assert all(s.depth <= 6 for s in engine.stats().stages)
    assert isinstance(outputs[-1], Finished)
    assert outputs[-1].frames == 10_000


async def test_a_notice_comes_out_beside_the_sound(engine: Coordinator) -> None:
    outputs = await all_of(begin(engine, "quiet.!loud."))
    assert [type(o) for o in outputs if not isinstance(o, Pcm)] == [Notice, Finished]


@pytest.mark.parametrize(("stage", "method"), STAGE_METHODS)
async def test_an_error_in_a_stage_ends_that_request_alone(
    engine: Coordinator, watch: Watch, stage: str, method: str
) -> None:
    watch.fail[stage, method] = ZeroDivisionError("a bug")
    watch.only = say("", "bad").request
    text = "One two three. Four five six seven."
    bad, good = begin(engine, text, "bad"), begin(engine, text, "good")
    ends = await asyncio.gather(all_of(bad), all_of(good))
    failed = ends[0][-1]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, StageFailed)
    assert str(failed.error) == f"{stage}: ZeroDivisionError: a bug"
    np.testing.assert_array_equal(joined(windows(ends[1])), sound_of(text))
    await engine.idle()
    engine.check_integrity()
    assert watch.opened == watch.closed


@pytest.mark.parametrize("seed", range(40))
async def test_an_abort_at_any_point_is_the_one_end(
    engine: Coordinator, watch: Watch, seed: int
) -> None:
    """A few outputs or loop turns in, whatever the stages are at: silence, and all given back."""
    chance = random.Random(seed)
    requests = [begin(engine, some_text(chance) * 3, f"r{i}") for i in range(6)]
    heard: dict[BoundRequest, list[Output | None]] = {request: [] for request in requests}
    aborted = set()
    for request in requests:
        for _ in range(chance.randrange(4)):
            if chance.random() < 0.5:
                await asyncio.sleep(0)
            else:
                heard[request].append(await anext(request, None))
        if chance.random() < 0.7:
            request.abort()
            request.abort()
            aborted.add(request)
    for request in requests:
        rest = await all_of(request)
        ends = [o for o in (*heard[request], *rest) if isinstance(o, Finished | Failed)]
        assert (rest == []) if request in aborted else (len(ends) == 1)
    await engine.idle()
    engine.check_integrity()
    stats = engine.stats()
    assert stats.submitted == 6
    assert stats.finished + stats.aborted == 6
    assert watch.opened == watch.closed


async def test_an_abort_ends_an_iteration_that_waits(engine: Coordinator) -> None:
    request = engine.submit(say("", more=True))
    waiting = asyncio.create_task(all_of(request))
    await asyncio.sleep(0)
    request.abort()
    assert await waiting == []


async def test_a_listener_that_is_cancelled_loses_nothing(engine: Coordinator) -> None:
    request = engine.submit(say("", more=True))
    request.credit(ALL)
    waiting = asyncio.create_task(anext(request))
    await asyncio.sleep(0)
    waiting.cancel()
    request.append("Now it comes.")
    request.finish()
    np.testing.assert_array_equal(joined(windows(await all_of(request))), sound_of("Now it comes."))


@pytest.mark.parametrize("window", [0, 1, 5])
async def test_after_an_abort_only_the_window_in_hand_is_made_and_dropped(
    engine: Coordinator, watch: Watch, window: int
) -> None:
    in_hand, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(stage: str, method: str, utterance: Utterance) -> None:
        if method == "decode" and len(watch.windows) == window:
            loop.call_soon_threadsafe(in_hand.set)
            go_on.wait(PATIENCE_S)

    watch.before = hold
    request = begin(engine, "x" * 500)
    await in_hand.wait()
    stale_before = engine.stats().stale
    request.abort()
    go_on.set()
    assert await all_of(request) == []
    await engine.idle()
    assert len(watch.windows) == window + 1
    assert engine.stats().stale == stale_before + 1


async def test_a_new_epoch_of_an_aborted_request_starts_clean(engine: Coordinator) -> None:
    old = begin(engine, "The old words. " * 50)
    await anext(old)
    old.abort()
    new = engine.submit(say("New.", epoch=1))
    new.credit(ALL)
    outputs = await all_of(new)
    assert {o.epoch for o in outputs} == {1}
    np.testing.assert_array_equal(joined(windows(outputs)), sound_of("New."))


async def test_one_life_of_a_request_is_bound_once(engine: Coordinator) -> None:
    begin(engine, "a").abort()
    with pytest.raises(DuplicateRequest):
        engine.submit(say("a"))


async def test_no_more_requests_than_the_topology_allows(start: Starter, watch: Watch) -> None:
    engine = await start(family(watch), parse_topology({"max_requests": 2}))
    requests = [engine.submit(say("", f"r{i}", more=True)) for i in range(2)]
    with pytest.raises(EngineFull, match="2 requests are under way"):
        engine.submit(say("", "third"))
    requests[0].abort()


async def test_a_thousand_requests_leave_nothing_behind(
    replicated: Coordinator, watch: Watch
) -> None:
    chance = random.Random(1)
    alive = []
    for _ in range(10):
        requests = [begin(replicated, some_text(chance), f"r{i}") for i in range(100)]
        for request in requests[::3]:
            request.abort()
        await asyncio.gather(*map(all_of, requests))
        await replicated.idle()
        replicated.check_integrity()
        del requests
        watch.windows.clear()
        gc.collect()
        alive.append(len(gc.get_objects()))
    assert alive[-1] - alive[2] < 100, "objects alive after 300 requests and after 1,000"
    stats = replicated.stats()
    assert (stats.submitted, stats.finished, stats.aborted, stats.failed) == (1000, 660, 340, 0)
    assert [(s.states, s.records, s.owed) for s in stats.stages] == [(0, 0, 0)] * 5
    assert watch.opened == watch.closed


async def test_requests_spread_over_replicas_by_outstanding_work(replicated: Coordinator) -> None:
    long = begin(replicated, "x" * 5000, "long", Credit(0))
    short = [begin(replicated, "hi", f"s{i}", Credit(0)) for i in range(4)]
    replicas = [r.binding.of("code2wav").replica for r in replicated._records.values()]
    assert replicas == [0, 1, 2, 1, 2]
    for request in (long, *short):
        request.abort()


async def test_integrity_names_what_is_still_held(engine: Coordinator) -> None:
    request = engine.submit(say("", "held", more=True))
    with pytest.raises(AssertionError, match=r"request held/0.*talker/0: 1 bound, 1 outstanding"):
        engine.check_integrity()
    request.abort()
    await engine.idle()
    engine.check_integrity()


@pytest.mark.parametrize("stage", ["thinker", "talker", "code2wav"])
async def test_a_stage_that_dies_fails_what_it_had_and_no_more_is_bound_to_it(
    start: Starter, watch: Watch, stage: str
) -> None:
    engine = await start(family(watch), parse_topology({"processes": {stage: {"replicas": 2}}}))
    watch.fail[stage, "push"] = SystemExit("killed")
    watch.only = say("", "fatal").request
    fatal = begin(engine, "One. Two. Three.", "fatal")
    beside = [begin(engine, "Four. Five. Six. Seven.", f"r{i}") for i in range(5)]
    last = (await all_of(fatal))[-1]
    assert isinstance(last, Failed)
    assert str(last.error) == f"{stage}/0 died: SystemExit('killed')"
    ends = [(await all_of(request))[-1] for request in beside]
    assert sum(isinstance(end, Finished) for end in ends) >= 2
    await engine.idle()
    engine.check_integrity()
    after = await all_of(begin(engine, "And on.", "after"))
    np.testing.assert_array_equal(joined(windows(after)), sound_of("And on."))


async def there_again(engine: Coordinator) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while engine.missing():  # noqa: ASYNC110  # Nobody is told when a stage comes back.
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("stage", ["thinker", "talker", "code2wav"])
async def test_a_stage_that_died_is_started_again_and_holds_nothing_of_its_last_life(
    engine: Coordinator, watch: Watch, stage: str
) -> None:
    for turn in range(3):
        watch.fail[stage, "push"] = SystemExit("killed")
        fatal = [begin(engine, "One. Two. Three.", f"fatal{turn}{i}") for i in range(5)]
        for request in fatal:
            assert isinstance((await all_of(request))[-1], Failed)
        watch.fail.clear()
        await there_again(engine)
        after = await all_of(begin(engine, "And on.", f"after{turn}"))
        np.testing.assert_array_equal(joined(windows(after)), sound_of("And on."))
        await engine.idle()
        engine.check_integrity()


async def test_stats_say_what_waits_where(engine: Coordinator, watch: Watch) -> None:
    entered, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def hold(stage: str, method: str, utterance: Utterance) -> None:
        if (stage, method) == ("thinker", "push"):
            loop.call_soon_threadsafe(entered.set)
            go_on.wait(PATIENCE_S)

    watch.before = hold
    request = engine.submit(say("One.", more=True))
    await entered.wait()
    for text in ("Two.", "Three.", "Four."):
        request.append(text)
    stats = engine.stats()
    (thinker,) = (s for s in stats.stages if s.address.stage == "thinker")
    assert (thinker.depth, thinker.owed, thinker.states, thinker.running) == (1, 1, 1, True)
    assert (stats.active, stats.text) == (1, len("Three.Four."))
    go_on.set()
    assert isinstance(await anext(request), Pcm)
    request.abort()
    await engine.idle()
    stats = engine.stats()
    assert (stats.active, stats.closing, stats.mail, stats.outputs, stats.text) == (0, 0, 0, 0, 0)
    assert [s.admitted for s in stats.stages] == [1, 1, 1]
    assert all(s.busy > 0 for s in stats.stages)
