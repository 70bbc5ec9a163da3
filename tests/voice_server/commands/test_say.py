"""`voice-server say`: to a file, by a server, with figures, and with plain words when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from tests import arithmetic
from voice_server import config, local
from voice_server.commands.say import command

LINE = "The quick brown fox jumps over the lazy dog"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    settings = config.load(None, ["server.port=0", "engine.capacity=2", "limits.text_chars=100"])
    with local.running(settings, lambda _: arithmetic.load(can=arithmetic.EVERYTHING)) as url:
        yield url


def say(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin)


def test_the_file_has_the_take_sample_for_sample(server: str, tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    done = say(LINE, "--voice", "high", "--seed", "7", "--url", server, "--out", str(path))
    assert (done.exit_code, done.stdout) == (0, "")
    samples, rate = soundfile.read(path, dtype="int16")
    assert rate == arithmetic.RATE
    assert np.array_equal(samples, arithmetic.whole(LINE, "high", 7))


@pytest.mark.parametrize(("format", "frame_ms"), [("opus", "60"), ("pcm16", "20")])
def test_figures_say_what_was_heard(server: str, format: str, frame_ms: str) -> None:
    done = say(LINE, "--url", server, "--json", "--format", format, "--frame-ms", frame_ms)
    figures = json.loads(done.stdout)
    assert figures["samples"] == len(arithmetic.whole(LINE))
    assert figures["duration_ms"] == pytest.approx(figures["samples"] / 24, abs=0.01)
    assert 0 < figures["first_audio_ms"] / figures["duration_ms"] <= figures["rtf"]
    assert figures["queued_ms"] == 0
    assert figures["underruns"]["source"] == "player"
    assert [word["text"] for word in figures["words"]] == LINE.split()
    assert figures["out"] is None


def test_a_direction_is_done_and_what_it_came_to_is_told(server: str) -> None:
    done = say(LINE, "--url", server, "--direction", "much slower", "--json")
    figures = json.loads(done.stdout)
    assert figures["direction"] == "much slower"
    assert figures["performance"]["rate"] < 1
    assert figures["moved"][0]["levers"]["rate"] == [1, figures["performance"]["rate"]]
    assert f"much slower: rate 1 to {figures['performance']['rate']:g}" in done.stderr


def test_text_comes_from_standard_input(server: str) -> None:
    done = say("-", "--url", server, "--json", stdin="from a pipe")
    assert [word["text"] for word in json.loads(done.stdout)["words"]] == ["from", "a", "pipe"]


def test_a_text_longer_than_a_message_goes_in_pieces(server: str, tmp_path: Path) -> None:
    text = " ".join(str(number) for number in range(100))
    path = tmp_path / "x.flac"
    done = say(text, "--url", server, "--out", str(path))
    assert len(text) > 200
    assert done.exit_code == 0, done.output
    samples, _ = soundfile.read(path, dtype="int16")
    assert np.array_equal(samples, arithmetic.whole(text))


def test_a_voice_that_is_not_there_fails_and_leaves_no_file(server: str, tmp_path: Path) -> None:
    done = say(LINE, "--voice", "nobody", "--url", server, "--out", str(tmp_path / "x.wav"))
    assert done.exit_code == 1
    assert "nobody" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_take_that_fails_leaves_no_file(server: str, tmp_path: Path) -> None:
    done = say(LINE, "--voice", "broken", "--url", server, "--out", str(tmp_path / "x.wav"))
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: ")
    assert list(tmp_path.iterdir()) == []


def test_no_server_is_a_status_of_its_own(tmp_path: Path) -> None:
    settings = config.load(None, ["server.port=0", "engine.capacity=1"])
    with local.running(settings, lambda _: arithmetic.load()) as gone:
        pass
    done = say(LINE, "--url", gone, "--out", str(tmp_path / "x.wav"))
    assert done.exit_code == 3
    assert "is it running?" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "--out"),
        (["--out", "x.aiff"], "expected a name that ends in .wav"),
        (["--json", "--frame-ms", "30"], "'30' is not one of '20', '40', '60'"),
        (["--json", "--set", "engine.capacity=2"], "--config and --set are for an engine"),
    ],
)
def test_what_is_asked_wrongly_is_told(server: str, arguments: list[str], told: str) -> None:
    done = say(LINE, "--url", server, *arguments)
    assert done.exit_code in (1, 2)
    assert told in done.stderr


def test_an_engine_that_can_not_start_says_why(tmp_path: Path) -> None:
    done = say(LINE, "--json", "--set", f"embedded.model={tmp_path / 'no.onnx'}")
    assert done.exit_code == 3
    assert "no.onnx" in done.stderr


@pytest.mark.long
def test_an_engine_of_its_own_speaks(tmp_path: Path) -> None:
    """The embedded voice, no server running: a second and more of sound that is not silence."""
    path = tmp_path / "x.wav"
    done = say("Hello there, how are you today?", "--out", str(path), "--json")
    assert done.exit_code == 0, done.output
    samples, rate = soundfile.read(path, dtype="int16")
    assert len(samples) / rate > 1
    assert np.abs(samples).max() > 2000
    words = [word["text"].strip(",?") for word in json.loads(done.stdout)["words"]]
    assert words == ["Hello", "there", "how", "are", "you", "today"]
