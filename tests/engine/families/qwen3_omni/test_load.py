"""The family as the server starts it: three stages from one checkpoint."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engine import build
from engine.coordinator import Coordinator
from engine.errors import MemoryShort, ModelDamaged, ModelMissing
from engine.families.qwen3_omni import memory, stages
from engine.families.qwen3_omni.config import Qwen3OmniConfig
from engine.families.qwen3_omni.frames import FRAME, LATE, codes_of
from engine.families.qwen3_omni.load import declare, load
from engine.families.qwen3_omni.memory import Memory, Need, check, code2wav_states
from engine.families.qwen3_omni.reader import Place
from engine.graph import Worker
from engine.topology import parse_topology
from engine.types import (
    Change,
    Credit,
    Epoch,
    Finished,
    Parent,
    Pcm,
    Performance,
    RequestId,
    Utterance,
)
from scripts.tiny_qwen3_omni import write
from tests.engine.families.qwen3_omni.test_checkpoint import change

ALL = Credit(until=10**9)
TEXT = "The meeting is on Tuesday, at nine."


def config(folder: Path) -> Qwen3OmniConfig:
    return Qwen3OmniConfig(model=str(folder), dtype="float32", slots=4, positions=512)


@pytest.fixture
async def engine(tiny: Path) -> AsyncIterator[Coordinator]:
    started = await build.start(load(config(tiny), lambda step, part: None))
    yield started
    await started.close()
    started.check_integrity()


def utterance(name: str, seed: int = 3) -> Utterance:
    return Utterance(RequestId(name), Epoch(0), TEXT, "ethan", seed=seed)


async def said(engine: Coordinator, asked: Utterance) -> list[Pcm]:
    request = engine.submit(asked)
    request.finish()
    request.credit(ALL)
    out = [item async for item in request]
    windows = [item for item in out if isinstance(item, Pcm)]
    last = out[-1]
    assert isinstance(last, Finished)
    assert last.samples == sum(len(pcm.samples) for pcm in windows)
    return windows


def sound(windows: list[Pcm]) -> np.ndarray:
    return np.concatenate([pcm.samples for pcm in windows])


def parent(windows: list[Pcm]) -> Parent:
    scores = tuple(score for pcm in windows for score in pcm.scores)
    return Parent(TEXT, sound(windows), scores, Performance())


async def test_it_speaks_in_windows_with_words_and_a_score(engine: Coordinator) -> None:
    windows = await said(engine, utterance("one"))
    sizes = [pcm.frames for pcm in windows if pcm.frames]
    assert sizes[0] == min(4, sum(sizes))
    assert set(sizes[1:-1]) <= {10}
    assert len(sound(windows)) == FRAME * sum(sizes) - LATE
    assert sound(windows).std() > 100
    scores = parent(windows).scores
    assert len(codes_of(scores)) == sum(sizes)
    assert "".join(TEXT.split()).startswith("".join(w.text for w in scores[0].words))


async def test_neighbours_change_nothing(engine: Coordinator) -> None:
    """The same samples, whatever shares the steps."""
    alone = await said(engine, utterance("alone"))
    together = await asyncio.gather(
        *(said(engine, utterance(f"take {at}", seed=at)) for at in range(1, 5))
    )
    beside = together[2]
    assert np.array_equal(codes_of(parent(beside).scores), codes_of(parent(alone).scores))
    assert np.array_equal(sound(beside), sound(alone))


async def test_an_edit_goes_on_from_the_parent(engine: Coordinator) -> None:
    """What is before the change is the parent's, sample for sample; nothing else is."""
    takes = [await said(engine, utterance(f"take {seed}", seed)) for seed in (0, 3)]
    before = max(takes, key=lambda windows: len(sound(windows)))
    at = TEXT.index("nine")
    change = Change((at, at + 4), (at, at + 3))
    asked = replace(
        utterance("edit", seed=11), text=TEXT.replace("nine", "six"), parent=parent(before),
        changes=(change,),
    )  # fmt: skip
    windows = await said(engine, asked)
    changed = [span for pcm in windows for span in pcm.changed]
    first = changed[0][0]
    assert first > 0
    assert np.array_equal(sound(windows)[:first], sound(before)[:first])
    assert changed[-1][1] == len(sound(windows))


async def test_a_cancelled_take_gives_its_slot_back(engine: Coordinator) -> None:
    for at in range(9):
        request = engine.submit(utterance(f"cancelled {at}"))
        request.finish()
        if at % 2:
            async for item in request:
                assert isinstance(item, Pcm)
                break
        request.abort()
    assert await said(engine, utterance("after"))


