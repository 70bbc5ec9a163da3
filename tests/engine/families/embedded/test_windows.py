"""Windows tile what is spoken, have full context where there is any, and few shapes."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.families.embedded import windows
from engine.families.embedded.clause import Span

spans = st.builds(
    lambda skip, more: Span("af_heart", 0, skip, skip + more),
    st.integers(0, 25),
    st.integers(1, 1500),
)


@given(spans, st.booleans())
def test_windows_tile_what_is_spoken(span, first):
    made = windows.plan(span, first)
    assert made[0].start == span.skip
    assert made[-1].stop == span.frames
    assert all(a.stop == b.start for a, b in itertools.pairwise(made))


@given(spans, st.booleans())
def test_first_window_has_four_codec_frames_and_later_ones_ten(span, first):
    made = windows.plan(span, first)
    sizes = [w.stop - w.start for w in made]
    assert sizes[0] == (12 if first else 30) or len(sizes) == 1
    assert all(size == 30 for size in sizes[2 if first else 1 : -1])
    assert sizes[-1] < 30 + windows.SHORTEST


@given(spans, st.booleans())
def test_context_is_full_wherever_the_clause_has_it(span, first):
    for w in windows.plan(span, first):
        assert w.low <= max(0, w.start - windows.CONTEXT)
        assert w.high == min(span.frames, w.stop + windows.CONTEXT)
        assert w.low_rate_low <= max(0, w.low - windows.LOW_CONTEXT)
        assert w.low_rate_high == min(span.frames, w.high + windows.LOW_CONTEXT)


@given(spans)
def test_shapes_are_few_where_there_is_room(span):
    for w in windows.plan(span, first=True):
        assert w.low == 0 or (w.high - w.low) % windows.ROUND == 0


def test_usual_windows_have_one_of_each_shape():
    usual = windows.usual()
    assert len({w.shape for w in usual}) == len(usual) < 40
