"""The lines, and what becomes of them. Plain words, so that a recogniser's errors are not the
text's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "substitution",
    "insertion",
    "deletion",
    "several places",
    "first word",
    "last word",
    "whole line",
    "into a number",
    "punctuation",
    "directed take",
    "edit of an edit",
]


@dataclass(frozen=True, slots=True)
class Chain:
    """A line, and how it reads after each edit of the take before. direction: what is said of the
    first take, and the edits start from what came of it."""

    kind: Kind
    texts: tuple[str, ...]
    direction: str | None = None

    @property
    def edits(self) -> int:
        return len(self.texts) - 1


_SUBSTITUTIONS: Final = (
    ("We should meet at the station after lunch.", "We should meet at the library after lunch."),
    ("The train to Boston leaves at noon.", "The train to Chicago leaves at noon."),
    ("She bought a green coat for the winter.", "She bought a yellow coat for the winter."),
    ("Please bring the chairs into the garden.", "Please bring the tables into the garden."),
    ("My sister teaches music in the city.", "My sister teaches history in the city."),
    ("They waited for an hour in the rain.", "They waited for an hour in the snow."),
    ("I think the blue door is open.", "I think the blue door is locked."),
    ("He left his keys on the kitchen table.", "He left his phone on the kitchen table."),
    (
        "The children were happy, but their mother was tired.",
        "The children were happy, but their father was tired.",
    ),
    ("Can you tell me where the market is?", "Can you tell me where the hospital is?"),
    ("The captain spoke slowly to his crew.", "The captain spoke quietly to his crew."),
    ("I have never seen such a big horse.", "I have never seen such a small horse."),
)
_INSERTIONS: Final = (
    ("We drove home in the rain.", "We drove slowly home in the rain."),
    ("The dog slept under the table.", "The old dog slept under the table."),
    ("I will call you when we arrive.", "I will call you tomorrow when we arrive."),
    ("She opened the window to the street.", "She opened the broken window to the street."),
    ("You can keep the money.", "You can always keep the money."),
    ("The soup needs salt and pepper.", "The soup needs more salt and pepper."),
    ("He told us a story about the sea.", "He told us a very long story about the sea."),
)
_DELETIONS: Final = (
    ("I really want to see that film again.", "I want to see that film again."),
    ("The very old bridge was closed in March.", "The old bridge was closed in March."),
    ("She carefully put the glass on the shelf.", "She put the glass on the shelf."),
    ("We have almost finished the second part.", "We have finished the second part."),
    ("Put the heavy box beside the door.", "Put the box beside the door."),
    (
        "He said that he would probably come on Friday.",
        "He said that he would come on Friday.",
    ),
    ("The work is done for now.", "The work is done."),
)
_SEVERAL: Final = (
    (
        "The red car stopped near the old church.",
        "The white car stopped near the new church.",
    ),
    (
        "My mother likes tea, and my father likes coffee.",
        "My sister likes tea, and my brother likes coffee.",
    ),
    (
        "On Monday we cook fish, and on Friday we cook rice.",
        "On Sunday we cook fish, and on Friday we bake bread.",
    ),
    (
        "The boy found a coin beside the river.",
        "The girl found a little coin beside the lake.",
    ),
    (
        "He opened the letter and read it in the garden.",
        "She opened the letter and read it twice in the kitchen.",
    ),
    (
        "Turn left at the bridge and stop before the school.",
        "Turn right at the bridge and stop behind the school.",
    ),
)
_FIRST: Final = (
    ("She opened the letter before breakfast.", "He opened the letter before breakfast."),
    ("Tomorrow we will paint the kitchen.", "Today we will paint the kitchen."),
    ("Doctors say that sleep is important.", "Teachers say that sleep is important."),
    ("Maybe the shop is still open.", "Perhaps the shop is still open."),
    ("Nobody wanted to answer the question.", "Everybody wanted to answer the question."),
)
_LAST: Final = (
    ("Please turn left at the bridge.", "Please turn left at the corner."),
    ("The meeting was moved to Tuesday.", "The meeting was moved to Thursday."),
    ("Would you like a cup of coffee?", "Would you like a cup of water?"),
    ("Her brother works in a bakery.", "Her brother works in a museum."),
    ("I have to be at home by seven.", "I have to be at home by eleven."),
)
_WHOLE: Final = (
    ("Nobody knows the answer.", "We should leave before the storm."),
    ("The water is cold today.", "Where did you put my hat?"),
    ("Come and sit with us.", "The last bus has already gone."),
    (
        "It was a long night. The moon was bright.",
        "It was a long night. Nobody slept at all.",
    ),
)
_NUMBERS: Final = (
    ("The ticket costs fifteen dollars at the door.", "The ticket costs 40 dollars at the door."),
    ("Please call room two after dinner.", "Please call room 309 after dinner."),
    ("They sold many books last year.", "They sold 250 books last year."),
    ("The museum opened in the spring.", "The museum opened in 1987."),
    ("We need some eggs for the cake.", "We need 12 eggs for the cake."),
    ("The house has several windows.", "The house has 16 windows."),
)
_PUNCTUATION: Final = (
    ("It is over now.", "It is over now?"),
    ("Well we can try again tomorrow.", "Well, we can try again tomorrow."),
    ("You found the key.", "You found the key!"),
    ("The door was open, and the lamp was on.", "The door was open and the lamp was on."),
    ("I waited; nobody came to the house.", "I waited. Nobody came to the house."),
)
_DIRECTED: Final = (
    (
        "We should meet at the station after lunch.",
        "We should meet at the harbour after lunch.",
        "a little gentler and slower",
    ),
    ("You never listen to your mother.", "You never listen to your teacher.", "much angrier"),
    ("The garden was empty in the morning.", "The kitchen was empty in the morning.", "sadder"),
    ("Come and look at the new boat.", "Come and look at the old boat.", "more excited"),
    ("There is somebody in the house.", "There is somebody in the garden.", "whisper it"),
    ("I would like another glass of milk.", "I would like another cup of milk.", "higher"),
)

_STATION: Final = (
    "We should meet at the station, but the train leaves early.",
    "We should meet at the market, but the train leaves early.",
    "We should meet at the market, but the plane leaves early.",
    "We should meet at the market, but the plane leaves late.",
    "They should meet at the market, but the plane leaves late.",
    "They could meet at the market, but the plane leaves late.",
    "They could meet at the market, and the plane leaves late.",
    "They could meet at the old market, and the plane leaves late.",
    "They could wait at the old market, and the plane leaves late.",
    "They could wait at the old market, and the plane arrives late.",
    "They could wait at the old market, and the plane arrives at midnight.",
)
_GARDEN: Final = (
    "My brother planted seven apple trees behind the house last spring.",
    "My brother planted seven cherry trees behind the house last spring.",
    "My brother planted seven cherry trees behind the school last spring.",
    "My brother planted seven cherry trees behind the school last autumn.",
    "My uncle planted seven cherry trees behind the school last autumn.",
    "My uncle planted 20 cherry trees behind the school last autumn.",
    "My uncle planted 20 young cherry trees behind the school last autumn.",
    "My uncle planted 20 young cherry trees beside the school last autumn.",
    "My uncle watered 20 young cherry trees beside the school last autumn.",
    "My uncle watered 20 young cherry trees beside the school this autumn.",
    "My uncle watered 20 young cherry trees beside the school this morning.",
)

_PAIRS: Final[tuple[tuple[Kind, tuple[tuple[str, str], ...]], ...]] = (
    ("substitution", _SUBSTITUTIONS),
    ("insertion", _INSERTIONS),
    ("deletion", _DELETIONS),
    ("several places", _SEVERAL),
    ("first word", _FIRST),
    ("last word", _LAST),
    ("whole line", _WHOLE),
    ("into a number", _NUMBERS),
    ("punctuation", _PUNCTUATION),
)

CHAINS: Final[tuple[Chain, ...]] = (
    *(Chain(kind, texts) for kind, pairs in _PAIRS for texts in pairs),
    *(Chain("directed take", (old, new), said) for old, new, said in _DIRECTED),
    Chain("edit of an edit", _STATION),
    Chain("edit of an edit", _GARDEN),
)
"""63 edits of first and directed takes, and two lines edited ten times over."""
