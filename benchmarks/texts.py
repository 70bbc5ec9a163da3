"""What is said in the benchmarks. Plain words, so that a recogniser's errors are not the text's."""

from __future__ import annotations

from typing import Final

SENTENCES: Final = (
    "The baker opened her shop before sunrise and filled the window with warm bread again.",
    "We walked along the river until the lights of the town were far behind us.",
    "My brother keeps his old bicycle in the cellar because nobody else wants to ride it.",
    "When the rain finally stopped, the children ran outside and jumped into every single puddle.",
    "She read the letter twice, folded it carefully, and put it back in the drawer.",
    "The last train leaves just before midnight, so we should not stay for another drink.",
    "A small dog sat beside the gate and waited all day for the postman to come.",
    "He promised to call us from the station as soon as his bags were on board.",
)
"""Of 15 words each, near 4.5 seconds; which one a take says changes from run to run, so that
nothing that a server keeps from the last run helps it."""

PARAGRAPHS: Final = tuple(
    " ".join(SENTENCES[(first + step) % len(SENTENCES)] for step in (0, 3, 6, 1))
    for first in range(len(SENTENCES))
)
"""Of four sentences each, near 18 seconds."""

WARM_UP: Final = "Nobody in the village could remember a winter as long as the one before this."

PLAIN: Final = (
    "The ship was late because of heavy fog, so we had dinner near the station.",
    "Please leave your wet boots by the door and hang your coat on the hook.",
    "It takes about ten minutes to walk from the school to the market.",
    "Our neighbor grows tomatoes and beans in a narrow garden behind the house.",
    "The teacher asked a simple question, but nobody wanted to answer first.",
    "I left my umbrella on the bus, and now it looks like rain.",
    "After the meeting, they went upstairs and talked for another hour.",
    "The museum is closed on Monday, but the park is open all week.",
    "Can you tell me where I might find a quiet place to work?",
    "He cut the bread into thick slices and spread butter on each of them.",
    "There was nothing in the box except a key and a faded photograph.",
    "The doctor said that she should rest and drink plenty of water.",
    "They painted the kitchen yellow because the room has very little light.",
    "Every evening the old man feeds the birds that gather on his roof.",
    "We missed the beginning of the film, though the ending was worth seeing.",
    "If you turn left after the bridge, you will see a white fence.",
    "The soup needs more salt, and the rice is not quite ready yet.",
    "Her daughter learned to swim in the lake when she was only five.",
    "Nothing in this drawer belongs to me, so please take what you need.",
    "The wind was so strong that it blew the sign across the street.",
)
"""What quality is measured on."""

SHORT: Final = ("Yes.", "Not yet.", "Come in.", "Why not?", "Good night.", "Over here.")

BRIEF: Final = (*SHORT, "Yes", "Hello", "Monday", "Stop!", "Hm?", "Thank you")
"""What people say in a word or two, with and without a full stop: its level is held against that of
the whole decode, since little sound says little of how loud it should be."""
