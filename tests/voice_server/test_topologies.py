"""The shipped topologies, what is told of them, and a server whose stages are processes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from engine.devices import Machine
from engine.placement import Placement, resolve
from tests import arithmetic
from tests.voice_server.live import Server, client, server
from voice_server import config, families, hosting
from voice_server.cli import program

CONFIGS = Path(__file__).parents[2] / "configs"
TWO_CORES = Machine(frozenset({0, 1}), gpus=2)
APART = ("launcher=processes", "stages.thinker.process=front", "stages.talker.process=front")


def placed(file: Path) -> Placement:
    settings = config.load(file)
    return resolve(families.graph(settings), hosting.topology(settings), TWO_CORES)


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_shipped_config_can_run_where_it_is_meant_to(file: Path) -> None:
    assert placed(file).addresses()


def devices(placement: Placement) -> dict[str, list[str]]:
    """Of all replicas of each group."""
    return {
        group.name: [device for seat in group.seats for device in seat.devices]
        for group in placement.groups
    }


def test_the_seven_topologies_are_shipped() -> None:
    named = {file.stem for file in CONFIGS.glob("*.yaml")}
    assert named >= {
        *("laptop", "two-core", "replicated", "colocated-gpu"),
        *("second-gpu-vocoder", "replicated-gpu", "two-hosts"),
    }


def test_the_shipped_topologies_are_what_their_names_say() -> None:
    laptop, two_core = placed(CONFIGS / "laptop.yaml"), placed(CONFIGS / "two-core.yaml")
    replicated, two_hosts = placed(CONFIGS / "replicated.yaml"), placed(CONFIGS / "two-hosts.yaml")
    shared, apart = (
        placed(CONFIGS / "colocated-gpu.yaml"),
        placed(CONFIGS / "second-gpu-vocoder.yaml"),
    )
    twice = placed(CONFIGS / "replicated-gpu.yaml")
    assert devices(shared) == {"thinker": ["cpu"], "talker": ["cuda:0"], "code2wav": ["cuda:0"]}
    assert devices(apart) == {"thinker": ["cpu"], "talker": ["cuda:0"], "code2wav": ["cuda:1"]}
    assert devices(twice)["code2wav"] == ["cuda:0", "cuda:1"]
    assert laptop.launcher == "threads"
    assert [(group.name, group.replicas) for group in two_core.groups] == [("engine", 1)]
    seats = replicated.group_of("code2wav").seats
    assert [seat.cores for seat in seats] == [(0,), (1,)]
    assert {seat.host for group in two_hosts.groups for seat in group.seats} == {"front", "back"}


def explain(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(program, ["config", "explain", *arguments])
    return result.exit_code, result.output


def test_a_topology_is_explained_process_by_process_and_edge_by_edge() -> None:
    status, told = explain(str(CONFIGS / "two-core.yaml"), "--set", "processes.engine.cores=[0]")
    assert status == 0
    assert (
        "#   engine/0, on this host: thinker, talker, code2wav; cpu; cores 0; 1 compute thread "
        "a stage"
    ) in told
    assert (
        "#   thinker -> talker (stream): the object itself, as both are in engine, and a request "
        "stays in one replica"
    ) in told
    assert "#   code2wav -> client (stream): ZeroMQ ipc, arrays over 16 KiB in shared" in told


def test_edges_that_cross_hosts_are_explained() -> None:
    status, told = explain(str(CONFIGS / "two-hosts.yaml"))
    assert status == 0
    assert "#   code2wav/0, on back: code2wav" in told
    assert (
        "#   talker -> code2wav (stream): Ray, whatever has gathered in one call, as front is on "
        "front and code2wav is on back"
    ) in told
    assert "#   code2wav -> client (stream): Ray, " in told
    assert "as code2wav is on back and server is on this host" in told


def test_named_hosts_need_no_launcher_to_be_named() -> None:
    _, told = explain("--set", "processes.talker.hosts=[back]")
    assert "# embedded, launched as ray" in told


def test_a_launcher_whose_extra_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.build.find_spec", lambda name: None)
    status, told = explain(str(CONFIGS / "two-hosts.yaml"))
    assert status == 1
    assert (
        "can't run here: launcher: ray needs the extra ray: pip install 'voice-server[ray]'" in told
    )


def test_what_is_explained_is_a_config_again(tmp_path: Path) -> None:
    _, told = explain(str(CONFIGS / "replicated.yaml"))
    file = tmp_path / "again.yaml"
    file.write_text(told)
    assert config.load(file) == config.load(CONFIGS / "replicated.yaml")


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("stages.vocoder.process=x", "stages.vocoder: no such stage; stages are thinker, talker"),
        ("processes.engine.cores=[4096]", "can't run here: processes.engine.cores: there is no"),
        ("processes.engine.hosts=[b]", "processes.engine.hosts: other hosts need launcher: ray"),
        ("processes.engine.memory=2", "processes.engine.memory: expected a number of at most 1"),
        ("launcher=thread", "expected threads or processes or ray, not 'thread'; did you mean"),
    ],
)
def test_what_can_not_run_is_told_with_its_key(assignment: str, told: str) -> None:
    status, output = explain(str(CONFIGS / "two-core.yaml"), "--set", assignment)
    assert status != 0
    assert told in output


async def state(live: Server) -> tuple[int, dict[str, str], list[str]]:
    """Of /readyz: its status, the state of each group's first process, and the reasons."""
    ready = await live.get("/readyz")
    body = ready.json()
    states = {one["group"]: one["state"] for one in body["processes"]}
    return ready.status_code, states, body["reasons"]


async def test_a_server_survives_a_killed_process_and_says_so() -> None:
    text = "One two three four."
    async with server(*APART) as live, client(live) as one:
        assert await state(live) == (200, {"front": "ready", "code2wav": "ready"}, [])
        assert live.app.host.engine is not None
        pids = {p.group: p.pid for p in live.app.host.engine.stats().processes}
        lost = (await one.speak("Held open ", more=True))["take_id"]
        os.kill(pids["code2wav"], signal.SIGKILL)
        failed = await one.until("take.failed", take_id=lost)
        assert "code2wav/0 died" in failed["error"]["message"]
        status, states, reasons = await state(live)
        assert (status, reasons) == (503, ["code2wav: no replica is left"])
        assert states["code2wav"] in ("dead", "started")
        while (await state(live))[0] == 503:
            pass
        started = await one.speak(text, voice="low")
        await one.until("take.done")
        sound = one.sound(started["stream"])
        np.testing.assert_array_equal(sound, arithmetic.whole(text, "low"))
        figures = (await live.get("/metrics")).text
        assert 'voice_process_state{group="code2wav",replica="0",state="ready"} 1.0' in figures
        assert 'voice_process_starts_total{group="code2wav",replica="0"} 2.0' in figures
        await live.idle()
