"""A scene's mix is the sum of its stems; its archive has them, captions and the script."""

from __future__ import annotations

import io
import json
import tracemalloc
import wave
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.types import Int16
from sessions import captions
from tests.voice_server.export.scene import (
    RATE,
    Files,
    at_once,
    line,
    noise,
    sheet,
    take,
    three_lines,
    track,
)
from voice_server.export import captions as spoken
from voice_server.export.bundle import entries, safe_name
from voice_server.export.errors import ExportError
from voice_server.export.formats import write_flac_file, write_wav
from voice_server.export.timeline import timeline
from voice_server.export.track import Track, scene_track, stem_track
from voice_server.export.wav import wav_bytes, wav_pieces
from voice_server.export.zip import Entry, zip_pieces


@pytest.fixture
def files(tmp_path: Path) -> Files:
    made = Files(tmp_path)
    for number, samples in ((2, 70_001), (5, 3_002), (6, 1)):
        made.add("session_1", take(f"take_{number}", "", samples))
    return made


def whole(made: Track) -> Int16:
    sound = np.concatenate(list(made.blocks()))
    assert len(sound) == made.samples
    return sound


def test_the_stems_add_up_to_the_mix_and_are_as_long(files: Files) -> None:
    placed = timeline(three_lines())
    mix = whole(scene_track(placed, files.path))
    stems = [whole(stem_track(placed, name, files.path)) for name in placed.speakers]
    assert np.array_equal(np.sum(stems, axis=0, dtype=np.int64), mix)
    for clip in placed.clips:
        number = int(clip.take.id.split("_")[1])
        assert np.array_equal(mix[clip.start : clip.end], noise(clip.samples, number))
    heard = np.zeros(len(mix), bool)
    for clip in placed.clips:
        heard[clip.start : clip.end] = True
    assert not mix[~heard].any()


def test_lines_said_at_once_are_over_each_other_in_the_mix_and_alone_in_their_stems(
    files: Files,
) -> None:
    placed = timeline(at_once())
    stems = [whole(stem_track(placed, name, files.path)) for name in placed.speakers]
    mix = whole(scene_track(placed, files.path))
    assert {len(stem) for stem in stems} == {len(mix)}
    total = np.sum(stems, axis=0, dtype=np.int64)
    assert np.array_equal(mix, np.clip(total, -32768, 32767))
    assert np.array_equal(stems[0][:70_001], noise(70_001, 2))
    assert np.array_equal(stems[1][:3_002], noise(3_002, 5))
    cues = captions.cues(spoken.of_scene(placed))
    assert [(cue.speaker, cue.start) for cue in cues[:2]] == [("ANNA", 0.0), ("BEN", 0.0)]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.booleans()), min_size=1))
def test_a_scene_is_the_sum_of_its_clips_wherever_they_overlap(
    lines: list[tuple[int, bool, bool]],
) -> None:
    """Of some thousand samples, so that blocks end within clips."""
    with TemporaryDirectory() as name:
        made = Files(Path(name))
        records = []
        for number, (size, dual, anna) in enumerate(lines):
            record = take(f"take_{number}", f"line_{number}", 1_000 * size)
            made.add("session_1", record)
            records.append(line(number, "ANNA" if anna else "BEN", record, dual=dual))
        placed = timeline(sheet(*records))
        total = np.zeros(placed.samples, np.int64)
        for clip in placed.clips:
            number = int(clip.take.id.split("_")[1])
            total[clip.start : clip.end] += noise(clip.samples, number)
        mix = whole(scene_track(placed, made.path))
        assert np.array_equal(mix, np.clip(total, -32768, 32767))


