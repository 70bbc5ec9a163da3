"""Text to the model's phonemes, with a mark for every word that is said.

The words come from `engine.text.normalise`; hibari's grapheme-to-phoneme rules say them in the
context of their sentence, except where `lexicon` knows better.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from hibari.g2p import G2P
from hibari.g2p.token import Tok

from engine.families.embedded import assets, dictionaries
from engine.families.embedded.lexicon import WORDS, Heteronyms
from engine.text.normalise import SpokenWord, normalise

MAX_TOKENS = 500
_UNKNOWN_WORDS = 20_000  # cached readings of words outside the lexicon
_LONGEST_ACRONYM = 6
_ARTICLE = ("ɐ", "ɐ")  # the rules take it for the letter where a sentence begins
_STRETCHED = re.compile(r"([a-z])\1{2,}", re.IGNORECASE)
_JOINT = "\0"
_LETTER = re.compile(r"(?P<letter>[A-Z])(?P<suffix>'?s)?")
_OPENING = frozenset("“(")
_SPACED = frozenset("—")


@dataclass(frozen=True, slots=True)
class ReadWord:
    """A word that is said. text: as written. span: [from, to) of it in the text that was read.

    phonemes: [from, to) in the reading's phonemes, never empty.
    """

    text: str
    span: tuple[int, int]
    phonemes: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a text is said.

    phonemes: one character a token, all in the model's vocabulary, padding not counted; "" where
    there is nothing to say. words: their ranges increase and are apart. unread: words of the text
    that the voice can't say, as written.
    """

    words: tuple[ReadWord, ...]
    phonemes: str
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A spoken word or a mark. word: which written word it is of, None for a mark.

    given: its phonemes where they are known already.
    """

    text: str
    word: int | None
    given: str | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """A piece and its phonemes, perhaps none."""

    piece: _Piece
    phonemes: str


class Phonemiser:
    """Reads English, American or British. Holds no state of a call: threads may share one.

    Loading one takes about half a second. Raises ModelMissing where the phoneme table is missing.
    """

    def __init__(self, british: bool, folder: Path | None = None) -> None:
        """folder: of what `dictionaries` wrote; None for hibari's own, which take more of memory
        and of time."""
        self._vocabulary = frozenset(assets.vocabulary())
        self._british = british
        self._heteronyms = Heteronyms(british)
        self._rules = dictionaries.rules(folder, british) if folder else G2P(british=british)
        self._net_letters = frozenset(self._rules.oov.cin)
        # Names come again and again in a scene, and each call of the net costs a millisecond.
        self._rules._oov = lru_cache(_UNKNOWN_WORDS)(self._rules.oov)

    def read(self, text: str) -> Reading:
        """The whole text in one reading, however many tokens that takes. Never raises."""
        return self._readings(text, limit=None)[0]

    def read_all(self, text: str) -> list[Reading]:
        """The text in readings of at most `MAX_TOKENS` phonemes, cut between words.

        At least one reading comes back; `unread` is told with the first.
        """
        return self._readings(text, limit=MAX_TOKENS)

    def _readings(self, text: str, limit: int | None) -> list[Reading]:
        seen = normalise(text)
        said = self._say(self._pieces(seen.words))
        sounding = {s.piece.word for s in said if s.phonemes}
        missed = [(w.span, w.written) for i, w in enumerate(seen.words) if i not in sounding]
        missed += [(word.span, word.written) for word in seen.unread]
        unread = tuple(written for _, written in sorted(missed))
        readings = list(_assemble(said, seen.words, limit)) or [Reading((), "")]
        return [replace(readings[0], unread=unread), *readings[1:]]

    def _pieces(self, words: Sequence[SpokenWord]) -> list[_Piece]:
        pieces: list[_Piece] = []
        for index, word in enumerate(words):
            pieces += [_Piece(mark, None, mark) for mark in word.before]
            parts = _letter_runs(word) if word.letters else word.spoken.split()
            pieces += [self._part(part, index, word.letters) for part in parts]
            pieces += [_Piece(mark, None, mark) for mark in word.after]
        return self._in_context(pieces)

    def _part(self, part: str, word: int, letters: bool) -> _Piece:
        run = part.split(_JOINT)
        if letters and _LETTER.fullmatch(run[-1]):
            return _Piece("".join(run), word, self._letters(run))
        part = self._unstretched(part)
        known = _ARTICLE if part in {"a", "A"} and not letters else WORDS.get(part.lower())
        return _Piece(self._spelling(part), word, known[self._british] if known else None)

    def _letters(self, run: Sequence[str]) -> str:
        """An acronym has its main stress on its last letter, like the lexicon's own."""
        match = _LETTER.fullmatch(run[-1])
        assert match is not None
        lexicon = self._rules.lexicon
        phonemes: str = lexicon.get_NNP("".join(run[:-1]) + match["letter"])[0]
        return lexicon._s(phonemes) if match["suffix"] else phonemes

    def _unstretched(self, part: str) -> str:
        """Stretched words, "Nooo", as they are without; sounds, "hmmm", with two letters."""
        if not _STRETCHED.search(part):
            return part
        twice, once = _STRETCHED.sub(r"\1\1", part), _STRETCHED.sub(r"\1", part)
        known = (w for w in (twice, once) if w.lower() in self._rules.lexicon.golds)
        return twice if twice.lower() in WORDS else next(known, twice)

    def _spelling(self, part: str) -> str:
        """The part in letters that the rules know: "ñ" stays, an odd "ṩ" becomes "s"."""
        if part.isascii():
            return part
        known = (c if c in self._net_letters or c in "'-" else _unmarked(c) for c in part)
        return "".join(known) or part

    def _in_context(self, pieces: list[_Piece]) -> list[_Piece]:
        """Gives heteronyms the phonemes that their neighbours ask for."""
        places = [at for at, piece in enumerate(pieces) if piece.word is not None]
        words = [pieces[at].text for at in places]
        for index, at in enumerate(places):
            if pieces[at].given is None:
                pieces[at] = replace(pieces[at], given=self._heteronyms.find(words, index))
        return pieces

    def _say(self, pieces: Sequence[_Piece]) -> list[_Said]:
        groups = self._spoken_groups(pieces)
        if len(groups) != len(pieces):
            # The rules joined or lost a token; without context there is nothing to join.
            groups = ["".join(self._spoken_groups([piece])) for piece in pieces]
        return [
            _Said(piece, self._clean(group) or self._alone(piece))
            for piece, group in zip(pieces, groups, strict=True)
        ]

    def _spoken_groups(self, pieces: Sequence[_Piece]) -> list[str]:
        """Phonemes of each piece: its last token is the one with white space after it."""
        groups: list[str] = []
        group = ""
        for token in self._rules.phonemize_tokens(self._tokens(pieces)):
            group += token.phonemes or ""
            if token.whitespace:
                groups.append(group)
                group = ""
        return groups

    def _tokens(self, pieces: Sequence[_Piece]) -> list[Tok]:
        texts = [
            [piece.text] if piece.given is not None else self._rules.tokenizer.split(piece.text)
            for piece in pieces
        ]
        tags = iter(self._rules.tagger([text for group in texts for text in group]))
        return [
            Tok(text, next(tags), " " if text_at == len(group) - 1 else "", piece.given)
            for piece, group in zip(pieces, texts, strict=True)
            for text_at, text in enumerate(group)
        ]

    def _clean(self, phonemes: str) -> str:
        kept = "".join(c for c in phonemes if c in self._vocabulary)
        return " ".join(kept.split())

    def _alone(self, piece: _Piece) -> str:
        """Of a piece that the rules leave silent: by the net, else by its letters' names."""
        letters = "".join(_unmarked(c) for c in piece.text if c.isalpha())
        if not letters.isascii() or not letters:
            return ""
        return self._clean(self._rules.oov(letters) or "") or self._letters(list(letters.upper()))


