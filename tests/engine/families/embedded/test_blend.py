"""Curves of an edit: the old ones outside, the new ones inside, moved to the register around."""

import numpy as np
import pytest

from engine.families.embedded.blend import FADE, blended
from engine.families.embedded.clause import Patch, Sheet, Splice
from engine.families.embedded.notes import Notes, pack, unpack
from engine.scores import BadScore


def _notes(durations, f0, pauses=()):
    durations = np.array(durations, np.int32)
    edges = 600 * np.concatenate([[0], np.cumsum(durations)])
    return Notes(
        phonemes="kˈæt",
        row=12,
        skip=0,
        durations=durations,
        edges=edges.astype(np.int32),
        f0=np.asarray(f0, np.float32),
        energy=np.linspace(0, 1, len(f0), dtype=np.float32),
        pooled=np.arange(5, dtype=np.float32),
        pauses=np.array(pauses, np.int32).reshape(-1, 2),
    )


def _patch(notes, *splices):
    return Patch(tuple(splices), notes, 0, 0, 0, 0)


def _sheet(durations):
    return Sheet((0, 1), "kˈæt", 12, np.array(durations, np.float32), ())


def test_outside_the_curves_are_the_old_ones_and_inside_they_are_moved():
    notes = _notes([20, 10, 20], np.full(100, 220.0))
    new = np.full(120, 200.0, np.float32)
    energy = np.full(120, 9.0, np.float32)
    made, loud = blended(_patch(notes, Splice(1, 2, 1, 2)), _sheet([20, 20, 20]), new, energy)
    np.testing.assert_allclose(made[: 40 - FADE], 220, rtol=1e-6)
    np.testing.assert_allclose(made[80 + FADE :], 220, rtol=1e-6)
    np.testing.assert_allclose(made[40:80], 220, rtol=1e-5)
    assert np.all((made[40 - FADE : 40] <= 220.001) & (made[40 - FADE : 40] >= 200))
    np.testing.assert_array_equal(loud[:32], notes.energy[:32])
    np.testing.assert_array_equal(loud[88:], notes.energy[68:])
    np.testing.assert_array_equal(loud[40:80], 9)


def test_a_register_is_followed_no_further_than_a_quarter():
    notes = _notes([20, 10, 20], np.full(100, 400.0))
    new = np.full(100, 100.0, np.float32)
    made, _ = blended(_patch(notes, Splice(1, 2, 1, 2)), _sheet([20, 10, 20]), new, new)
    np.testing.assert_allclose(made[40:60], 100 * np.exp(0.25), rtol=1e-5)


def test_a_whisper_between_voiced_words_stays_one():
    notes = _notes([20, 10, 20], np.full(100, 180.0))
    new = np.full(100, 180.0, np.float32)
    new[40:60] = 0
    made, _ = blended(_patch(notes, Splice(1, 2, 1, 2)), _sheet([20, 10, 20]), new, new)
    assert not made[40:60].any()
    np.testing.assert_allclose(made[:40], 180, rtol=1e-6)


def test_what_only_went_fades_on_both_sides():
    notes = _notes([20, 10, 20], np.r_[np.full(60, 150.0), np.full(40, 150.0)])
    new = np.full(80, 160.0, np.float32)
    made, _ = blended(_patch(notes, Splice(1, 2, 1, 1)), _sheet([20, 20]), new, new)
    assert made[0] == pytest.approx(150)
    assert made[79] == pytest.approx(150)
    assert made[39] > 155


def test_notes_survive_being_kept():
    notes = _notes([3, 4], np.linspace(100, 200, 14), pauses=[(700, 4_800)])
    kept = unpack(pack(notes))
    assert (kept.phonemes, kept.row, kept.skip) == (notes.phonemes, notes.row, notes.skip)
    for name in ("durations", "edges", "f0", "energy", "pooled", "pauses"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(notes, name))
    assert kept.played(600) == 600
    assert kept.played(701) == 701 + 4_800


@pytest.mark.parametrize("data", [b"", b"nothing", b"PK\x03\x04zip?"])
def test_notes_of_another_kind_are_refused(data):
    with pytest.raises(BadScore):
        unpack(data)
