"""Edits: the parent's sound but for what changed, whatever the change, and again and again."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine.families.embedded.clause import HOP, Copied, Frames, Plan
from engine.types import Change, Levers, Notice, Parent, Part, Pause, Pcm, Performance, Utterance
from tests.engine.families.embedded.driving import Voice, sound, utterance

SCENE = "Come in. The cat sat on the mat. Go away."
STATION = "We should meet at the station, but the train leaves early."

#: What a kind of edit puts in the place of what.
EDITS = [
    pytest.param(STATION, [("station", "airport")], id="substitution"),
    pytest.param("She opened the letter.", [("She", "He")], id="first word"),
    pytest.param("Please turn left at the bridge.", [("bridge", "corner")], id="last word"),
    pytest.param("The ticket costs fifteen dollars.", [("fifteen", "50")], id="word into number"),
    pytest.param("Call room 206 today.", [("206", "309")], id="number"),
    pytest.param(
        "The red car stopped near the very old church.",
        [("red", "blue"), ("old", "new")],
        id="two places",
    ),
    pytest.param("We walked home in the rain.", [("walked", "walked slowly")], id="insertion"),
    pytest.param("You are right about it.", [("You", "Maybe you")], id="insertion at the start"),
    pytest.param("I will be there.", [("there", "there tomorrow")], id="insertion at the end"),
    pytest.param("I really want to see that.", [("really ", "")], id="deletion"),
    pytest.param("The work is done for now.", [(" for now", "")], id="deletion at the end"),
    pytest.param("Well, the work is done now.", [("Well, the", "The")], id="deletion at the start"),
    pytest.param("The shop sells fresh bread.", [("fresh bread", "hot coffee")], id="phrase"),
    pytest.param("It is over now.", [("now.", "now?")], id="mark"),
    pytest.param(SCENE, [("cat", "dog")], id="middle clause"),
    pytest.param(SCENE, [(" The cat sat on the mat.", "")], id="clause taken out"),
    pytest.param(SCENE, [("Come in. ", "")], id="first clause taken out"),
    pytest.param(SCENE, [("mat. Go", "mat, go")], id="clauses joined"),
    pytest.param("Come in. Sit down.", [("Sit down.", "Look over there.")], id="whole clause"),
]


@dataclass(frozen=True)
class Take:
    said: Utterance
    windows: list[Pcm]
    seen: list[str]

    @property
    def samples(self):
        return sound(self.windows)

    @property
    def words(self):
        return [word for window in self.windows for word in window.words]

    @property
    def scores(self):
        return tuple(score for window in self.windows for score in window.scores)

    @property
    def changed(self):
        spans = [list(span) for window in self.windows for span in window.changed]
        for a, b in itertools.pairwise(list(spans)):
            if a[1] == b[0]:
                b[0] = a[0]
                spans.remove(a)
        return [tuple(span) for span in spans]

    def parent(self):
        said = self.said
        return Parent(said.text, self.samples, self.scores, said.performance)


def _take(voice: Voice, said: Utterance, plan: tuple[int, ...] = (4, 10, 20)) -> Take:
    """Windows as soon as they can be had, of so many codec frames, the last of which repeats;
    `seen` is what was done in which order."""
    thinking, talking = voice.thinker.open(said), voice.talker.open(said)
    decoding = voice.code2wav.open(said)
    voice.thinker.push(thinking, said.text)
    voice.thinker.end(thinking)
    windows, seen = [], []
    sizes = itertools.chain(plan, itertools.repeat(plan[-1]))
    while True:
        if (ready := voice.code2wav.ready(decoding)) is not None:
            assert ready.start == sum(len(w.samples) for w in windows)
            windows += voice.code2wav.decode([decoding], next(sizes))
            seen.append("window")
        elif (frames := voice.talker.step(talking)) is not None:
            assert isinstance(frames, Frames | Copied)
            voice.code2wav.push(decoding, frames)
        elif (plan := voice.thinker.step(thinking)) is None:
            return Take(said, windows, seen)
        elif not isinstance(plan, Notice):
            seen.append("plan" if isinstance(plan, Plan) else "copy")
            voice.talker.push(talking, plan)


def _revised(text, pairs):
    parts, changes, at, length = [], [], 0, 0
    for old, new in pairs:
        start = text.index(old, at)
        parts += [text[at:start], new]
        length += start - at
        changes.append(Change((start, start + len(old)), (length, length + len(new))))
        length, at = length + len(new), start + len(old)
    return "".join([*parts, text[at:]]), tuple(changes)


def _edited(voice, take, pairs, performance=None):
    text, changes = _revised(take.said.text, pairs)
    said = replace(take.said, text=text, parent=take.parent(), changes=changes)
    if performance is not None:
        said = replace(said, performance=performance)
    return _take(voice, said)


def _assert_kept_outside(child, parent):
    """Every piece between the changed spans stands in the parent, in order, sample for sample."""
    edges = [0, *itertools.chain.from_iterable(child.changed), len(child.samples)]
    pieces = [child.samples[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    heard, at = parent.samples, 0
    for index, piece in enumerate(pieces):
        if index == len(pieces) - 1 and len(pieces) > 1:
            assert len(heard) - len(piece) >= at
            at = len(heard) - len(piece)
        elif index:
            places = range(at, len(heard) - len(piece) + 1)
            at = next(p for p in places if np.array_equal(heard[p : p + len(piece)], piece))
        np.testing.assert_array_equal(piece, heard[at : at + len(piece)])
        at += len(piece)


def _assert_consistent(take):
    text, words, scores = take.said.text, take.words, take.scores
    assert [text[slice(*word.span)] for word in words] == [word.text for word in words]
    assert [word.index for word in words] == list(range(len(words)))
    assert all(0 <= word.start < word.end <= len(take.samples) for word in words)
    assert all(a.end <= b.start for a, b in itertools.pairwise(words))
    ends = np.cumsum([0] + [score.samples for score in scores])
    assert [score.start for score in scores] == list(ends[:-1])
    assert ends[-1] == len(take.samples)
    assert [word for score in scores for word in score.words] == words
    starts = np.cumsum([0] + [len(window.samples) for window in take.windows])
    assert [window.start for window in take.windows] == list(starts[:-1])
    assert all(a.span[1] <= b.span[0] for a, b in itertools.pairwise(scores))


@pytest.fixture(scope="module")
def first(fast):
    """First takes, each made once."""
    made = {}

    def get(text, voice="af_heart", performance=None):
        key = text, voice, performance
        if key not in made:
            made[key] = _take(fast, utterance(text, voice, performance))
        return made[key]

    return get


@pytest.fixture(scope="module")
def changed(fast, first):
    """Edits of first takes, each made once."""
    made = {}

    def get(text, pairs, voice="af_heart"):
        key = text, tuple(pairs), voice
        if key not in made:
            made[key] = _edited(fast, first(text, voice), pairs)
        return made[key]

    return get


@pytest.mark.parametrize("voice", ["af_heart", pytest.param("bm_george", marks=pytest.mark.long)])
@pytest.mark.parametrize(("text", "pairs"), EDITS)
def test_only_what_changed_is_not_the_parents(changed, first, text, pairs, voice):
    parent, child = first(text, voice), changed(text, pairs, voice)
    _assert_consistent(child)
    _assert_kept_outside(child, parent)
    heard = [word.text for word in child.words]
    assert heard == [word.strip(".,?") for word in child.said.text.split()]


def test_a_word_changes_less_than_a_second(changed):
    for text, pairs in (EDITS[0].values, EDITS[3].values, EDITS[14].values):
        ((start, stop),) = changed(text, pairs).changed
        assert 0 < stop - start < 24_000


def test_the_silence_after_a_last_word_stays_the_parents(changed, first):
    text, pairs = EDITS[2].values
    ((_, stop),) = changed(text, pairs).changed
    assert len(changed(text, pairs).samples) - stop > 2_400


def test_before_a_first_word_nothing_is_joined(changed):
    ((start, _),) = changed(*EDITS[1].values).changed
    assert start == 0


def test_what_is_before_the_change_is_heard_before_anything_is_made(fast, first):
    child = _edited(fast, first(STATION), [("train", "plane")])
    assert child.seen[:2] == ["copy", "window"]
    assert child.seen.index("plan") > child.seen.index("window")
    scene = _edited(fast, first(SCENE), [("Go", "Run")])
    copies = scene.seen[: scene.seen.index("plan")]
    assert copies.count("copy") >= 2


def test_no_change_is_the_parent(fast, first):
    child = _edited(fast, first(SCENE), [])
    assert child.changed == []
    assert "plan" not in child.seen
    np.testing.assert_array_equal(child.samples, first(SCENE).samples)
    assert child.words == first(SCENE).words


def test_an_edit_is_the_same_in_whatever_windows(fast, first):
    parent = first(STATION)
    text, changes = _revised(STATION, [("train", "plane")])
    said = replace(parent.said, text=text, parent=parent.parent(), changes=changes)
    few, many = (_take(fast, said, plan) for plan in ((1000,), (2, 3)))
    assert len(many.windows) > 2 * len(few.windows)
    np.testing.assert_array_equal(many.samples, few.samples)
    assert (many.words, many.changed) == (few.words, few.changed)


def test_edits_of_edits_keep_what_no_edit_touched(fast, first):
    pairs = [
        ("station", "airport"),
        ("train", "plane"),
        ("early", "at noon"),
        ("We", "They"),
        ("should ", ""),
        ("but", "and"),
        ("noon", "midnight"),
        ("airport", "old airport"),
        ("meet", "wait"),
        ("leaves", "goes"),
    ]
    take = first(STATION)
    for pair in pairs:
        child = _edited(fast, take, [pair])
        _assert_consistent(child)
        _assert_kept_outside(child, take)
        take = child
    assert take.said.text == "They wait at the old airport, and the plane goes at midnight."
    levels = [
        20 * np.log10(np.sqrt(np.square(t.samples / 32768.0).mean()))
        for t in (first(STATION), take)
    ]
    assert abs(levels[1] - levels[0]) < 3


@pytest.mark.parametrize("levers", [Levers(emphasis=1), Levers(whisper=True), Levers(pitch=3)])
def test_a_direction_of_one_word_leaves_the_others(fast, first, levers):
    parent = first(STATION)
    at = STATION.index("train")
    performance = Performance(parts=(Part((at, at + 5), levers),))
    child = _edited(fast, parent, [("train", "train")], performance)
    _assert_consistent(child)
    _assert_kept_outside(child, parent)
    ((start, stop),) = child.changed
    train = next(word for word in child.words if word.text == "train")
    assert start <= train.start
    assert train.end <= stop
    assert stop - start < 24_000


@pytest.mark.parametrize("word", ["We", "but", "leaves"])
def test_a_pause_put_in_is_silence_before_its_word(fast, first, word):
    parent = first(STATION)
    at = STATION.index(word)
    performance = Performance(pauses=(Pause(at, 0.5),))
    gap = STATION[at - 1 : at] if at else ""
    child = _edited(fast, parent, [(gap + word, gap + word)], performance)
    _assert_consistent(child)
    _assert_kept_outside(child, parent)
    index = next(w.index for w in child.words if w.text == word)
    before = child.words[index - 1].end if index else 0
    quiet = child.samples[before : child.words[index].start] == 0
    longest = max(len(list(run)) for zero, run in itertools.groupby(quiet) if zero)
    assert 12_000 <= longest < 12_500


@pytest.mark.parametrize("gap", [" but", ", "])
def test_a_pause_taken_away_leaves_the_rest_as_it_was(fast, first, gap):
    parent, at = first(STATION), STATION.index("but")
    child = _edited(fast, parent, [(gap, gap)], Performance(pauses=(Pause(at, 0.0),)))
    _assert_consistent(child)
    _assert_kept_outside(child, parent)
    gaps = []
    for take in (parent, child):
        index = next(i for i, word in enumerate(take.words) if word.text == "but")
        gaps.append(take.words[index].start - take.words[index - 1].end)
    assert gaps[1] <= 2 * HOP < gaps[0]
    later, _ = _revised(STATION, [("train", "plane")])
    assert later.index("but") == at
    again = _edited(fast, child, [("train", "plane")], Performance(pauses=(Pause(at, 0.0),)))
    _assert_kept_outside(again, child)
    index = next(i for i, word in enumerate(again.words) if word.text == "but")
    assert again.words[index].start - again.words[index - 1].end == gaps[1]


def test_pauses_of_the_parent_stay_where_they_were(fast, first):
    pauses = (Pause(STATION.index("but"), 0.3), Pause(STATION.index("leaves"), 0.2))
    performance = Performance(pauses=pauses)
    parent = first(STATION, "af_heart", performance)
    for pair in (("station", "airport"), ("but", "and"), ("train", "plane"), ("early", "late")):
        text, _ = _revised(STATION, [pair])
        at = [text.index("leaves"), text.index("and" if pair[0] == "but" else "but")]
        moved = Performance(pauses=(Pause(at[0], 0.2), Pause(at[1], 0.3)))
        child = _edited(fast, parent, [pair], moved)
        _assert_consistent(child)
        _assert_kept_outside(child, parent)
        quiet = child.samples[: child.words[-1].end] == 0
        silences = [len(list(run)) for zero, run in itertools.groupby(quiet) if zero]
        assert sum(size >= 4_800 for size in silences) == 2


def test_an_edit_of_a_directed_take_is_said_as_it_was(fast, first):
    performance = Performance(pitch=3, rate=0.85, gain=-3, tilt=-3, soft=0.15, breath=0.1)
    parent = first(STATION, "af_heart", performance)
    child = _edited(fast, parent, [("train", "plane")])
    _assert_consistent(child)
    _assert_kept_outside(child, parent)
    ((start, stop),) = child.changed
    near = slice(max(0, start - 12_000), stop + 12_000)
    level, around = (
        10 * np.log10(np.square(part / 32768.0).mean())
        for part in (child.samples[start:stop], child.samples[near])
    )
    assert abs(level - around) < 6


def _sharpness(wave, at):
    """The largest change of the log spectrum within 30 ms of a place."""
    starts = np.arange(max(0, at - 720), min(len(wave) - 512, at + 240), 240)
    pieces = wave[starts[:, None] + np.arange(512)] / 32768 * np.hanning(512)
    spectra = np.log(np.abs(np.fft.rfft(pieces)) + 1e-3)
    return np.sqrt(np.square(np.diff(spectra, axis=0)).mean(1)).max()


@pytest.mark.long
def test_joins_are_no_sharper_than_words_edges(changed, first):
    natural, joins = [], []
    for param, voice in itertools.product(EDITS[:13], ("af_heart", "bm_george")):
        text, pairs = param.values
        parent = first(text, voice)
        natural += [_sharpness(parent.samples, word.start) for word in parent.words[1:]]
        child = changed(text, pairs, voice)
        ends = itertools.chain.from_iterable(
            (start + 600, stop - 600) for start, stop in child.changed
        )
        joins += [_sharpness(child.samples, at) for at in ends]
    over = np.mean(np.array(joins) > np.percentile(natural, 95))
    assert over <= 0.1