def test_a_wrong_checkpoint_is_told_before_any_stage_starts(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no such folder"):
        load(config(tmp_path / "a" / "b" / "c"), lambda step, part: None)
    damaged = write(tmp_path / "damaged")
    text = (damaged / "config.json").read_text()
    (damaged / "config.json").write_text(
        text.replace('"num_quantizers": 16', '"num_quantizers": 8')
    )
    with pytest.raises(ModelDamaged, match="8 codebooks"):
        load(config(damaged), lambda step, part: None)


async def test_too_little_memory_is_told_before_weights_are_read(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "memory_of", lambda device: Memory(2**20, 2**40))
    with pytest.raises(MemoryShort, match=r"(thinker|talker|code2wav) needs \d+\.\d GiB of cpu"):
        await build.start(load(config(tiny), lambda step, part: None))


def test_the_estimate_is_of_weights_and_states() -> None:
    place = Place(torch.device("cpu"), torch.float32)
    check(Need("talker", 10, 10), place)
    with pytest.raises(MemoryShort, match="talker needs 2252"):
        check(Need("talker", 2**41, 0), place)
    assert code2wav_states([(2, 3), (5,)], 3, torch.bfloat16) == 4 * 11 * 2
    here = memory.memory_of(torch.device("cpu"))
    assert here is None or 2**20 < here.free <= here.whole


async def test_a_stage_needs_no_more_than_its_process_may_have(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "memory_of", lambda device: Memory(2**30, 2**30))
    topology = parse_topology({"processes": {"code2wav": {"memory": 0.001}}})
    told = r"code2wav needs .*processes\.<group>\.memory gives it 0\.001 of 1\.0 GiB"
    with pytest.raises(MemoryShort, match=told):
        await build.start(load(config(tiny), lambda step, part: None), topology)


@pytest.mark.parametrize(
    ("stage", "name"),
    [
        ("thinker", "thinker.model.embed_tokens.weight"),
        ("talker", "talker.model.layers.1.mlp.experts.2.up_proj.weight"),
        ("code2wav", "code2wav.decoder.0.conv.bias"),
    ],
)
@pytest.mark.parametrize("spoilt", ["missing", "of another shape"])
async def test_a_tensor_that_a_stage_lacks_is_named_when_the_engine_starts(
    tiny: Path, tmp_path: Path, stage: str, name: str, spoilt: str
) -> None:
    copy = Path(shutil.copytree(tiny, tmp_path / stage))
    change(copy, name, lambda value: None if spoilt == "missing" else value[1:].contiguous())
    with pytest.raises(ModelDamaged, match=f"{name}: (missing|shape)"):
        await build.start(load(config(copy), lambda step, part: None))


@pytest.mark.parametrize("hears", [False, True])
def test_nothing_is_warned_of_at_the_start(tiny: Path, hears: bool) -> None:
    """Published checkpoints say of the talker's positions what transformers' config of it doesn't
    know, as does the tiny one."""
    told = json.loads((tiny / "config.json").read_text())
    assert "mrope_section" in told["talker_config"]["text_config"]["rope_parameters"]
    warned: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = warned.append  # type: ignore[method-assign]  # all that a handler is for here
    logger = logging.getLogger("transformers")
    logger.addHandler(handler)
    try:
        for make in (stages.thinker, stages.talker, stages.code2wav):
            make(replace(config(tiny), hears=hears), Worker())
    finally:
        logger.removeHandler(handler)
    assert [record.getMessage() for record in warned] == []


def test_in_plain_mode_it_neither_directs_nor_listens(tiny: Path) -> None:
    made = load(replace(config(tiny), hears=True), lambda step, part: None).info
    assert (made.can, made.listens, made.reads) == (("speak", "direct", "edit"), True, True)
    plain = load(replace(config(tiny), plain=True, hears=True), lambda step, part: None).info
    assert (plain.can, plain.listens, plain.reads) == (("speak", "edit"), False, False)


def test_declaring_it_needs_neither_torch_nor_transformers() -> None:
    told = (
        "import sys\n"
        "from engine.families.qwen3_omni.config import Qwen3OmniConfig\n"
        "from engine.families.qwen3_omni.load import declare\n"
        "declare(Qwen3OmniConfig())\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", told], check=True)
    assert declare(Qwen3OmniConfig()).names == ("thinker", "talker", "code2wav")


def test_without_the_extra_it_says_what_to_install(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ModelMissing, match=r"needs transformers: pip install .*\[qwen3\]"):
        load(config(tiny), lambda step, part: None)


async def test_with_ears_the_parent_is_listened_to(tiny: Path) -> None:
    """The whole thinker is read; what it hears of the parent changes what is said after."""
    made = []
    for hears in (False, True):
        engine = await build.start(
            load(replace(config(tiny), hears=hears), lambda step, part: None)
        )
        before = await said(engine, utterance("before"))
        asked = replace(
            utterance("edit"),
            parent=parent(before),
            changes=(Change((0, 3), (0, 4)),),
            text=TEXT.replace("The", "That"),
        )
        made.append((sound(before), sound(await said(engine, asked))))
        await engine.close()
        engine.check_integrity()
    (alone, deaf), (same, heard) = made
    assert np.array_equal(alone, same)
    assert not np.array_equal(deaf, heard)
