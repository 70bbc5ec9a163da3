"""A trace tells of each request where it waited, ran and travelled, window by window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import build
from engine.messages import Job
from engine.topology import Topology, parse_topology
from engine.trace import Span, Spans, TraceFile
from engine.types import Credit, Epoch, Pcm, RequestId
from tests.engine.arithmetic import FIRST, LATER, Watch, family, say

APART = {
    "launcher": "processes",
    "stages": {"thinker": {"process": "front"}, "talker": {"process": "front"}},
}
JOB = Job(RequestId("r"), Epoch(0))


async def spans_of(topology: Topology, text: str) -> tuple[Span, ...]:
    spans = Spans()
    engine = await build.start(family(Watch()), topology, spans)
    request = engine.submit(say(text))
    request.credit(Credit(10**9))
    assert [output async for output in request if isinstance(output, Pcm)]
    await engine.idle()
    await engine.close()
    return spans.drain()


def some(spans: tuple[Span, ...], kind: str, stage: str | None) -> list[Span]:
    return sorted(
        (span for span in spans if (span.kind, span.stage) == (kind, stage)),
        key=lambda span: span.begun,
    )


@pytest.mark.parametrize("topology", [{}, APART], ids=["threads", "processes"])
async def test_a_request_is_told_stage_by_stage(topology: dict[str, object]) -> None:
    count = FIRST + 2 * LATER
    spans = await spans_of(parse_topology(topology), "x" * count)
    (whole,) = some(spans, "request", None)
    assert all(span.begun <= span.ended for span in spans)
    assert all(whole.begun <= span.begun for span in spans if span.job == JOB)
    windows = [span.name for span in some(spans, "run", "code2wav") if span.job == JOB]
    assert windows == ["window 0", "window 1", "window 2"]
    assert len(some(spans, "queue", "talker")) == 1
    assert len(some(spans, "queue", "code2wav")) == count
    apart = topology is APART
    assert len(some(spans, "transfer", "code2wav")) == (count if apart else 0)
    assert len(some(spans, "transfer", None)) == (3 if apart else 0)
    assert {span.process for span in spans} == (
        {"server", "front/0", "code2wav/0"} if apart else {"server"}
    )


def test_a_trace_file_is_what_viewers_read(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    with TraceFile(file) as trace:
        trace.write([Span("run", "window 0", 1.0, 1.5, "code2wav/0", "code2wav", JOB, "so much")])
        trace.write([Span("queue", "queue", 0.5, 1.0, "code2wav/0", "code2wav", JOB)])
    trace.write([Span("run", "late", 1.0, 1.5, "code2wav/0", "code2wav", JOB)])
    events: list[dict[str, Any]] = json.loads(file.read_text())
    assert [event["ph"] for event in events] == ["M", "M", "X", "b", "e"]
    run = events[2]
    assert (run["ts"], run["dur"], run["args"]["request"]) == (1e6, 5e5, "r/0")
    assert events[3]["id"] == events[4]["id"]


def test_an_empty_trace_is_one_too(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "trace.json"):
        pass
    assert json.loads((tmp_path / "trace.json").read_text()) == []
