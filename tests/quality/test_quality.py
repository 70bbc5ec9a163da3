"""The streamed sound is as good as the whole: words, predicted opinion, joins.

A shorter run of `python -m benchmarks.quality`; docs/measuring.md says what the figures mean.
"""

import pytest

from benchmarks import texts

VOICES = ("af_heart", "bf_emma")
SENTENCES = 6
#: Two words of the 170 or so: so few words say less than the 20 sentences that 1.5 % is asked of.
WER = 0.012

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def quality():
    """Imported here, since only the long tests have the recognisers installed."""
    from benchmarks.quality.measuring import measure
    from benchmarks.quality.streaming import Asked

    asked = [Asked(text, voice) for voice in VOICES for text in texts.PLAIN[:SENTENCES]]
    brief = [Asked(text, voice) for voice in VOICES for text in texts.BRIEF]
    return measure(asked, brief, threads=1)


def together(rows):
    return [row for row in rows if row.voice == "all"]


def test_what_is_streamed_is_heard_right(quality):
    base, tiny = together(quality.heard)
    assert base.takes == len(VOICES) * SENTENCES
    assert base.wer <= WER, base.misheard
    assert tiny.wer <= 2 * WER, tiny.misheard


def test_streaming_costs_no_words(quality):
    """Beside the whole decode of the same words by the same recogniser."""
    for row in together(quality.heard):
        assert row.wer <= row.whole_wer + WER, (row.recogniser, row.misheard)


def test_streamed_sound_is_worth_the_whole(quality):
    (row,) = together(quality.opinions)
    assert row.whole > 3
    assert row.gap <= 0.05


def test_opus_takes_little(quality):
    (row,) = together(quality.opinions)
    assert abs(row.opus_gap) <= 0.05


def test_no_join_is_sharper_than_the_sound_around(quality):
    """Or hardly: in noise one place of some hundred is, whether joined or not."""
    assert quality.joins.count > 4 * len(VOICES) * SENTENCES
    assert quality.joins.over_p95 <= 0.1
    assert quality.joins.over_most <= 2
    assert quality.joins.worst <= 1.5


def test_a_word_or_two_is_as_loud_as_the_whole(quality):
    plain, brief = quality.levels
    assert abs(plain.worst[0].difference_db) <= 4, plain.worst
    assert abs(brief.worst[0].difference_db) <= 4, brief.worst
