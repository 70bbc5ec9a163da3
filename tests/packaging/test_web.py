"""The studio is built when its sources changed, and at no other time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts import web


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A web/ folder with a source, something installed and something built."""
    folder = tmp_path / "web"
    for name in ("studio/main.ts", "node_modules/esbuild/index.js", "dist/out.js"):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(name)
    return folder


def copy_step(sources: Path, result: Path) -> web.Step:
    """A real command that makes `result` and leaves a trace of every run in runs.txt."""
    script = f"mkdir -p {result} && echo ran >> {sources.parent}/runs.txt"
    return web.Step("copy", (sources,), result, ("sh", "-c", script))


def runs(folder: Path) -> int:
    return len((folder / "runs.txt").read_text().splitlines())


def test_digest_sees_contents_and_names_but_not_clocks_or_results(sources: Path) -> None:
    before = web.digest([sources])
    (sources / "studio/main.ts").touch()
    (sources / "dist/out.js").write_text("another")
    (sources / "node_modules/esbuild/index.js").write_text("another")
    assert web.digest([sources]) == before

    (sources / "studio/main.ts").rename(sources / "studio/renamed.ts")
    renamed = web.digest([sources])
    (sources / "studio/renamed.ts").write_text("another")
    assert len({before, renamed, web.digest([sources])}) == 3


def test_digest_is_the_same_wherever_the_tree_lies(sources: Path, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(sources, tmp_path / "elsewhere" / "web")
    assert web.digest([sources]) == web.digest([elsewhere])


def test_a_fresh_result_is_not_made_again(sources: Path, tmp_path: Path) -> None:
    step = copy_step(sources, tmp_path / "studio")
    web.ensure([step], sources)
    web.ensure([step], sources)
    assert runs(tmp_path) == 1

    (sources / "studio/main.ts").write_text("changed")
    web.ensure([step], sources)
    assert runs(tmp_path) == 2

    shutil.rmtree(tmp_path / "studio")
    web.ensure([step], sources)
    assert runs(tmp_path) == 3


def test_a_failed_build_is_named_and_stays_stale(sources: Path, tmp_path: Path) -> None:
    step = copy_step(sources, tmp_path / "studio")
    web.ensure([step], sources)
    (sources / "studio/main.ts").write_text("changed")

    failing = web.Step("copy", (sources,), step.result, ("sh", "-c", "exit 7"))
    with pytest.raises(web.WebError, match="exit code 7"):
        web.ensure([failing], sources)
    assert not step.is_fresh()


def test_a_missing_tool_is_named_with_what_to_install(sources: Path, tmp_path: Path) -> None:
    step = web.Step("studio", (sources,), tmp_path / "studio", ("no-such-npm", "run"))
    with pytest.raises(web.WebError, match=r"npm is not here: install Node\.js"):
        web.ensure([step], sources)
