"""Fountain, element by element, and against a parser that others keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from fountain import ElementType, FountainParser
from hypothesis import given
from hypothesis import strategies as st

from sessions.script import (
    Action,
    Aside,
    Boneyard,
    Dialogue,
    Emphasis,
    Heading,
    Item,
    Lyric,
    Note,
    PageBreak,
    Position,
    ScriptError,
    Section,
    Synopsis,
    TitleEntry,
    Transition,
    parse,
)

LAMP = (Path(__file__).parent / "data" / "lamp.fountain").read_text("utf-8")


def read(text: str) -> list[Item]:
    return list(parse(text, "fountain").items)


def short(item: Item) -> str:
    """An item in a word or two, for tables."""
    match item:
        case Dialogue():
            marks = f"{'^' * item.dual}{'+' * item.continued}"
            how = "".join(f"<{part}>" for part in (item.extension, item.direction) if part)
            within = "".join(f"<{aside.at}:{aside.direction}>" for aside in item.asides)
            return f"{item.speaker}{marks}{how}{within}: {item.text}"
        case Heading():
            return f"heading {item.text}" + (f" #{item.number}" if item.number else "")
        case Action():
            return f"{'centered' if item.centered else 'action'} {item.text}"
        case Section():
            return f"section{item.level} {item.text}"
        case TitleEntry():
            return f"{item.key}= {item.text}"
        case PageBreak():
            return "page"
        case Transition() | Lyric() | Synopsis() | Note() | Boneyard():
            return f"{type(item).__name__.lower()} {item.text}"


CASES: list[tuple[str, list[str]]] = [
    ("ANNA\nHello.", ["ANNA: Hello."]),
    ("ANNA\nHello\nthere.", ["ANNA: Hello there."]),
    ("ANNA\n\nHello.", ["action ANNA", "action Hello."]),
    ("Rain.\nANNA\nHello.", ["action Rain.\nANNA\nHello."]),
    ("@McAvoy\nAye.", ["McAvoy: Aye."]),
    ("Anna\nHello.", ["action Anna\nHello."]),
    ("R2D2\nBeep.", ["R2D2: Beep."]),
    ("42\nBeep.", ["action 42\nBeep."]),
    ("ANNA (V.O.)\nHello.", ["ANNA<V.O.>: Hello."]),
    ("ANNA (O.S.) (CONT'D)\nHello.", ["ANNA+<O.S.>: Hello."]),
    ("ANNA (cont’d)\nHello.", ["ANNA+: Hello."]),
    ("ANNA (on the phone)\nHello.", ["ANNA<on the phone>: Hello."]),
    ("ANNA\n(softly)\nHello.", ["ANNA<softly>: Hello."]),
    ("ANNA\nHello.\n(turning)\nYou?", ["ANNA<7:turning>: Hello. You?"]),
    ("ANNA\n(softly,\nslowly)\nHello.", ["ANNA<softly, slowly>: Hello."]),
    ("ANNA\nHello.\n(she leaves)", ["ANNA<6:she leaves>: Hello."]),
    ("ANNA\n(sighs)\n\nRain.", ["action ANNA (sighs)", "action Rain."]),
    ("ANNA\nOne.\n  \nTwo.", ["ANNA: One.\nTwo."]),
    ("ANNA\nHi.\n\nBEN ^\nHi.", ["ANNA: Hi.", "BEN^: Hi."]),
    ("ANNA\nHi.\n\nBEN (V.O.)^\nHi.", ["ANNA: Hi.", "BEN^<V.O.>: Hi."]),
    ("INT. HALL - DAY\n\nRain.", ["heading INT. HALL - DAY", "action Rain."]),
    ("int./ext. car - day", ["heading int./ext. car - day"]),
    ("EXT HALL", ["heading EXT HALL"]),
    ("INT. HALL - DAY #12-A#", ["heading INT. HALL - DAY #12-A"]),
    (".FLASH\n\nANNA\nHi.", ["heading FLASH", "ANNA: Hi."]),
    ("...and then", ["action ...and then"]),
    ("INTERIOR\n\nRain.", ["action INTERIOR", "action Rain."]),
    ("INT. HALL\nANNA\nHi.", ["heading INT. HALL", "ANNA: Hi."]),
    ("!ANNA\nHello.", ["action ANNA\nHello."]),
    ("Rain.\n\nCUT TO:\n\nSun.", ["action Rain.", "transition CUT TO:", "action Sun."]),
    ("> Burn to white.", ["transition Burn to white."]),
    ("> THE END <", ["centered THE END"]),
    ("# One\n\n### Two", ["section1 One", "section3 Two"]),
    ("= They meet.", ["synopsis They meet."]),
    ("Rain.\n\n===\n\nSun.", ["action Rain.", "page", "action Sun."]),
    ("~La la\n~la", ["lyric La la", "lyric la"]),
    ("ANNA\n~La la\n~la", ["ANNA: La la la"]),
    ("ANNA\nHi [[why?]] you.", ["ANNA: Hi you.", "note why?"]),
    ("ANNA\nHi.\n[[a\nb]]\nYou.", ["ANNA: Hi. You.", "note a\nb"]),
    ("[[first]]\n\nRain.", ["note first", "action Rain."]),
    ("Rain /* no\n\nmore */and sun.", ["action Rain and sun.", "boneyard no\n\nmore"]),
    ("/*\nANNA\nHi.\n*/\n\nBEN\nHo.", ["boneyard ANNA\nHi.", "BEN: Ho."]),
    ("[[ a /* b ]] c", ["note a /* b", "action c"]),
    (
        "Title: The Lamp\nAuthor: A\n   B\n\nRain.",
        ["Title= The Lamp", "Author= A\nB", "action Rain."],
    ),
    ("Title:\n\tThe Lamp\n\nRain.", ["Title= The Lamp", "action Rain."]),
    ("FADE IN:\n\nRain.", ["action FADE IN:", "action Rain."]),
    ("ANNA\n*Never* _say_ **that**.", ["ANNA: Never say that."]),
    ("ANNA\nA \\*star\\* and 2 * 3 * 4.", ["ANNA: A *star* and 2 * 3 * 4."]),
    ("ANNA\n***All*** snake_case_name.", ["ANNA: All snake_case_name."]),
    ("  ANNA\n    Indented.", ["ANNA: Indented."]),
    ("ANNA\r\nHello.\r\n\r\nRain.", ["ANNA: Hello.", "action Rain."]),
    ("ANNA\rHello.\r\rRain.", ["ANNA: Hello.", "action Rain."]),
    ("\ufeffANNA\nHello.", ["ANNA: Hello."]),
    (
        "ANNA\nHi.\n\nAnna Lee nods.\n\n@Anna\nYes.",
        ["ANNA: Hi.", "action Anna Lee nods.", "ANNA: Yes."],
    ),
    ("MOTHER (mid) / CHORUS\nGo.", ["action MOTHER (mid) / CHORUS\nGo."]),
    ("", []),
]


@pytest.mark.parametrize(("text", "items"), CASES)
def test_each_element_is_read(text: str, items: list[str]) -> None:
    assert [short(item) for item in read(text)] == items


def test_a_whole_script_keeps_what_is_not_spoken() -> None:
    script = parse(LAMP)
    assert script.format == "fountain"
    assert [short(item) for item in script.items] == [
        "Title= _**THE LAMP KEEPERS**_",
        "Author= A. Writer",
        "Language= en-GB",
        "Draft date= 3 May",
        "section1 Act one",
        "synopsis Two keepers wait for a boat.",
        "action FADE IN:",
        "heading EXT. LIGHTHOUSE - NIGHT #1",
        "action Rain. MARGARET (60s), a woman of few words, climbs the stairs. BEN follows her. "
        "He is cold.",
        "boneyard The\nold stairs were\niron.",
        "MARGARET: You might have brought the lamp.",
        "BEN<O.S.><out of breath><16:beat>: I did bring it. I dropped it.",
        "note Shorter?",
        "MARGARET+: Where?",
        "BEN^: In the sea.",
        "McTavish+<V.O.>: I saw all of it from the boat.\nEvery step.",
        "transition CUT TO:",
        "heading THE BOAT",
        "CAPTAIN: Hold on!",
        "boneyard Aye.",
        "action BELLS RING.",
        "action SOMEONE\nknocks below.",
        "lyric Row, row,",
        "lyric all night",
        "centered THE END",
        "page",
    ]


def test_speech_without_its_marks_leads_back_to_the_script() -> None:
    for item in parse(LAMP).dialogue:
        sources = [item.source(at) for at in range(len(item.text))]
        written = [LAMP[at] for at in sources]
        assert all(a == b or a.isspace() for a, b in zip(item.text, written, strict=True))
        assert sources == sorted(set(sources))
        line = LAMP.splitlines()[item.position.line - 1]
        assert line[item.position.column - 1 :].startswith(item.speaker)


def test_emphasis_is_known_though_its_marks_are_gone() -> None:
    (said,) = parse("ANNA\n(low)\nA **bold _and_ low** *one* ***two***", "fountain").dialogue
    assert said.text == "A bold and low one two"
    assert said.emphasis == (
        Emphasis((2, 14), "bold"),
        Emphasis((7, 10), "underline"),
        Emphasis((15, 18), "italic"),
        Emphasis((19, 22), "bold italic"),
    )
    assert said.asides == ()


def test_directions_say_from_where_they_hold() -> None:
    (said,) = parse("ANNA\nOne.\n(louder)\n(angry)\nTwo.\n(soft)\nThree.", "fountain").dialogue
    assert said.asides == (Aside(5, "louder; angry"), Aside(10, "soft"))
    assert said.text[5:] == "Two. Three."
    assert said.position == Position(1, 1)


WRONG: list[tuple[str, int, int, str]] = [
    ("Rain.\n\n/* and\nmore", 3, 1, "boneyard"),
    ("ANNA\nHi /* there", 2, 4, "boneyard"),
    ("Rain [[why\n\nSun.", 1, 6, "note"),
    ("Rain.\n\nAnd [[ so", 3, 5, "note"),
    ("ANNA\n(softly\nHello.\n\nRain.", 2, 1, "direction"),
    ("ANNA\n  (softly", 2, 3, "direction"),
    ("Rain.\n\nANNA (V.O.\nHello.", 3, 6, "NAME"),
    ("@Anna\n\nHello.", 1, 1, "Anna is to speak"),
    ("Rain.\n\n@Anna", 3, 1, "Anna is to speak"),
    ("@\nHello.", 1, 2, "name is missing"),
    ("@ (V.O.)\nHello.", 1, 3, "name is missing"),
    ("Rain.\n\nANNA ^\nHello.", 3, 6, "no one speaks before"),
    ("ANNA\nHel\x00lo.", 2, 4, r"U\+0000"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG)
def test_an_error_names_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ScriptError, match=message) as caught:
        parse(text, "fountain")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


_NAMES = st.sampled_from(["ANNA", "BEN", "OLD MAN", "R2D2"])
_SAID = st.sampled_from(["Hello there.", "I *do* say so.", "Well, **now** then?", "No."])
_BLOCKS = st.one_of(
    st.builds("{}\n{}\n".format, _NAMES, _SAID),
    st.builds("{} (V.O.)\n(softly)\n{}\n{}\n".format, _NAMES, _SAID, _SAID),
    st.builds("@{}\n{}\n".format, _NAMES, _SAID),
    st.sampled_from(
        [
            "INT. HALL - DAY #4#\n",
            ".FLASHBACK\n",
            "The rain falls.\nIt _falls_.\n",
            "!BANG\n",
            "CUT TO:\n",
            "> Fade away.\n",
            "> CENTRED <\n",
            "# Act\n",
            "= About it\n",
            "===\n",
            "~La la la\n",
            "THE LIGHTS FAIL.\n",
            "/* gone */\n",
        ]
    ),
)
_KINDS = {
    ElementType.SCENE_HEADING: Heading,
    ElementType.ACTION: Action,
    ElementType.CENTERED: Action,
    ElementType.TRANSITION: Transition,
    ElementType.SECTION: Section,
    ElementType.SYNOPSIS: Synopsis,
    ElementType.PAGE_BREAK: PageBreak,
    ElementType.LYRICS: Lyric,
    ElementType.CHARACTER: Dialogue,
}


@given(st.lists(_BLOCKS, max_size=8).map("\n".join))
def test_another_parser_sees_the_same_in_the_same_lines(text: str) -> None:
    theirs = [
        (_KINDS[one.type], one.line_number)
        for one in FountainParser().parse(text).elements
        if one.type in _KINDS
    ]
    ours = [(type(item), item.position.line) for item in read(text)]
    assert [one for one in ours if one[0] is not Boneyard] == theirs


@given(st.lists(_BLOCKS, max_size=8).map("\n".join))
def test_another_parser_reads_the_same_speech(text: str) -> None:
    elements = FountainParser().parse(text).elements
    theirs = " ".join(one.text for one in elements if one.type is ElementType.DIALOGUE)
    assert " ".join(item.text for item in parse(text, "fountain").dialogue) == theirs
