"""The script: one evening in a lighthouse, over and over, as long as it is wanted.

Four people say lines of their own, some directed. Said again, a line must sound as it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: What the embedded voices say in a second, pauses between lines counted; how long a script is.
CHARACTERS_A_SECOND: Final = 14.3


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the script. direction: what stands in brackets before the words, or nothing."""

    speaker: str
    text: str
    direction: str = ""

    @property
    def written(self) -> str:
        directed = f"({self.direction}) " if self.direction else ""
        return f"{self.speaker}: {directed}{self.text}"


LINES: Final = (
    Said("MARTHA", "The lamp has been burning low since supper, and I don't like the smell of it."),
    Said("PETER", "It only wants a new wick, and there is a whole box of them under the stairs."),
    Said("JUDITH", "I looked there this morning, and found only rope and a pair of old boots."),
    Said("GEORGE", "Then somebody has moved the box, because I put it there with my own hands."),
    Said("MARTHA", "Listen to that wind, it must be coming straight down from the north."),
    Said("PETER", "There was a fishing boat past the rocks when I came up the path.", "worried"),
    Said("JUDITH", "Nobody from the village would take a boat out on an evening like this one."),
    Said("GEORGE", "Young men will go out in anything if the price of herring is good enough."),
    Said("MARTHA", "My father used to say that the sea remembers everybody who laughs at it."),
    Said("PETER", "Your father said a good many things, and most of them were about the sea."),
    Said("JUDITH", "Please don't quarrel now, we have a long night in front of us.", "gently"),
    Said("GEORGE", "Give me the oil can and hold the ladder, and I will see to the lamp myself."),
    Said("MARTHA", "You are not going up there in those shoes, the steps are wet all the way."),
    Said("PETER", "Let him go, he has climbed those stairs every night for thirty years."),
    Said("JUDITH", "I can see a light out there, just beyond the second line of rocks!", "excited"),
    Said("GEORGE", "That is no boat, it is only the buoy, and it has been there all summer."),
    Said("MARTHA", "A buoy does not move from left to right, and that light certainly does."),
    Said("PETER", "She is right, somebody is out there, and they are coming in much too fast."),
    Said("JUDITH", "What can we do from up here except keep the lamp as bright as we can?"),
    Said("GEORGE", "Ring the bell and don't stop until I tell you.", "firm"),
    Said("MARTHA", "The rope of the bell broke in the spring, and nobody ever came to mend it."),
    Said("PETER", "So that is what the rope under the stairs was for, I might have guessed."),
    Said("JUDITH", "Take the lantern with you, and be careful on the lower landing."),
    Said("GEORGE", "When I was a boy we lit a fire on the beach and waved our coats at it."),
    Said("MARTHA", "There is no dry wood left on this island, we burned the last of it at Easter."),
    Said("PETER", "There are the chairs, and the old table, and the door of the hen house."),
    Said("JUDITH", "I never liked that table anyway, one of its legs was always too short."),
    Said("GEORGE", "Hush now, and tell me if you can hear an engine.", "whispering"),
    Said("MARTHA", "I hear nothing but the waves, and the rain on the glass, and my own heart."),
    Said("PETER", "There it is again, and closer than before, on the quiet side of the point."),
    Said("JUDITH", "They have seen the lamp, look, they are turning away from the rocks!"),
    Said("GEORGE", "Well done, whoever you are, now keep her steady and follow the wall around."),
    Said("MARTHA", "Put the kettle on, they will be cold to the bone when they come ashore."),
    Said("PETER", "I will go down and help them with the ropes before the tide turns."),
    Said("JUDITH", "And I will find that box of wicks, if it takes me until morning.", "warmly"),
    Said("GEORGE", "Try the pocket of my coat, I have a feeling that I put it there after all."),
)


def lines(minutes: float) -> tuple[Said, ...]:
    """So many lines as come to about `minutes`, at least one."""
    wanted, chosen = 60 * minutes * CHARACTERS_A_SECOND, list[Said]()
    while wanted > 0:
        chosen.append(LINES[len(chosen) % len(LINES)])
        wanted -= len(chosen[-1].text)
    return tuple(chosen)


def script(said: Sequence[Said]) -> str:
    """As it is handed to `perform`."""
    return "\n".join(line.written for line in said)
