"""A take's words as they were written and as the engine gets them: tags blanked, not read aloud."""

from __future__ import annotations

from dataclasses import replace

from engine.types import Part, Passage, Pause, Performance
from sessions.tags import Tagged, TagReader, joined


class Wording:
    """Text goes in by `add`, in any pieces; what each gives is for the engine, and `end` the rest.

    What was given, joined, is as long as what was written. performance: of all that was given, tags
    included; where `tags` is false they are blanked all the same, but say nothing: the performance
    has them already, or the voice can't do them.
    """

    def __init__(self, performance: Performance, tags: bool = True) -> None:
        self._base = performance
        self._tags = tags
        self._reader = TagReader(performance)
        self._written: list[str] = []
        self._parts: list[Part] = []
        self._pauses: list[Pause] = []
        self.chars = 0
        """characters that were written"""
        self._news: list[Tagged] = []

    @classmethod
    def whole(cls, text: str, performance: Performance, tags: bool = True) -> tuple[Wording, str]:
        """Of a text that is all there, and what the engine gets of it."""
        wording = cls(performance, tags)
        return wording, wording.add(text).text + wording.end().text

    @property
    def written(self) -> str:
        return "".join(self._written)

    def news(self) -> tuple[Tagged, ...]:
        """What was found in the text since this was last asked, where there were tags."""
        found, self._news = tuple(self._news), []
        return found

    @property
    def performance(self) -> Performance:
        if not self._tags or not (self._parts or self._pauses):
            return self._base
        return replace(
            self._base,
            parts=(*self._base.parts, *joined(self._parts)),
            pauses=tuple(sorted((*self._base.pauses, *self._pauses), key=lambda one: one.at)),
        )

    def add(self, text: str) -> Passage:
        """What of it the engine gets now."""
        self._written.append(text)
        self.chars += len(text)
        return self._took(self._reader.push(text))

    def end(self) -> Passage:
        return self._took(self._reader.end())

    def _took(self, tagged: Tagged) -> Passage:
        self._parts += tagged.parts
        self._pauses += tagged.pauses
        if tagged.parts or tagged.pauses or tagged.unknown:
            self._news.append(tagged)
        said = (tagged.parts, tagged.pauses) if self._tags else ((), ())
        return Passage(tagged.text, *said)
