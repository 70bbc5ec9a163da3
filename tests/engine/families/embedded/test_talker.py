"""A clause's frames are its whole prosody, handed on at once and in order."""

import numpy as np

from engine.families.embedded import cut
from engine.families.embedded.clause import Plan
from tests.engine.families.embedded.driving import SENTENCE, run, uncut, utterance


def test_frames_are_the_uncut_models_prosody(exact):
    said = utterance(SENTENCE)
    (plan,) = [p for p in exact.think(said) if isinstance(p, Plan)]
    (frames,) = exact.talk(said, [plan])
    have = uncut().feeds(plan)
    parts = cut.cut(uncut().model)
    for part in (parts.durations, parts.prosody):
        have = have | run(part, have)
    np.testing.assert_array_equal(frames.f0, have[cut.F0][0])
    np.testing.assert_array_equal(frames.energy, have[cut.ENERGY][0])
    np.testing.assert_array_equal(frames.features, have[cut.FEATURES][0])
    assert frames.features.shape[1] == plan.span.frames
    assert (frames.span, frames.sheet, frames.words) == (plan.span, plan.sheet, plan.words)


def test_several_clauses_keep_their_order(exact):
    said = utterance("Come in. Sit down. Have some tea.")
    plans = [p for p in exact.think(said) if isinstance(p, Plan)]
    frames = exact.talk(said, plans)
    assert [f.span for f in frames] == [p.span for p in plans]
    starts = [f.span.start for f in frames]
    assert starts == sorted(starts)
