"""`voice-server perform`: a script to a folder, and plain words where that makes no sense."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
import webvtt
from click.testing import CliRunner, Result

from engine.types import Int16
from tests import arithmetic
from voice_server import config, local
from voice_server.commands.perform import command

PLAIN = """ANNA: Good evening to you all
BEN: And to you
ANNA: Shall we go then
"""
LINES = [line.split(": ") for line in PLAIN.splitlines()]
FOUNTAIN = """INT. KITCHEN - NIGHT

The kettle sings.

ANNA
(quietly)
Who is there

BEN
Only me
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    settings = config.load(None, ["server.port=0", "engine.capacity=2"])
    with local.running(settings, lambda _: arithmetic.load()) as url:
        yield url


def perform(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin)


def written(folder: Path, text: str, name: str = "script.txt") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def sound(path: Path) -> Int16:
    samples, rate = soundfile.read(path, dtype="int16")
    assert rate == arithmetic.RATE
    return samples


def performed(server: str, folder: Path, text: str = PLAIN, *more: str) -> Path:
    out = folder / "scene"
    cast = ["--cast", "ANNA=high", "--cast", "ben=low"]
    done = perform(written(folder, text), *cast, "--out", str(out), "--url", server, *more)
    assert done.exit_code == 0, done.output
    return out


def test_the_folder_has_the_scene_stems_captions_and_cast(server: str, tmp_path: Path) -> None:
    out = performed(server, tmp_path)
    found = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert found == [
        "cast.json", "scene.srt", "scene.vtt", "scene.wav", "stems/01 ANNA.wav", "stems/02 BEN.wav"
    ]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_stems_are_as_long_as_the_scene_and_add_up_to_it(server: str, tmp_path: Path) -> None:
    out = performed(server, tmp_path)
    scene = sound(out / "scene.wav")
    stems = [sound(path) for path in sorted((out / "stems").iterdir())]
    assert [len(stem) for stem in stems] == [len(scene), len(scene)]
    assert np.array_equal(np.sum(stems, axis=0), scene)


def test_every_line_is_heard_to_the_sample_where_the_cast_says(server: str, tmp_path: Path) -> None:
    out = performed(server, tmp_path)
    told = json.loads((out / "cast.json").read_text())
    scene, at = sound(out / "scene.wav"), 0
    assert [[line["speaker"], line["text"]] for line in told["lines"]] == LINES
    for line in told["lines"]:
        start = round(line["start_ms"] * arithmetic.RATE / 1000)
        end = round(line["end_ms"] * arithmetic.RATE / 1000)
        assert start >= at
        assert not scene[at:start].any()
        voice = {"ANNA": "high", "BEN": "low"}[line["speaker"]]
        assert np.array_equal(scene[start:end], arithmetic.whole(line["text"], voice))
        at = end
    assert at == len(scene) == told["samples"]


def test_there_is_a_pause_between_lines(server: str, tmp_path: Path) -> None:
    lines = json.loads((performed(server, tmp_path) / "cast.json").read_text())["lines"]
    gaps = [after["start_ms"] - before["end_ms"] for before, after in pairwise(lines)]
    assert lines[0]["start_ms"] == 0
    assert min(gaps) >= 100


def test_the_cast_says_who_was_who(server: str, tmp_path: Path) -> None:
    told = json.loads((performed(server, tmp_path) / "cast.json").read_text())
    assert told["cast"] == [
        {"speaker": "ANNA", "voice": "high", "lines": 2, "stem": "stems/01 ANNA.wav"},
        {"speaker": "BEN", "voice": "low", "lines": 1, "stem": "stems/02 BEN.wav"},
    ]
    assert told["duration_ms"] == pytest.approx(told["samples"] / 24, abs=0.01)
    assert 0 < told["first_audio_ms"] <= told["rtf"] * told["duration_ms"]


def test_captions_name_the_speakers_at_their_times(server: str, tmp_path: Path) -> None:
    out = performed(server, tmp_path)
    lines = json.loads((out / "cast.json").read_text())["lines"]
    cues = webvtt.read(str(out / "scene.vtt"))
    assert [(cue.voice, cue.text) for cue in cues] == [tuple(line) for line in LINES]
    assert [cue.start_in_seconds * 1000 for cue in cues] == pytest.approx(
        [line["start_ms"] for line in lines], abs=1001
    )
    assert (out / "scene.srt").read_text().count("ANNA: ") == 2


def test_json_prints_what_the_cast_file_says(server: str, tmp_path: Path) -> None:
    done = perform("-", "--url", server, "--out", str(tmp_path / "scene"), "--json", stdin=PLAIN)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads((tmp_path / "scene" / "cast.json").read_text())


def test_fountain_is_known_by_the_name_of_the_file(server: str, tmp_path: Path) -> None:
    script = written(tmp_path, FOUNTAIN, "x.fountain")
    done = perform(script, "--url", server, "--out", str(tmp_path / "scene"), "--json")
    assert done.exit_code == 0, done.output
    lines = json.loads(done.stdout)["lines"]
    assert [(line["speaker"], line["text"]) for line in lines] == [
        ("ANNA", "Who is there"),
        ("BEN", "Only me"),
    ]


