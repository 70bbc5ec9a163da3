"""A scene's script as it comes in: lines with their pauses, and what isn't spoken in its place."""

from __future__ import annotations

import pytest

from engine.types import Performance
from sessions.directions import Directions
from sessions.pauses import NATURAL
from sessions.reading import Cue, SceneReader
from sessions.saying import said
from sessions.script import ScriptError
from sessions.store import Aside

FOUNTAIN = """Title: The Tide
Author: nobody

INT. HARBOUR - DAWN

Fog.

HELEN
(quietly)
We *sail* now.

MARK
So soon?

EXT. SEA - DAY

MARK
The shore is gone.
(whispering)
All of it.
"""


async def read(script: str, *cuts: int) -> tuple[SceneReader, list[Cue]]:
    reader = SceneReader("auto")
    cues: list[Cue] = []
    ends = [*cuts, len(script)]
    for start, end in zip([0, *cuts], ends, strict=True):
        cues += reader.cues(await reader.read(script[start:end], last=end == len(script)))
    return reader, cues


async def test_lines_pauses_and_asides_are_the_same_in_pieces() -> None:
    reader, cues = await read(FOUNTAIN)
    assert [cue.dialogue.speaker for cue in cues] == ["HELEN", "MARK", "MARK"]
    assert [cue.pause_s for cue in cues] == [0.0, NATURAL.new_speaker, NATURAL.heading]
    assert (reader.title, reader.format, reader.script) == ("The Tide", "fountain", FOUNTAIN)
    assert Aside("action", "Fog.", 0) in reader.asides
    assert Aside("heading", "EXT. SEA - DAY", 2) in reader.asides
    for at in range(0, len(FOUNTAIN), 7):
        again, same = await read(FOUNTAIN, at)
        assert (same, again.asides) == (cues, reader.asides)


async def test_a_script_that_is_over_can_be_gone_on_with() -> None:
    reader, _ = await read(FOUNTAIN)
    (cue,) = reader.cues(await reader.read("HELEN\nAnd home.\n", last=True))
    assert (cue.dialogue.text, cue.pause_s) == ("And home.", NATURAL.new_speaker)
    assert reader.script == FOUNTAIN + "\n\n" + "HELEN\nAnd home.\n"
    assert reader.lines == 4


async def test_a_script_that_can_not_be_read_says_where() -> None:
    with pytest.raises(ScriptError) as caught:
        await read("A: hello\nB: bad \x00 thing")
    assert (caught.value.line, caught.value.column) == (2, 8)
    assert "line 2, column 8" in str(caught.value)


async def test_directions_within_a_line_hold_from_where_they_stand() -> None:
    _, cues = await read(FOUNTAIN)
    quiet, _, gone = (cue.dialogue for cue in cues)
    performance, understood = said(quiet, quiet.direction, quiet.text, Directions())
    assert performance.gain < 0
    assert len(understood) == 1
    (stressed,) = performance.parts
    assert quiet.text[slice(*stressed.span)] == "sail"
    assert (stressed.levers.emphasis, stressed.levers.gain) == (1.0, performance.gain)
    performance, _ = said(gone, None, gone.text, Directions())
    (part,) = performance.parts
    assert part.levers.whisper
    assert gone.text[slice(*part.span)].strip() == "All of it."
    assert performance.whisper is False
    assert said(cues[1].dialogue, None, "So soon?", Directions())[0] == Performance()
