"""The takes of the run: most are heard out, some are cancelled, some are written while spoken."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Literal, TypeAlias, assert_never, get_args

from benchmarks import texts
from voice_server.client import Session, TakeWasCancelled

Way: TypeAlias = Literal["heard", "cancelled at once", "cancelled at first sound", "written on"]
"""What is done with a take."""
_WAYS: tuple[Way, ...] = get_args(Way)


def way(number: int, cancels: bool) -> Way:
    """Of the take of that number: half are heard out, the other ways share the rest."""
    if not cancels or number % 2 == 0:
        return "heard"
    return _WAYS[1 + number // 2 % 3]


async def say(session: Session, number: int, cancels: bool) -> str:
    """One take, to its end: done or cancelled, as the client was told."""
    text = texts.SHORT[number % len(texts.SHORT)]
    chosen = way(number, cancels)
    take = await session.speak("" if chosen == "written on" else text, more=chosen == "written on")
    match chosen:
        case "heard":
            await take.pcm()
        case "written on":
            for character in text:
                await take.append(character)
            await take.finish()
            await take.pcm()
        case "cancelled at once":
            await take.cancel()
        case "cancelled at first sound":
            async for _ in take:
                await take.cancel()
        case _:
            assert_never(chosen)
    try:
        await take.result()
    except TakeWasCancelled:
        return "cancelled"
    return "done"


async def say_many(session: Session, numbers: range, together: int, cancels: bool) -> Counter[str]:
    """Takes of `numbers`, `together` at once; how many ended in which way."""
    waiting = iter(numbers)
    ended: Counter[str] = Counter()

    async def speaker() -> None:
        for number in waiting:
            ended[await say(session, number, cancels)] += 1

    await asyncio.gather(*(speaker() for _ in range(together)))
    return ended
