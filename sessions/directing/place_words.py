"""Words that places are made of."""

from __future__ import annotations

from types import MappingProxyType

from sessions.directing.places import Edge, Unit

ARTICLES = frozenset(("the", "that", "this", "a", "an", "its", "your"))
EVERY = frozenset(("every", "each", "all", "both", "any"))
UNITS: MappingProxyType[str, Unit] = MappingProxyType(
    {
        "word": "word",
        "words": "word",
        "syllable": "word",
        "syllables": "word",
        "sentence": "sentence",
        "sentences": "sentence",
        "line": "sentence",
        "lines": "sentence",
        "clause": "clause",
        "clauses": "clause",
        "phrase": "clause",
        "phrases": "clause",
        "bit": "clause",
        "part": "clause",
        "parts": "clause",
        "section": "clause",
    }
)
SHARES = MappingProxyType({"half": 2, "third": 3, "quarter": 4})
EDGES: MappingProxyType[str, Edge] = MappingProxyType(
    {
        "start": "start",
        "begin": "start",
        "finish": "end",
        "beginning": "start",
        "opening": "start",
        "middle": "middle",
        "end": "end",
        "ending": "end",
    }
)
MARKS = MappingProxyType(
    {
        "comma": ",",
        "commas": ",",
        "period": ".",
        "periods": ".",
        "colon": ":",
        "semicolon": ";",
        "dash": "—–-",
        "dashes": "—–-",
        "ellipsis": "…",
        "punctuation": ",.;:!?…—–",
    }
)
STOPS = MappingProxyType({"full": ".", "question": "?", "exclamation": "!"})
STOP_NAMES = frozenset(("stop", "stops", "mark", "marks", "point", "points"))
ASKED = MappingProxyType({"question": "?", "questions": "?", "exclamation": "!"})
NAMING = frozenset(("word", "words", "name", "phrase", "bit", "part"))
WHOLE = frozenset(("line", "thing", "take", "sentence", "text", "speech"))
LEADS = frozenset(("on", "in", "for", "at", "of", "during", "within", "over", "to", "with"))
NEVER_ALONE = frozenset(
    ("the", "a", "an", "it", "this", "that", "every", "each", "all", "more", "less", "much", "and")
)
