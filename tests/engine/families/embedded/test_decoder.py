"""What a part of the decoder keeps of a clause is what was put into it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.families.embedded.decoder import KEPT, Strip

#: Frames of the clause, and channels.
TOTAL, CHANNELS = 500, 2
REACHES = st.lists(st.tuples(st.integers(0, TOTAL - 1), st.integers(1, 80)), max_size=30)


@given(st.sampled_from([1, 3, 20]), st.booleans(), REACHES)
def test_a_strip_is_a_piece_of_the_plain_array(rate, ends, reaches):
    """Wherever it is reached for, and however much it is given at once."""
    whole = np.arange(CHANNELS * (rate * TOTAL + ends), dtype=np.float32)
    whole = whole.reshape(1, CHANNELS, -1)
    strip = Strip(CHANNELS, rate, ends)
    for low, count in reaches:
        high = min(TOTAL, low + count)
        strip.reach(low)
        assert strip.start <= low <= strip.stop
        while strip.stop < high:
            until = min(TOTAL, strip.stop + 37)
            strip.add(whole[:, :, rate * strip.stop : rate * until + ends], until)
        got = strip(low, high)
        np.testing.assert_array_equal(got, whole[:, :, rate * low : rate * high + ends])
        assert got.flags.c_contiguous


@given(st.lists(st.integers(1, 80), min_size=1, max_size=40))
def test_a_strip_keeps_what_may_be_looked_back_at_and_little_more(counts):
    strip = Strip(CHANNELS, 1)
    for count in counts:
        before, until = strip.stop, strip.stop + count
        strip.add(np.zeros((1, CHANNELS, count), np.float32), until)
        assert strip.start == max(0, before - KEPT)
        assert strip(strip.start, until).shape[2] == until - strip.start


def test_what_is_kept_is_dropped_where_something_else_is_reached_for():
    strip = Strip(CHANNELS, 1)
    strip.add(np.ones((1, CHANNELS, 10), np.float32), 10)
    strip.reach(11)
    assert (strip.start, strip.stop) == (11, 11)
    strip.add(np.ones((1, CHANNELS, 10), np.float32), 21)
    strip.reach(3)
    assert (strip.start, strip.stop) == (3, 3)