def _letter_runs(word: SpokenWord) -> Iterator[str]:
    """The parts of a word; letters of an acronym are one part, with _JOINT between them."""
    spelling = word.written.count("-") > 1
    run: list[str] = []
    for part in word.spoken.split():
        if run and (spelling or len(run) == _LONGEST_ACRONYM or not _LETTER.fullmatch(part)):
            yield _JOINT.join(run)
            run = []
        if _LETTER.fullmatch(part):
            run.append(part)
        else:
            yield part
    if run:
        yield _JOINT.join(run)


def _unmarked(char: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii() and c.isalpha())


class _Sheet:
    """A reading as it is written, at most `limit` phonemes long."""

    def __init__(self) -> None:
        self.phonemes = ""
        self.words: list[ReadWord] = []
        self.last: int | None = None

    def fits(self, said: _Said, limit: int | None) -> bool:
        return limit is None or len(self.phonemes) + 1 + len(said.phonemes) <= limit

    def add(self, said: _Said, words: Sequence[SpokenWord]) -> None:
        mark = said.piece.word is None
        closes = mark and said.phonemes not in _OPENING | _SPACED
        if self.phonemes and self.phonemes[-1] not in _OPENING and not closes:
            self.phonemes += " "
        start = len(self.phonemes)
        self.phonemes += said.phonemes
        if said.piece.word is not None:
            self._mark(said.piece.word, words[said.piece.word], start)

    def _mark(self, index: int, word: SpokenWord, start: int) -> None:
        if self.last == index:
            start = self.words.pop().phonemes[0]
        self.words.append(ReadWord(word.written, word.span, (start, len(self.phonemes))))
        self.last = index

    def reading(self) -> Reading:
        return Reading(tuple(self.words), self.phonemes)


def _assemble(
    said: Sequence[_Said], words: Sequence[SpokenWord], limit: int | None
) -> Iterator[Reading]:
    """Nothing for marks alone. A word that is longer than a reading goes on in the next."""
    sheet = _Sheet()
    for part in _chopped(said, limit):
        if not sheet.fits(part, limit):
            if sheet.words:
                yield sheet.reading()
            sheet = _Sheet()
        sheet.add(part, words)
    if sheet.words:
        yield sheet.reading()


def _chopped(said: Sequence[_Said], limit: int | None) -> Iterator[_Said]:
    for part in said:
        if not part.phonemes:
            continue
        size = len(part.phonemes) if limit is None else limit - 1
        for start in range(0, len(part.phonemes), size):
            yield _Said(part.piece, part.phonemes[start : start + size])
