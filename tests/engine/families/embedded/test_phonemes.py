"""Every word that is said has its own range of phonemes, and says what its sentence asks for."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.families.embedded import assets
from engine.families.embedded.lexicon import load
from engine.families.embedded.phonemes import MAX_TOKENS, Phonemiser, Reading

VOCABULARY = frozenset(assets.vocabulary())
AMERICAN = Phonemiser(british=False)
BRITISH = Phonemiser(british=True)


def parts(reading: Reading) -> dict[str, str]:
    return {word.text: reading.phonemes[slice(*word.phonemes)] for word in reading.words}


def check(text: str, reading: Reading) -> None:
    at = 0
    for word in reading.words:
        start, end = word.phonemes
        assert at <= start < end <= len(reading.phonemes)
        assert text[slice(*word.span)] == word.text
        at = end
    assert set(reading.phonemes) <= VOCABULARY
    assert bool(reading.words) == bool(reading.phonemes)


@given(st.text(max_size=120))
@settings(deadline=None)
def test_any_text_is_read_or_reported(text: str) -> None:
    for reading in AMERICAN.read_all(text):
        check(text, reading)


@given(st.text("abcXYZ019 .,'-$%:/é’“()", max_size=300))
@settings(deadline=None)
def test_text_like_english_is_read_in_readings_that_fit(text: str) -> None:
    readings = BRITISH.read_all(text)
    spans = [word.span for reading in readings for word in reading.words]
    assert spans == sorted(spans)
    for reading in readings:
        check(text, reading)
        assert len(reading.phonemes) <= MAX_TOKENS


@pytest.mark.parametrize("text", ["", ".", "-", "🔥", "...", "---", "   ", "\n", "**", "()", "—"])
def test_nothing_to_say_has_no_phonemes(text: str) -> None:
    assert AMERICAN.read_all(text) == [Reading((), "")]


def test_marks_stand_where_they_shape_the_tune() -> None:
    reading = AMERICAN.read("Hello, world — this is “nice” (really).")
    assert reading.phonemes == "həlˈO, wˈɜɹld — ðɪs ɪz “nˈIs” (ɹˈiᵊli)."
    assert parts(reading)["nice"] == "nˈIs"


def test_a_word_of_many_spoken_words_is_one_range() -> None:
    assert parts(AMERICAN.read("It costs $3.50 now."))["$3.50"] == "θɹˈi dˈɑləɹz ænd fˈɪfti sˈɛnts"


def test_scripts_that_cannot_be_read_are_named() -> None:
    reading = AMERICAN.read("Say 你好 or Привет to him.")
    assert reading.unread == ("你好", "Привет")
    assert [word.text for word in reading.words] == ["Say", "or", "to", "him"]


def test_long_text_is_cut_between_words() -> None:
    text = "extraordinarily complicated " * 40
    readings = AMERICAN.read_all(text)
    assert len(readings) > 1
    assert sum(len(reading.words) for reading in readings) == 80
    assert max(len(reading.phonemes) for reading in readings) <= MAX_TOKENS


def test_a_word_longer_than_a_reading_goes_on_in_the_next() -> None:
    readings = AMERICAN.read_all("W" * 300)
    assert {reading.words[0].span for reading in readings} == {(0, 300)}
    assert max(len(reading.phonemes) for reading in readings) <= MAX_TOKENS


def test_reading_does_not_depend_on_what_was_read_before() -> None:
    before = AMERICAN.read("The zorgon blipped.")
    AMERICAN.read("Something else, in between.")
    assert AMERICAN.read("The zorgon blipped.") == before


@pytest.mark.parametrize(
    ("text", "word", "sound"),
    [
        ("He said no.", "no", "nˈO"),
        ("Chanel No. 5 it is.", "No.", "nˈʌmbəɹ"),
        ("The bass player tuned his guitar.", "bass", "bˈAs"),
        ("We caught a bass in the lake.", "bass", "bˈæs"),
        ("The lead singer sang.", "lead", "lˈid"),
        ("A lead pipe broke.", "lead", "lˈɛd"),
        ("Lead poisoning is bad.", "Lead", "lˈɛd"),
        ("It is made of lead.", "lead", "lˈɛd"),
        ("They lead the way.", "lead", "lˈid"),
        ("He is content with it.", "content", "kəntˈɛnt"),
        ("The content is good.", "content", "kˈɑntɛnt"),
        ("This is content marketing.", "content", "kˈɑntɛnt"),
        ("I read it yesterday.", "read", "ɹˈɛd"),
        ("I will read it.", "read", "ɹˈid"),
        ("I read it every day.", "read", "ɹˈid"),
        ("They live here.", "live", "lˈɪv"),
        ("I love live music.", "live", "lˈIv"),
        ("We are live from Paris.", "live", "lˈIv"),
        ("Please record a song.", "record", "ɹəkˈɔɹd"),
        ("It broke the record.", "record", "ɹˈɛkəɹd"),
        ("I object to that.", "object", "əbʤˈɛkt"),
        ("The object fell.", "object", "ˈɑbʤəkt"),
        ("Please wind the clock.", "wind", "wˈInd"),
        ("The wind blew.", "wind", "wˈɪnd"),
        ("He wound up the toy.", "wound", "wˈWnd"),
        ("The wound healed.", "wound", "wˈund"),
        ("Please take a bow.", "bow", "bˈW"),
        ("A bow and arrow.", "bow", "bˈO"),
        ("A minute detail.", "minute", "mInˈut"),
        ("Wait a minute.", "minute", "mˈɪnət"),
        ("Send me your resume.", "resume", "ɹˈɛzəmˌA"),
        ("Please resume the game.", "resume", "ɹəzˈum"),
        ("She dove into the pool.", "dove", "dˈOv"),
        ("A dove sat there.", "dove", "dˈʌv"),
        ("Do not desert me.", "desert", "dəzˈɜɹt"),
        ("The desert is hot.", "desert", "dˈɛzəɹt"),
        ("He will tear it up.", "tear", "tˈɛɹ"),
        ("A tear fell from her eye.", "tear", "tˈɪɹ"),
        ("Close the door.", "Close", "klˈOz"),
        ("You are too close to me.", "close", "klˈOs"),
        ("We live in Nice now.", "Nice", "nˈis"),
        ("A nice day.", "nice", "nˈIs"),
        ("He got an A.", "A", "ˈA"),
        ("A dog barked.", "A", "ɐ"),
        ("The apple fell.", "The", "ði"),
        ("The pear fell.", "The", "ðə"),
        ("I, for one, am in.", "am", "ɐm"),
        ("Yes, I am.", "am", "ˈæm"),
        ("Nooo way.", "Nooo", "nˈO"),
        ("That is coool.", "coool", "kˈul"),
        ("Hmmmm, fine.", "Hmmmm", "hˈʌm"),
        ("IBM agreed.", "IBM", "ˌIbˌiˈɛm"),
        ("The FBI's plan.", "FBI's", "ˌɛfbˌiˈIz"),
        ("Three CEOs met.", "CEOs", "sˌiˌiˈOz"),
        ("Rock 'n' roll.", "'n", "ən"),
        ("A café in town.", "café", "kæfˈA"),
    ],
)  # fmt: skip
def test_words_in_their_sentence(text: str, word: str, sound: str) -> None:
    assert parts(AMERICAN.read(text))[word] == sound


def test_british_voices_have_their_own_sounds() -> None:
    assert parts(BRITISH.read("The bath and no bass."))["no"] == "nˈQ"


def test_a_row_without_all_its_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="six cells"):
        load("word\tamerican\tbritish\tleft\tright\taround\nlead\tlˈɛd\n")


def test_every_sound_of_the_heteronyms_is_in_the_vocabulary() -> None:
    from importlib import resources

    table = resources.files("engine.families.embedded") / "data" / "heteronyms.tsv"
    for entry in load(table.read_text("utf-8")):
        assert set(entry.american + entry.british) <= VOCABULARY, entry
        assert re.compile(entry.left + entry.right + entry.around)
