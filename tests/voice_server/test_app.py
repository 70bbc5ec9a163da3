"""What the server answers over HTTP, who may come in, and what it counts."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from engine.types import Performance
from sessions.events import TakeAudio, TakeWords
from tests import arithmetic
from tests.voice_server.live import client, server
from voice_server import config, serving
from voice_server.connections import origin_allowed
from voice_server.hosting import topology
from voice_server.http import studio
from voice_server.opening import pieces
from voice_server.readiness import Broken, Loading, Readiness, Ready, Stopping


@pytest.mark.parametrize(
    ("origin", "host", "allowed", "may"),
    [
        (None, "here:1", (), True),
        ("http://here:1", "here:1", (), True),
        ("https://HERE:1", "here:1", (), True),
        ("http://here:2", "here:1", (), False),
        ("http://here", None, (), False),
        ("http://localhost:9", "here:1", (), True),
        ("http://[::1]:9", "here:1", (), True),
        ("http://other", "here:1", ("http://other",), True),
        ("http://other", "here:1", ("*",), True),
        ("http://other", "here:1", ("http://another",), False),
        ("null", "here:1", (), False),
        ("", "", (), False),
    ],
)
def test_who_may_connect(
    origin: str | None, host: str | None, allowed: tuple[str, ...], may: bool
) -> None:
    assert origin_allowed(origin, host, allowed) is may


def browser(folder: Path) -> httpx.AsyncClient:
    """Asks for what is in a studio's folder."""
    app = Starlette(routes=studio.routes(folder))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here")


async def test_the_studio_is_served_with_its_files_and_says_how_to_build_it_when_missing(
    tmp_path: Path,
) -> None:
    async with browser(tmp_path) as web:
        answer = await web.get("/")
        assert (answer.status_code, answer.text) == (503, studio.MISSING)
    (tmp_path / "index.html").write_text("<p>studio</p>")
    (tmp_path / "play.js").write_text("1")
    async with browser(tmp_path) as web:
        page = await web.get("/")
        assert page.text == "<p>studio</p>"
        assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert (await web.get("/play.js")).headers["Cache-Control"] == "no-cache"
        assert (await web.get("/%2e%2e/config.py")).status_code == 404
        assert (await web.get("/none.js")).status_code == 404


async def test_the_condition_is_told_and_a_stop_is_final() -> None:
    readiness = Readiness()
    told: list[object] = []
    readiness.tell(told.append)
    assert readiness.reasons() == ("loading: starting",)
    readiness.become(Loading("cutting graphs", 0.25))
    assert readiness.reasons() == ("loading: cutting graphs (25 %)",)
    waiting = asyncio.ensure_future(readiness.settled())
    await asyncio.sleep(0)
    assert not waiting.done()
    readiness.become(Broken("no model"))
    assert await waiting == Broken("no model")
    assert readiness.reasons() == ("no model",)
    readiness.become(Stopping(None))
    readiness.become(Loading("again"))
    assert readiness.now == Stopping(None)
    assert len(told) == 3


async def test_the_figures_are_prometheus_text_and_count_what_happened() -> None:
    async with server() as live, client(live) as one:
        for n in range(3):
            take_id = (await one.speak("hello there", more=n == 2))["take_id"]
            if n == 2:
                await one.send("cancel", take_id=take_id)
                await one.until("take.cancelled")
            else:
                await one.until("take.done")
        await one.send("speak", text="x", voice="broken")
        await one.until("take.failed")
        await live.idle()
        text = (await live.get("/metrics")).text
        for figure in (
            "voice_ready 1.0",
            "voice_connections 1.0",
            "voice_sessions 1.0",
            "voice_capacity 8.0",
            "voice_takes_speaking 0.0",
            "voice_takes_under_way 0.0",
            "voice_delivery_messages_waiting 0.0",
            "voice_delivery_samples_waiting 0.0",
            'voice_takes_total{outcome="started"} 4.0',
            'voice_takes_total{outcome="done"} 2.0',
            'voice_takes_total{outcome="cancelled"} 1.0',
            'voice_takes_total{outcome="failed"} 1.0',
            "voice_first_audio_seconds_count 2.0",
            "voice_rtf_count 2.0",
            "voice_queued_seconds_count 2.0",
            'voice_queued_seconds_bucket{le="0.0"} 2.0',
            'voice_engine_requests_total{outcome="finished"} 2.0',
            'voice_queue_depth{replica="0",stage="code2wav"} 0.0',
            'voice_underruns_total{source="server"} 0.0',
        ):
            assert f"\n{figure}\n" in text, figure
        packets = re.search(r"\nvoice_packets_total (\S+)\n", text)
        assert packets is not None
        assert re.search(rf'voice_lateness_seconds_bucket{{le="\+Inf"}} {packets[1]}\n', text)


def test_sound_is_cut_into_pieces_that_follow_on_each_other() -> None:
    samples = arithmetic.whole("a long enough line to be cut")
    event = TakeAudio("t", 1, 100, samples, 3)
    cut = [piece for piece in pieces(event, arithmetic.RATE) if isinstance(piece, TakeAudio)]
    assert len(cut) == -(-len(samples) // 1440)
    at = 100
    for piece in cut:
        assert piece.start == at
        at += len(piece.samples)
    assert b"".join(piece.samples.tobytes() for piece in cut) == samples.tobytes()
    words = TakeWords("t", ())
    assert list(pieces(words, arithmetic.RATE)) == [words]


def test_the_address_is_one_that_a_browser_here_can_open() -> None:
    for host in ("127.0.0.1", "0.0.0.0"):
        with serving.listen(config.Server(host=host, port=0)) as listening:
            port = listening.getsockname()[1]
            assert serving.address(listening) == f"http://127.0.0.1:{port}/"


def test_a_host_that_is_not_here_can_not_be_listened_on() -> None:
    with pytest.raises(serving.CannotListen, match=r"can't listen on 192\.0\.2\.1:0"):
        serving.listen(config.Server(host="192.0.2.1", port=0))


async def test_replicas_come_from_the_config_and_change_no_sample() -> None:
    settings = config.load(None, ["processes.code2wav.replicas=2", "engine.threads=2"])
    assert topology(settings).processes["code2wav"].replicas == 2
    async with server("processes.code2wav.replicas=2") as live, client(live) as one:
        assert isinstance(live.app.readiness.now, Ready)
        for n in range(4):
            await one.send("speak", text=f"take number {n}", seed=n, id=str(n))
        for _ in range(4):
            done = await one.until("take.done")
            assert done["performance"]["rate"] == Performance().rate
        heard = {one.sound(stream).tobytes() for stream in (1, 2, 3, 4)}
        made = {arithmetic.whole(f"take number {n}", seed=n).tobytes() for n in range(4)}
        assert heard == made
        await live.idle()
