"""What is made of a take, while it is made: its sound, words and score."""

from __future__ import annotations

from engine.scores import pack
from engine.types import Pcm, Word
from sessions.sound import SoundBuffer


class Recording:
    """Owns the sound until it is handed on by `sound`, or let go of by `close`."""

    def __init__(self, sound: SoundBuffer) -> None:
        self._sound: SoundBuffer | None = sound
        self._words: list[Word] = []
        self._score = bytearray()
        self._changed: list[tuple[int, int]] = []

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(self._words)

    @property
    def score(self) -> bytes | None:
        """What the engine needs to edit the take; None if it gave nothing."""
        return bytes(self._score) or None

    @property
    def changed(self) -> tuple[tuple[int, int], ...]:
        """Samples that are not the parent's; spans that meet are one."""
        return tuple(self._changed)

    def add(self, pcm: Pcm) -> None:
        """The next window. Raises TooLong past the buffer's limit."""
        if self._sound is not None:
            self._sound.append(pcm.samples)
        self._words += pcm.words
        self._score += pack(pcm.scores)
        for start, end in pcm.changed:
            if self._changed and self._changed[-1][1] == start:
                start = self._changed.pop()[0]
            self._changed.append((start, end))

    def hand_on(self) -> SoundBuffer | None:
        """The sound, once; whoever takes it closes it."""
        sound, self._sound = self._sound, None
        return sound

    def close(self) -> None:
        sound = self.hand_on()
        if sound is not None:
            sound.close()
