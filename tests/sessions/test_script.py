"""Plain and tagged scripts, detection, hints, and reading in pieces."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sessions.script import (
    Dialogue,
    Format,
    Item,
    Script,
    ScriptError,
    ScriptReader,
    SpeakerHint,
    Wanted,
    detect,
    parse,
)
from sessions.script.detect import LOOK
from tests.sessions.test_script_fountain import CASES, LAMP, short

MARKET = (Path(__file__).parent / "data" / "market.txt").read_text("utf-8")

PLAIN: list[tuple[str, list[str]]] = [
    ("ANNA: Hello.", ["ANNA: Hello."]),
    ("anna: Hello.\nAnna: Again.", ["anna: Hello.", "anna: Again."]),
    ("ANNA: Hello\nthere.\n\nRain falls.", ["ANNA: Hello there.", "NARRATOR: Rain falls."]),
    ("ANNA:\nHello.", ["ANNA: Hello."]),
    ("ANNA: (softly) Hello.", ["ANNA<softly>: Hello."]),
    ("ANNA (softly): Hello.", ["ANNA<softly>: Hello."]),
    ("ANNA (V.O.) (CONT'D): Hello.", ["ANNA+<V.O.>: Hello."]),
    ("ANNA: Well (sighs) no.", ["ANNA<5:sighs>: Well no."]),
    ("ANNA: Well (I think) no.", ["ANNA: Well (I think) no."]),
    ("ANNA: Well :( no.", ["ANNA: Well :( no."]),
    ("ANNA: (softly,\nslowly) No.", ["ANNA<softly, slowly>: No."]),
    ("ANNA: (sighs)", ["action ANNA (sighs)"]),
    ("**ANNA:** Hi.\n**BEN**: Ho.", ["ANNA: Hi.", "BEN: Ho."]),
    ("Old Man of the Sea: Ahoy.", ["Old Man of the Sea: Ahoy."]),
    ("He said this: no.", ["NARRATOR: He said this: no."]),
    ("10:30 is late.", ["NARRATOR: 10:30 is late."]),
    ("http://example.org", ["NARRATOR: http://example.org"]),
    ("安娜：你好。", ["安娜: 你好。"]),
    ("(The lights\ngo down.)", ["action The lights go down."]),
    ("[A door slams]\n\nANNA: [whisper] Hi.", ["action A door slams", "ANNA: [whisper] Hi."]),
    (
        "SCENE 2: THE HALL\nAct two\nINT. HALL - DAY\nScene: a hall",
        [
            "heading SCENE 2: THE HALL",
            "heading Act two",
            "heading INT. HALL - DAY",
            "heading a hall",
        ],
    ),
    (
        "# Two\n---\nCUT TO:\nNote: cut it\nTitle: Lamp",
        [
            "section1 Two",
            "page",
            "transition CUT TO:",
            "note cut it",
            "Title= Lamp",
        ],
    ),
    ("", []),
    ("  \n\n", []),
]

TAGS: list[tuple[str, list[str]]] = [
    ("[S1] Hi. [S2] Ho.", ["S1: Hi.", "S2: Ho."]),
    ("[S1] Hi\n\nthere.\n[s1] Ho.", ["S1: Hi there.", "S1: Ho."]),
    ("Rain.\n[S1] (softly) Hi. (laughs) Ho.", ["NARRATOR: Rain.", "S1<softly><4:laughs>: Hi. Ho."]),
    ("Speaker 1: Hi.\nSpeaker 2: Ho.", ["Speaker 1: Hi.", "Speaker 2: Ho."]),
    ("[Speaker 1]: Hi.\n[Speaker 2] Ho.", ["Speaker 1: Hi.", "Speaker 2: Ho."]),
    ("<|speaker:0|>Hi.<|speaker:1|>Ho.", ["speaker:0: Hi.", "speaker:1: Ho."]),
    ("[S1] [whisper] Hi.", ["S1: [whisper] Hi."]),
    ("[S1] (laughs) [S2] Ho.", ["action S1 (laughs)", "S2: Ho."]),
]


@pytest.mark.parametrize(("text", "items"), PLAIN)
def test_plain_lines_are_read(text: str, items: list[str]) -> None:
    assert [short(item) for item in parse(text, "plain").items] == items


@pytest.mark.parametrize(("text", "items"), TAGS)
def test_tags_are_read(text: str, items: list[str]) -> None:
    assert [short(item) for item in parse(text, "tags").items] == items


def test_a_whole_plain_script() -> None:
    script = parse(MARKET)
    assert script.format == "plain"
    assert [short(item) for item in script.items] == [
        "section1 Market day",
        "NARRATOR: The square fills before six. Nobody speaks yet.",
        "Rosa<sleepily><11:yawning>: Six crates and not one lemon. Not one!",
        "TOM<O.S.>: They are on the cart.",
        "action Rosa looks. The cart is empty.",
        "Queen of the Fair: Who took my lemons? (I had forty)",
        "note she never finds out",
        "Rosa: Not me.",
    ]


WRONG: list[tuple[Wanted, str, int, int, str]] = [
    ("plain", "ANNA: (softly Hello.", 1, 7, "never closed"),
    ("plain", "ANNA: Hi.\n\n(The lights", 3, 1, "never closed"),
    ("plain", "ANNA: (" + "so " * 200, 1, 7, "never closed"),
    ("plain", "ANNA:\n\nHello.", 1, 1, "ANNA has nothing to say"),
    ("plain", "ANNA: Hi.\n  BEN:\nANNA: Ho.", 2, 3, "BEN has nothing to say"),
    ("plain", "ANNA: Hi.\n : Hello.", 2, 2, "name is missing"),
    ("plain", "ANNA: H\x07i.", 1, 8, r"U\+0007"),
    ("tags", "[S1] Hi.\n[S2 Ho.", 2, 1, "no speaker's tag"),
    ("tags", "[S1] Hi. <|speaker:|> Ho.", 1, 10, "no speaker's tag"),
    ("tags", "[S1] Hi. <|end|>", 1, 10, "no speaker's tag"),
    ("tags", "Hi.\n [S1] [S2] Ho.", 2, 2, "S1 has nothing to say"),
    ("tags", "[S1] Hi. [S2]", 1, 10, "S2 has nothing to say"),
    ("auto", "INT. HALL\n\nANNA\nHi /* so", 4, 4, "boneyard"),
]


@pytest.mark.parametrize(("wanted", "text", "line", "column", "message"), WRONG)
def test_an_error_names_its_place(
    wanted: Wanted, text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(ScriptError, match=message) as caught:
        parse(text, wanted)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.field == "script"


DETECTED: list[tuple[str, Format]] = [
    (LAMP, "fountain"),
    (MARKET, "plain"),
    ("", "plain"),
    ("Once there was rain.", "plain"),
    ("ANNA\nHello.", "fountain"),
    ("Rain falls.\n\nANNA\nHello.", "fountain"),
    ("@Anna\nHello.", "fountain"),
    ("Title: Lamp\nAuthor: A\n\nANNA\nHello.", "fountain"),
    ("Title: Lamp\n\nANNA: Hello.", "plain"),
    ("INT. HALL - DAY\n\nANNA: Hello.", "plain"),
    ("INT. HALL - DAY\n\nSign: KEEP OUT\n\nANNA\nHello.", "fountain"),
    ("INT. HALL - DAY\n\nNobody.", "fountain"),
    ("ANNA:\nHello.", "plain"),
    ("[S1] Hello.", "tags"),
    ("Rain.\nSpeaker 1: Hello.", "tags"),
    ("<|speaker:0|> Hello.", "tags"),
    ("Rain.\n" * LOOK + "\nANNA\nHello.", "plain"),
]


@pytest.mark.parametrize(("text", "format"), DETECTED)
def test_the_format_is_found_out(text: str, format: Format) -> None:
    assert detect(text) == format
    assert parse(text).format == format


def test_a_line_comes_as_soon_as_the_next_speaker_is_there() -> None:
    reader = ScriptReader()
    assert reader.push("ANNA: One.\nTw") == ()
    assert reader.push("o.\nBEN: Thr") == ()
    assert [short(item) for item in reader.push("ee.\n")] == ["ANNA: One. Two."]
    assert [short(item) for item in reader.push("\n")] == ["BEN: Three."]
    assert reader.end() == ()


def test_what_stands_before_an_error_comes_first_and_the_error_stays() -> None:
    reader = ScriptReader("plain")
    assert [short(item) for item in reader.push("ANNA: One.\n\n: Two.\n")] == ["ANNA: One."]
    for _ in range(2):
        with pytest.raises(ScriptError, match="line 3, column 1"):
            reader.push("BEN: Three.\n\n")
    with pytest.raises(ScriptError, match="line 3, column 1"):
        reader.end()


HINTS: list[tuple[str, str | None, str | None]] = [
    ("ANNA\nHi.", "female", None),
    ("UNCLE ANNA\nHi.", "male", None),
    ("MR. LEE\nHi.", "male", None),
    ("THE QUEEN\nHi.", "female", None),
    ("CAPTAIN\nHi.", None, None),
    ("CAPTAIN\n(she laughs)\nHi.", "female", None),
    ("CHARLIE\nHi.\n(himself again)\nHo.", "male", None),
    ("CAPTAIN\n(to the woman)\nHi.", None, None),
    ("CAPTAIN (a woman)\nHi.", "female", None),
    ("The CAPTAIN looks up. She frowns.\n\nCAPTAIN\nHi.", "female", None),
    ("The CAPTAIN (60, a tall man) waits.\n\nCAPTAIN\nHi.", "male", None),
    ("CAPTAIN, a Scottish woman, waits.\n\nCAPTAIN\nHi.", "female", "en-GB"),
    ("ANNA sees the CAPTAIN. She frowns.\n\nCAPTAIN\nHi.\n\nANNA\nHo.", None, None),
    ("BRITISH OFFICER\nHi.", None, "en-GB"),
    ("ANNA\n(with a Texan drawl)\nHi.", "female", "en-US"),
    ("Title: A\nLanguage: en-GB\n\nANNA\nHi.", "female", "en-GB"),
    ("Title: A\nLanguage: French\n\nBEN\nHi.", "male", "fr-FR"),
]


@pytest.mark.parametrize(("text", "gender", "language"), HINTS)
def test_a_script_hints_at_its_cast(text: str, gender: str | None, language: str | None) -> None:
    hint = parse(text, "fountain").cast_hints[0]
    assert (hint.gender, hint.language) == (gender, language)


def test_every_speaker_is_hinted_at_once_in_order() -> None:
    assert parse(MARKET).cast_hints == (
        SpeakerHint("NARRATOR"),
        SpeakerHint("Rosa", "female"),
        SpeakerHint("TOM", "male"),
        SpeakerHint("Queen of the Fair", "female"),
    )


_LINES = st.one_of(
    st.sampled_from([line for text, _ in [*CASES, *PLAIN, *TAGS] for line in text.split("\n")]),
    st.sampled_from(
        ["", "", "  ", "/*", "*/", "[[", "]]", "(", ")", ":", "^", "***a **b* c_", "\r"]
    ),
    st.text(max_size=12),
)
_SCRIPTS = st.lists(_LINES, max_size=14).map("\n".join)
_WANTED = st.sampled_from(["auto", "plain", "fountain", "tags"])


def _whole(text: str, wanted: Wanted) -> Script | tuple[int, int, str]:
    try:
        return parse(text, wanted)
    except ScriptError as error:
        return error.line, error.column, error.reason


@given(_SCRIPTS, _WANTED)
def test_whatever_is_written_is_read_or_refused(text: str, wanted: Wanted) -> None:
    found = _whole(text, wanted)
    if isinstance(found, tuple):
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert 1 <= found[0] <= len(lines)
        assert 1 <= found[1] <= len(lines[found[0] - 1]) + 1
        return
    assert all(item.text and item.text == item.text.strip() for item in found.dialogue)
    places = [item.position for item in found.items]
    assert places == sorted(places)
    for item in found.dialogue:
        sources = [item.source(at) for at in range(len(item.text))]
        pairs = zip(item.text, (text[at] for at in sources), strict=True)
        assert all(a == b or a.isspace() for a, b in pairs)
        assert all(0 <= e.span[0] < e.span[1] <= len(item.text) for e in item.emphasis)
        assert all(0 <= aside.at <= len(item.text) for aside in item.asides)


@given(_SCRIPTS, _WANTED, st.lists(st.integers(0, 300), max_size=30))
@example("ANNA\r\nHi.\r\n\r\nBEN\rHo.", "auto", list(range(30)))
@example("ANNA: Hi.\n: x\n", "plain", [4, 11])
def test_the_pieces_do_not_matter(text: str, wanted: Wanted, cuts: list[int]) -> None:
    whole = _pushed(text, wanted, [])
    assert _pushed(text, wanted, cuts) == whole
    assert _pushed(text, wanted, list(range(len(text)))) == whole
    assert whole[1] or parse(text, wanted).items == tuple(whole[0])


def _pushed(text: str, wanted: Wanted, cuts: list[int]) -> tuple[list[Item], str | None]:
    """All items, and the error if there was one."""
    reader, items = ScriptReader(wanted), []
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    try:
        for start, end in pairwise(edges):
            items += reader.push(text[start:end])
        items += reader.end()
        reader.end()
    except ScriptError as error:
        return items, str(error)
    return items, None


def test_dialogue_is_what_is_spoken() -> None:
    assert all(isinstance(item, Dialogue) for item in parse(LAMP).dialogue)
    assert len(parse(LAMP).dialogue) == 6


_LONG = [
    "ANNA\n" + "_a b* *c " * 5000,
    "ANNA: " + "hello (sighs) " * 5000,
    "[S1] hi " * 5000,
    " " * 50_000 + "x",
    "ANNA\nA" + " " * 50_000 + "b",
    "ANNA\n\nA" + " " * 50_000 + "B\nHi.",
    "(" * 50_000,
    "ANNA " + "(a) " * 10_000 + "\nx",
]


@pytest.mark.parametrize("text", _LONG, ids=range(len(_LONG)))
@pytest.mark.parametrize("wanted", ["auto", "plain", "fountain", "tags"])
def test_the_time_does_not_grow_with_the_square_of_a_line(text: str, wanted: Wanted) -> None:
    """The square of any of these takes many seconds, and its like hardly one."""
    began = time.process_time()
    _whole(text, wanted)
    assert time.process_time() - began < 2
