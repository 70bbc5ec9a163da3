"""Takes of the tiny checkpoint's talker, alone and together."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import replace
from functools import cache

import torch

from engine.families.qwen3_omni.frames import Codes
from engine.families.qwen3_omni.prompt import Opening, TalkerInput, Text
from engine.families.qwen3_omni.sampling import GREEDY, Sampling
from engine.families.qwen3_omni.talker import Talker
from engine.schedulers.autoregressive import AutoregressiveScheduler
from tests.engine.families.qwen3_omni.reference import (
    codes_in,
    generated,
    opening,
    talker_model,
)
from tests.engine.schedulers.driving import Driven

Case = tuple[Opening, Text]
WARM = Sampling(temperature=0.9, top_k=20, top_p=0.9, penalty=1.1)
LONGEST = 10
LIKELIEST = replace(GREEDY, penalty=1.05)


@cache
def expected_of(seed: int, dtype: torch.dtype) -> Codes:
    return generated(*opening(seed, LIKELIEST, dtype), 20, dtype)


def driven(talker: Talker) -> Driven:
    return Driven(AutoregressiveScheduler("talker", talker, ()))


def say(run: Driven, name: str, *items: TalkerInput) -> None:
    run.open(name)
    run.push(name, items)
    run.end(name)


def alone(case: Case, dtype: torch.dtype = torch.float64) -> Codes:
    """What a take comes to with nobody beside it."""
    run = driven(Talker(talker_model(dtype), 1))
    say(run, "a", *case)
    run.run()
    return codes_in(run.items("a"))


@cache
def alone_of(seed: int, sampling: Sampling = GREEDY, dtype: torch.dtype = torch.float64) -> Codes:
    return alone(opening(seed, sampling, dtype), dtype)


def together(
    talker: Talker, cases: list[Case], rng: random.Random, aborted: Collection[str] = ()
) -> Driven:
    """All of them, each beginning when it will and its text coming when it will; some are aborted
    where their text would have ended."""
    run = driven(talker)
    waiting: list[tuple[str, TalkerInput | None]] = []
    for at, (first, rest) in enumerate(cases):
        halves = [Text(part, "") for part in rest.embeds.split(2)]
        waiting += [(str(at), item) for item in (first, *halves, None)]
    opened: set[str] = set()
    while waiting:
        names = [name for name, _ in waiting]
        at = names.index(rng.choice(names))
        name, item = waiting.pop(at)
        if name not in opened:
            opened.add(name)
            run.open(name)
        if item is None and name in aborted:
            run.abort(name)
        else:
            run.end(name) if item is None else run.push(name, [item])
        for _ in range(rng.choice((0, 0, 1, 3))):
            run.once()
    run.run()
    return run


def longest() -> Case:
    """A take of many frames."""
    return opening(LONGEST)
