"""What a reader sees of a text: markup, emoji and odd characters gone, each character traced."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Visible:
    """text: what is seen. starts[i], ends[i]: where in the original its character i comes from."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """[from, to) in the original of the non-empty range [start, end) of `text`."""
        return self.starts[start], self.ends[end - 1]


_EMOJI = (
    "\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\ufe0e\ufe0f\u20e3\u200d"
    "\U000e0020-\U000e007f\u25a0-\u25ff\u2500-\u259f"
)
_SYMBOLS_SAID = "™®©°§→½¼¾⅓⅔⅛⅜⅝⅞²³µ€£¥₹₩¢×÷−±≈≤≥≠√∞π^~"
_MARKUP = re.compile(
    rf"""
      (?P<fence>^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$)
    | (?P<rule>^[ \t]*(?:[-*_=][ \t]*){{3,}}$)
    | (?P<tablerule>^[ \t]*\|?(?:[ \t]*:?-{{2,}}:?[ \t]*\|)+[ \t]*(?::?-+:?)?[ \t]*$)
    | (?P<block>^[ \t]*(?:\#{{1,6}}[ \t]+|>[ \t]?|[-*+•‣◦][ \t]+(?:\[[ xX]\][ \t]+)?))
    | (?P<comment><!--.*?-->)
    | (?P<tag></?[A-Za-z][A-Za-z0-9-]*\s*/?>|<[A-Za-z][A-Za-z0-9-]*\s[^<>]*=[^<>]*>)
    | (?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
    | (?P<linkopen>!?\[(?=[^\[\]\n]*\]\([^()\s]*(?:\s"[^"\n]*")?\)))
    | (?P<linkclose>(?<!\s)\]\([^()\s]*(?:\s"[^"\n]*")?\))
    | (?P<footnote>\[\^[\w-]+\]:?)
    | (?P<strong>\*\*|__(?=\S)|(?<=\S)__|~~|`+)
    | (?P<em>(?<![\w*_])[*_](?=[^\s*_])|(?<=[^\s*_])[*_](?![\w*_]))
    | (?P<face>(?<!\S)[:;=8][-o']?[)(DPpOo/\\|\]]+(?!\S))
    | (?P<edge>^[ \t]*\||\|[ \t]*$)
    | (?P<cell>\|)
    | (?P<power>(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)
    | (?P<keycap>[0-9\#*]\ufe0f?\u20e3)
    | (?P<emoji>[{_EMOJI}]+)
    | (?P<accented>[^\W\d_][\u0300-\u036f]+)
    """,
    re.VERBOSE | re.MULTILINE,
)
_SPACED = frozenset({"tag", "emoji", "face", "edge", "block", "comment"})
_KEPT_KINDS = frozenset({"entity", "accented", "cell", "keycap", "power"})
_PLAIN = re.compile(r"[\n -~]+")


class _Trace:
    def __init__(self) -> None:
        self.text: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, shown: str, start: int, end: int) -> None:
        self.text.append(shown)
        self.starts += [start] * len(shown)
        self.ends += [end] * len(shown)


def visible(original: str) -> Visible:
    """Never raises; the text may be empty."""
    trace = _Trace()
    at = 0
    for match in _MARKUP.finditer(original):
        _plain(trace, original, at, match.start())
        at = match.end()
        kind = match.lastgroup or ""
        if kind in _SPACED:
            trace.add(" ", match.start(), at)
        elif kind in _KEPT_KINDS:
            trace.add(_kept(kind, match.group()), match.start(), at)
    _plain(trace, original, at, len(original))
    return Visible("".join(trace.text), tuple(trace.starts), tuple(trace.ends))


def _kept(kind: str, text: str) -> str:
    if kind == "entity":
        return "".join(_shown(c) for c in html.unescape(text))
    if kind == "accented":
        composed = unicodedata.normalize("NFC", text)
        return composed[0] if not composed.isalpha() else composed
    if kind == "power":
        return "^" + unicodedata.normalize("NFKC", text)
    return ", " if kind == "cell" else text[0]


def _plain(trace: _Trace, original: str, start: int, end: int) -> None:
    at = start
    while at < end:
        match = _PLAIN.match(original, at, end)
        if match:
            for index in range(at, match.end()):
                trace.add(original[index], index, index + 1)
            at = match.end()
        else:
            trace.add(_shown(original[at]), at, at + 1)
            at += 1


def _shown(char: str) -> str:
    """One character as read: plain forms of wide and styled letters, no invisible ones."""
    if char == "№":
        return "#"
    if char in _SYMBOLS_SAID or char in "…":
        return char
    category = unicodedata.category(char)
    if char.isspace() or category.startswith("Z"):
        return "\n" if char in "\n\r\u2028\u2029" else " "
    if category[0] == "C" or category in {"Mn", "Me"}:
        return "" if not _holds_word(char) else char
    if category == "Nd":
        return str(unicodedata.decimal(char))
    folded = unicodedata.normalize("NFKC", char)
    return folded if folded.isascii() or folded.isalpha() else char


def _holds_word(char: str) -> bool:
    """Vowel signs of other scripts are part of their words; marks on Latin letters are not."""
    return unicodedata.category(char) == "Mn" and not "\u0300" <= char <= "\u036f"
