"""Calls tile what is wanted with full context in the few lengths that there are; no window ends
within a pause."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.families.embedded import windows
from engine.families.embedded.clause import FRAMES_PER_CODEC_FRAME, Silence, Span
from engine.families.embedded.windows import HIGH_CONTEXT, LOW_CONTEXT, MIDDLE_CONTEXT

PARTS = st.sampled_from(
    [
        (LOW_CONTEXT, windows.LOW_LENGTHS),
        (MIDDLE_CONTEXT, windows.MIDDLE_LENGTHS),
        (HIGH_CONTEXT, windows.HIGH_LENGTHS),
    ]
)


@st.composite
def asked(draw):
    """(made, wanted, total, context, lengths): some frames of a clause for one of the parts."""
    total = draw(st.integers(1, 400))
    made = draw(st.integers(0, total - 1))
    wanted = draw(st.integers(made + 1, total))
    return made, wanted, total, *draw(PARTS)


@st.composite
def spans(draw):
    """Clauses with pauses, in order and apart."""
    skip, edges = draw(st.integers(0, 25)), draw(st.sets(st.integers(0, 300), max_size=8))
    ends = sorted(edges)
    pauses = [Silence(skip + a, skip + b, 99) for a, b in zip(ends[::2], ends[1::2], strict=False)]
    more = draw(st.integers(1, 100)) + (max(ends) if ends else 0)
    return Span("af_heart", 0, skip, skip + more, tuple(pauses))


@given(asked())
def test_calls_tile_what_is_wanted_and_lie_within_the_clause(asked):
    made, wanted, total, *_ = asked
    at = made
    for call in windows.calls(*asked):
        assert 0 <= call.low <= at < call.stop <= call.low + call.length <= total
        at = call.stop
    assert at >= wanted


@given(asked())
def test_what_a_call_makes_has_full_context_wherever_the_clause_has_it(asked):
    made, _, total, context, _ = asked
    at = made
    for call in windows.calls(*asked):
        assert call.low <= max(0, at - context)
        assert call.low + call.length >= min(total, call.stop + context)
        at = call.stop


@given(asked())
def test_lengths_are_the_menus_unless_the_clause_is_shorter_than_all(asked):
    _, _, total, _, lengths = asked
    for call in windows.calls(*asked):
        assert call.length in lengths or (total < lengths[0] and call.length == total)


@given(asked())
def test_calls_are_no_more_than_the_longest_length_needs(asked):
    """All but the last of several are the longest that there are."""
    _, _, total, _, lengths = asked
    found = list(windows.calls(*asked))
    longest = max([length for length in lengths if length <= total] or [total])
    assert all(call.length == longest for call in found[:-1])


def test_each_size_has_a_length_in_which_a_first_window_is_one_call():
    """Of a first window each part makes what the next one looks at besides."""
    start, total = 100, 1000
    for size in windows.SIZES[:-1]:
        low, stop = start, start + FRAMES_PER_CODEC_FRAME * size
        for context, lengths in (
            (HIGH_CONTEXT, windows.HIGH_LENGTHS),
            (MIDDLE_CONTEXT, windows.MIDDLE_LENGTHS),
            (LOW_CONTEXT, windows.LOW_LENGTHS),
        ):
            (call,) = windows.calls(low, stop, total, context, lengths)
            assert call.length == lengths[windows.SIZES.index(size)]
            low, stop = call.low, call.low + call.length


@given(spans(), st.lists(st.integers(1, 20), min_size=1, max_size=5))
def test_windows_go_on_to_the_end_and_stop_within_no_pause(span, sizes):
    at = span.skip
    for size in itertools.cycle(sizes):
        stop = windows.stop_of(span, at, size)
        assert at < stop <= span.frames
        assert not any(pause.low < stop < pause.high for pause in span.pauses)
        at = stop
        if at == span.frames:
            return


@given(spans(), st.integers(1, 20))
def test_a_window_is_as_long_as_asked_where_no_pause_is_in_the_way(span, size):
    start = span.skip
    stop = windows.stop_of(span, start, size)
    wanted = min(span.frames, start + FRAMES_PER_CODEC_FRAME * size)
    cut = [pause for pause in span.pauses if pause.low < wanted < pause.high]
    assert stop == wanted or stop in {edge for pause in cut for edge in (pause.low, pause.high)}