def test_lines_said_at_once_are_written_over_each_other(server: str, tmp_path: Path) -> None:
    script = written(tmp_path, f"{FOUNTAIN}\nANNA ^\nAh\n\nBEN\nYes me\n", "x.fountain")
    arguments = ["--cast", "ANNA=high", "--cast", "BEN=low", "--out", str(tmp_path / "scene")]
    done = perform(script, *arguments, "--url", server, "--json")
    assert done.exit_code == 0, done.output
    assert "in its files they are together" in done.stderr
    lines = json.loads(done.stdout)["lines"]
    starts = [line["start_ms"] for line in lines]
    assert starts[0] < starts[1] == starts[2] < starts[3]
    ends = [line["end_ms"] for line in lines]
    assert starts[3] > max(ends[1:3])
    scene = sound(tmp_path / "scene" / "scene.wav")
    stems = [sound(path) for path in sorted((tmp_path / "scene" / "stems").iterdir())]
    assert np.array_equal(np.sum(stems, axis=0), scene)
    at = round(starts[1] * arithmetic.RATE / 1000)
    for stem, line, voice in ((stems[1], lines[1], "low"), (stems[0], lines[2], "high")):
        expected = arithmetic.whole(line["text"], voice)
        assert np.array_equal(stem[at : at + len(expected)], expected)
    cues = webvtt.read(str(tmp_path / "scene" / "scene.vtt"))
    assert [cue.voice for cue in cues] == ["ANNA", "BEN", "ANNA", "BEN"]
    assert cues[1].start == cues[2].start


def test_what_was_in_the_folder_is_replaced_by_name_and_nothing_else(
    server: str, tmp_path: Path
) -> None:
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene" / "notes.txt").write_text("mine")
    (tmp_path / "scene" / "cast.json").write_text("old")
    out = performed(server, tmp_path)
    assert (out / "notes.txt").read_text() == "mine"
    assert json.loads((out / "cast.json").read_text())["cast"]


def test_a_line_that_fails_is_named_and_leaves_nothing(server: str, tmp_path: Path) -> None:
    script = written(tmp_path, PLAIN)
    arguments = ["--cast", "ANNA=high", "--cast", "BEN=broken"]
    done = perform(script, *arguments, "--url", server, "--out", str(tmp_path / "scene"))
    assert done.exit_code == 1
    assert "'And to you' of BEN failed" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["script.txt"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--cast", "BEN=nobody"], "nobody"),
        (["--cast", "CARL=low"], "the speakers are ANNA, BEN"),
        (["--cast", "BEN"], "expected NAME=VOICE"),
        (["--direction", "BEN="], "expected NAME=WORDS"),
        (["--set", "engine.capacity=2"], "--config and --set are for an engine"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    server: str, tmp_path: Path, arguments: list[str], told: str
) -> None:
    script = written(tmp_path, PLAIN)
    done = perform(script, *arguments, "--url", server, "--out", str(tmp_path / "scene"))
    assert done.exit_code == 2, done.output
    assert told in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["script.txt"]


def test_a_script_that_can_not_be_read_says_where(tmp_path: Path) -> None:
    script = written(tmp_path, "ANNA: Hello\nBEN: (softly and never closed\n")
    done = perform(script, "--format", "plain", "--out", str(tmp_path / "scene"))
    assert done.exit_code == 2, done.output
    assert f"{script}, line 2, column " in done.stderr


def test_a_script_without_words_is_told(tmp_path: Path) -> None:
    done = perform("-", "--format", "fountain", "--out", str(tmp_path / "x"), stdin="INT. HERE\n")
    assert done.exit_code == 2
    assert "standard input has no words to say (read as fountain)" in done.stderr


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "script.txt"
    path.write_bytes(b"ANNA: Hello\nBEN: \xff\n")
    done = perform(str(path), "--out", str(tmp_path / "x"))
    assert done.exit_code == 2
    assert "line 2: this is not text in UTF-8" in done.stderr


def test_no_server_is_a_status_of_its_own(tmp_path: Path) -> None:
    settings = config.load(None, ["server.port=0", "engine.capacity=1"])
    with local.running(settings, lambda _: arithmetic.load()) as gone:
        pass
    done = perform(written(tmp_path, PLAIN), "--url", gone, "--out", str(tmp_path / "scene"))
    assert done.exit_code == 3
    assert "is it running?" in done.stderr


@pytest.mark.long
def test_an_engine_of_its_own_performs(tmp_path: Path) -> None:
    """The embedded voice, no server running: both characters are heard, each in their stem."""
    script = written(tmp_path, "HERO: Good evening.\nMIRA: (softly) Is it you?\n")
    done = perform(script, "--cast", "HERO=am_michael", "--out", str(tmp_path / "scene"))
    assert done.exit_code == 0, done.output
    stems = [sound(path) for path in sorted((tmp_path / "scene" / "stems").iterdir())]
    assert len(stems) == 2
    assert len(stems[0]) == len(stems[1]) > arithmetic.RATE
    assert all(np.abs(stem).max() > 2000 for stem in stems)
    assert not np.any((stems[0] != 0) & (stems[1] != 0))