def test_wav_and_flac_are_exact(tmp_path: Path) -> None:
    sound = noise(100_001)
    write_wav(track(sound), tmp_path / "a.wav")
    write_flac_file(track(sound), tmp_path / "a.flac")
    for name in ("a.wav", "a.flac"):
        heard, rate = soundfile.read(tmp_path / name, dtype="int16")
        assert rate == RATE
        assert np.array_equal(heard, sound)
    with wave.open(str(tmp_path / "a.wav")) as file:
        assert file.getparams()[:4] == (1, 2, RATE, 100_001)
    assert (tmp_path / "a.wav").stat().st_size == wav_bytes(track(sound))


def test_no_sound_is_a_wav_file_of_no_samples(tmp_path: Path) -> None:
    write_wav(track(noise(0)), tmp_path / "a.wav")
    assert len(soundfile.read(tmp_path / "a.wav")[0]) == 0
    with pytest.raises(ExportError, match="WAV"):
        write_flac_file(track(noise(0)), tmp_path / "a.flac")


def test_more_than_a_wav_file_holds_is_refused() -> None:
    with pytest.raises(ExportError, match="FLAC"):
        next(wav_pieces(Track(RATE, 2**31, lambda: iter(()))))


def test_the_archive_has_stems_captions_and_the_script(files: Files) -> None:
    scene = three_lines()
    placed = timeline(scene)
    data = b"".join(zip_pieces(entries(scene, placed, files.path)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "scene.json",
            "captions/scene.vtt",
            "captions/scene.srt",
            "script.txt",
            "stems/01 ANNA.wav",
            "stems/02 BEN.wav",
        ]
        for number, name in enumerate(("ANNA", "BEN"), 1):
            sound = archive.read(f"stems/{number:02} {name}.wav")
            heard = soundfile.read(io.BytesIO(sound), dtype="int16")[0]
            assert np.array_equal(heard, whole(stem_track(placed, name, files.path)))
        assert archive.read("script.txt") == b"ANNA: Good day."
        told = json.loads(archive.read("scene.json"))
        starts = [(entry["take"]["id"], entry["start"]) for entry in told["lines"]]
        assert starts == [(clip.take.id, clip.start) for clip in placed.clips]
        assert (told["samples"], told["sample_rate"]) == (placed.samples, RATE)
        captions = archive.read("captions/scene.vtt").decode()
        assert captions.startswith("WEBVTT\n")
        assert captions.count("<v ANNA>") == 1
        assert captions.count("<v BEN>") == 2


def test_speakers_whose_names_no_file_can_have_keep_apart(tmp_path: Path) -> None:
    files = Files(tmp_path)
    names = ("../a", "A/..", "", None, "Zoë 'Z'", "con\n")
    lines = []
    for number, name in enumerate(names):
        made = take(f"take_{number}", f"line_{number}", 10)
        files.add("session_1", made)
        lines.append(line(number, name, made))
    scene = sheet(*lines)
    found = [entry.name for entry in entries(scene, timeline(scene), files.path)]
    stems = [name for name in found if name.startswith("stems/")]
    assert len(set(stems)) == len(names)
    assert all(".." not in name and name.count("/") == 1 for name in stems)
    assert "stems/05 Zoë 'Z'.wav" in stems
    assert safe_name("...") == "unnamed"


def test_a_long_scene_takes_little_memory(tmp_path: Path) -> None:
    files = Files(tmp_path)
    made = take("take_1", "line_1", 60 * RATE)
    files.add("session_1", made)
    lines = [line(number, "AB"[number % 2], made) for number in range(10)]
    scene = sheet(*lines)
    parts = entries(scene, timeline(scene), files.path)
    tracemalloc.start()
    try:
        size = sum(len(piece) for piece in zip_pieces(parts))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size > 25_000_000
    assert peak < 4_000_000


def test_a_zip_is_made_as_it_is_read() -> None:
    asked: list[int] = []

    def pieces() -> Iterator[bytes]:
        for number in range(50):
            asked.append(number)
            yield noise(10_000, number).tobytes()

    made = zip_pieces([Entry("a", 1_000_000, pieces())])
    next(made)
    assert len(asked) < 5
    made.close()
    assert len(asked) < 5
