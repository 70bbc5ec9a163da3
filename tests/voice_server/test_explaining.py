"""What `voice-server config explain` says of speed: from what an earlier start kept, or that none
has."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.costs import WindowCosts
from engine.families.embedded import arithmetic, costs, prepare
from engine.families.embedded.assets import EmbeddedConfig
from engine.families.embedded.prepare import Prepared
from engine.placement import Group, Seat
from voice_server import carrying, config
from voice_server.cli import program

TABLE = WindowCosts(((2, 0.05), (4, 0.08), (10, 0.16), (20, 0.3)))


def explain(*assignments: str) -> str:
    arguments = (part for one in assignments for part in ("--set", one))
    result = CliRunner().invoke(program, ["config", "explain", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    """A cache of this machine's own, in which one thread was measured; without a model."""
    kept = Prepared(tmp_path / "embedded" / "v0-int8-model", tmp_path, "int8")
    monkeypatch.setattr(prepare, "located", lambda _: kept)
    costs._keep(costs._path(kept), costs._key(kept, 1), TABLE.table)
    return kept


def test_what_is_kept_is_told_with_what_it_comes_to(prepared: Prepared, tmp_path: Path) -> None:
    told = explain(
        f"embedded.cache={tmp_path}", "engine.threads=1", "processes.code2wav.replicas=1"
    )
    assert "# windows\n#   codec frames, with 1 thread, as measured at an earlier start: " in told
    assert "2 in 50 ms, 4 in 80 ms, 10 in 160 ms, 20 in 300 ms" in told
    assert "#   a sentence of 4.5 s alone gets windows of 2, " in told
    assert "#   0.20 s of computing for a second of sound: 4 takes at once at most, less" in told


def test_what_a_lone_take_gets_follows_the_plan_that_is_asked_for(
    prepared: Prepared, tmp_path: Path
) -> None:
    told = explain(f"embedded.cache={tmp_path}", "engine.threads=1", "engine.windows=[4, 10]")
    assert "gets windows of 4, 10, 10, 10, 10, 10, 6\n" in told


@pytest.mark.parametrize("threads", [1, 2])
def test_other_threads_or_none_measured_say_that_they_will_be(
    prepared: Prepared, tmp_path: Path, threads: int
) -> None:
    cache = tmp_path if threads == 2 else tmp_path / "other"
    told = explain(f"embedded.cache={cache}", f"engine.threads={threads}")
    assert "not known yet: they are measured at the first start on this machine" in told


def test_the_arithmetic_is_told_with_its_reason(tmp_path: Path) -> None:
    told = explain(f"embedded.cache={tmp_path}", "embedded.precision=bf16")
    chosen = arithmetic.choose(arithmetic.Processor.here(), "bf16")
    assert f"# arithmetic\n#   {chosen}" in told
    assert str(chosen).startswith("bf16 with ")


def test_windows_of_another_host_or_family_are_not_guessed(tmp_path: Path) -> None:
    away = explain(f"embedded.cache={tmp_path}", "launcher=ray", "processes.code2wav.hosts=[back]")
    assert "code2wav is on back, where what they cost is measured and kept" in away
    omni = explain("engine.family=qwen3_omni")
    assert "not known yet: they are measured at every start" in omni
    assert "# arithmetic" not in omni


def test_what_is_explained_of_speed_is_a_comment(prepared: Prepared, tmp_path: Path) -> None:
    assignments = f"embedded.cache={tmp_path}", "engine.threads=1"
    file = tmp_path / "again.yaml"
    file.write_text(explain(*assignments))
    assert config.load(file) == config.load(None, assignments)


def test_costs_that_can_not_be_read_are_not_kept(tmp_path: Path) -> None:
    kept = Prepared(tmp_path / "embedded" / "v0-int8-model", tmp_path, "int8")
    path = costs._path(kept)
    path.parent.mkdir(parents=True)
    for damaged in ("", "[]", "{", f'{{"{costs._key(kept, 1)}": [[2, "x"]]}}'):
        path.write_text(damaged)
        assert costs.kept(kept, 1) is None


def test_nothing_of_the_model_is_read_where_nothing_is_kept(tmp_path: Path) -> None:
    missing = EmbeddedConfig(model=tmp_path / "none.onnx", cache=tmp_path)
    assert costs.kept_for(missing, 1) is None


@pytest.mark.parametrize(
    ("seats", "threads", "cores", "copies"),
    [
        ([Seat(), Seat()], 1, 2, 2),
        ([Seat(), Seat()], 2, 2, 1),  # on the same two
        ([Seat(), Seat(), Seat()], 1, 2, 2),
        ([Seat(cores=(0,)), Seat(cores=(1,))], 1, 8, 2),
        ([Seat(cores=(0,)), Seat(cores=(0,))], 1, 8, 1),
        ([Seat(cores=(0, 1)), Seat(cores=(2, 3))], 2, 8, 2),
        ([Seat("back"), Seat("back")], 1, 8, 1),  # whose cores nobody has told
        ([Seat("back"), Seat("far")], 4, 2, 2),
        ([Seat()], 4, 2, 1),
    ],
)
def test_copies_count_where_they_share_no_core(
    seats: list[Seat], threads: int, cores: int, copies: int
) -> None:
    group = Group("code2wav", ("code2wav",), tuple(seats), threads=threads)
    assert carrying.copies(group, cores) == copies
