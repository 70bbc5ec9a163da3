"""Which voice is meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from engine.types import Voice
from sessions.errors import UnknownVoice


def find(voices: Sequence[Voice], name: str) -> str:
    """The id of the voice called `name`, by id or by name, whatever its case.

    Raises UnknownVoice, which lists those whose names are near.
    """
    wanted = name.casefold()
    for voice in voices:
        if wanted in (voice.id.casefold(), voice.name.casefold()):
            return voice.id
    raise UnknownVoice(_unknown(voices, name), "voice")


def _unknown(voices: Sequence[Voice], name: str) -> str:
    by_word = {word.casefold(): voice.id for voice in voices for word in (voice.name, voice.id)}
    close = difflib.get_close_matches(name.casefold(), by_word, n=3, cutoff=0.5)
    near = list(dict.fromkeys(by_word[word] for word in close))
    shown = near or [voice.id for voice in voices[:5]]
    lead = "near it are" if near else "some that there are:"
    return f"no voice is called {name!r}; {lead} {', '.join(shown)}"
