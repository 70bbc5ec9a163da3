"""Frames in groups are the whole clause's prosody, in order."""

import numpy as np

from engine.families.embedded import cut
from engine.families.embedded.clause import Plan
from tests.engine.families.embedded.driving import SENTENCE, run, uncut, utterance


def test_groups_are_the_uncut_models_prosody(exact):
    said = utterance(SENTENCE)
    plans = [p for p in exact.think(said) if isinstance(p, Plan)]
    frames = exact.talk(said, plans)
    (plan,) = plans
    have = uncut().feeds(plan)
    parts = cut.cut(uncut().model)
    for part in (parts.durations, parts.prosody):
        have = have | run(part, have)
    np.testing.assert_array_equal(np.concatenate([f.f0 for f in frames]), have[cut.F0][0])
    features = np.concatenate([f.features for f in frames], axis=1)
    np.testing.assert_array_equal(features, have[cut.FEATURES][0])
    assert [f.at for f in frames] == list(range(0, plan.span.frames, 30))
    assert frames[0].words == plan.words
    assert all(f.words == () for f in frames[1:])


def test_several_clauses_keep_their_order(exact):
    said = utterance("Come in. Sit down. Have some tea.")
    plans = [p for p in exact.think(said) if isinstance(p, Plan)]
    frames = exact.talk(said, plans)
    starts = [f.span.start for f in frames]
    assert starts == sorted(starts)
    assert {f.span for f in frames} == {p.span for p in plans}
