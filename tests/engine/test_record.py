"""Text on its way to the entry stage: joined where it waits, with how parts of it are said."""

from __future__ import annotations

from engine.messages import CLIENT, Chunk, Done, Job
from engine.record import TextFeed
from engine.types import Epoch, Levers, Part, Passage, Pause, RequestId, Utterance

JOB = Job(RequestId("r"), Epoch(1))


def feed(text: str) -> TextFeed:
    return TextFeed(Utterance(JOB.request, JOB.epoch, text, "v", more=True))


def test_what_waits_is_joined_and_keeps_how_it_is_said() -> None:
    waiting = feed("one ")
    assert waiting.take(JOB) == [Chunk(JOB, CLIENT, "one ")]
    waiting.add(Passage("two "))
    assert waiting.take(JOB) == [Chunk(JOB, CLIENT, "two ")], "plain text stays a string"
    low, high = Part((8, 13), Levers(pitch=-1.0)), Part((14, 18), Levers(pitch=1.0))
    waiting.add(Passage("three ", (low,)))
    waiting.add(Passage("four", (high,), (Pause(14, 0.5),)))
    assert waiting.take(JOB) == [], "two pieces are out, and no more at once"
    assert waiting.waiting() == len("three four")
    waiting.end()
    waiting.taken()
    joined = Passage("three four", (low, high), (Pause(14, 0.5),))
    assert waiting.take(JOB) == [Chunk(JOB, CLIENT, joined), Done(JOB, CLIENT)]
