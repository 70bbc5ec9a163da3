"""The tiny checkpoint of Qwen3-Omni behind a real socket: it speaks, edits, directs and stops."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from transformers.utils import logging

from engine.families.qwen3_omni.frames import FRAME, LATE
from scripts.tiny_qwen3_omni import write
from tests.voice_server.live import Server, client, serving_app
from voice_server import config, families
from voice_server.app import App
from voice_server.readiness import Broken, Ready

CONFIG = Path(__file__).parents[2] / "configs" / "qwen3_omni.yaml"
LINE = "The meeting is in the red room."


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it leaves a thread
    return write(tmp_path_factory.mktemp("tiny"))


def app(checkpoint: Path, data: Path) -> App:
    """As `voice-server serve --config configs/qwen3_omni.yaml --model CHECKPOINT` has it."""
    small = ("dtype=float32", "slots=4", "positions=512")
    given = [f"qwen3_omni.{one}" for one in small]
    quick = ["delivery.lead_ms=10000", "edits.check=false"]  # takes are not waited for as they play
    fixed = [f"data={data}", "server.port=0", "engine.capacity=4", *quick]
    settings = families.with_model(config.load(CONFIG, [*given, *fixed]), str(checkpoint))
    return App(settings, families.loader(settings))


@pytest.fixture
async def live(checkpoint: Path, tmp_path: Path) -> AsyncIterator[Server]:
    made = app(checkpoint, tmp_path)
    async with serving_app(made) as (server, _):
        condition = await made.readiness.settled()
        assert isinstance(condition, Ready), condition
        yield server


async def test_it_speaks_directs_and_edits_over_the_socket(live: Server) -> None:
    async with client(live) as one:
        assert [voice["id"] for voice in one.opened["voices"]] == ["aiden", "chelsie", "ethan"]
        assert one.opened["engine"]["frame_ms"] == 80
        started = await one.speak(LINE, voice="chelsie", seed=3)
        done = await one.until("take.done", take_id=started["take_id"])
        sound = one.sound(started["stream"])
        assert (len(sound) + LATE) % FRAME == 0
        assert len(sound) == done["samples"]

        await one.send("direct", take_id=started["take_id"], direction="softer")
        directed = await one.until("take.started", kind="directed")
        await one.until("take.done", take_id=directed["take_id"])

        # No word that the vocabulary knows: the model reads it all the same.
        await one.send("direct", take_id=directed["take_id"], direction="zxqv blorp")
        read = await one.until("take.started", parent=directed["take_id"])
        assert read["direction"] == "zxqv blorp"
        await one.until("take.done", take_id=read["take_id"])

        await one.send("edit", take_id=started["take_id"], text=LINE.replace("red", "blue"))
        edited = await one.until("take.started", kind="edited")
        told = await one.until("take.done", take_id=edited["take_id"])
        new = one.sound(edited["stream"])
        first = round(24 * told["changed"][0]["start_ms"])
        assert 0 < first < len(sound)
        assert np.array_equal(new[:first], sound[:first])
        assert [len(told["changed"]), round(24 * told["changed"][0]["end_ms"])] == [1, len(new)]
        await live.idle()


async def test_a_cancelled_take_leaves_nothing_behind(live: Server) -> None:
    async with client(live) as one:
        take_id = (await one.speak(" ".join([LINE] * 4)))["take_id"]
        await one.send("cancel", take_id=take_id)
        await one.until("take.cancelled", take_id=take_id)
        await live.idle()
        started = await one.speak("And now this.")
        await one.until("take.done", take_id=started["take_id"])
        await live.idle()


async def test_what_is_wrong_with_a_model_is_told(tmp_path: Path) -> None:
    made = app(tmp_path / "no" / "such" / "model", tmp_path / "data")
    async with serving_app(made):
        condition = await made.readiness.settled()
        assert isinstance(condition, Broken)
        assert "no such folder" in condition.reason
