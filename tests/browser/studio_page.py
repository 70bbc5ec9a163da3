"""The studio as a person uses it, with an ear at its sound output."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page

from tests.patience import PATIENCE_S

HERE = Path(__file__).parent
BLOCK = 128
TAKE_MS = 1000 * PATIENCE_S


@dataclass(frozen=True, slots=True)
class Underrun:
    """`length` samples of silence where the player starved, `at` samples into the take."""

    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What the page says of its newest take. samples: of `take.done`, at 24 kHz. played and
    underruns: at `rate`. starts: when each word begins, in ms."""

    state: str
    samples: int | None
    played: int
    rate: int
    complete: bool
    underruns: tuple[Underrun, ...]
    starts: tuple[float, ...]
    first_packet_ms: float | None
    first_sound_ms: float | None


@dataclass(frozen=True, slots=True)
class Lit:
    """A word as it lit up, `at` ms of the page's clock."""

    word: str
    at: float


class StudioPage:
    """Drives one page; its console errors are failures."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.faults: list[str] = []
        page.set_default_timeout(TAKE_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.add_init_script(f"window.__tapWorklet = {json.dumps(_tap_worklet())}")
        page.add_init_script((HERE / "tap.js").read_text())

    def open(self) -> None:
        self.page.goto(self.address)
        self.wait_open()

    def wait_open(self) -> None:
        self.page.wait_for_function("window.__studio?.state() === 'open'", timeout=TAKE_MS)

    def write(self, text: str) -> None:
        self.text.fill(text)

    def play(self) -> None:
        self.text.press("Control+Enter")

    def hear(self, text: str) -> Facts:
        """Writes, plays, and listens to the end."""
        self.write(text)
        self.play()
        return self.wait_heard()

    def wait_sound(self) -> None:
        self.page.wait_for_function("window.__heard.length > 20", timeout=TAKE_MS)

    def wait_heard(self) -> Facts:
        self.page.wait_for_function("window.__studio.takes()[0]?.complete", timeout=TAKE_MS)
        return self.facts()

    def facts(self) -> Facts:
        raw: dict[str, Any] = self.page.evaluate("window.__studio.takes()[0]")
        return Facts(
            raw["state"],
            raw.get("samples"),
            raw["played"],
            raw["playedRate"],
            raw["complete"],
            tuple(Underrun(**one) for one in raw["underruns"]),
            tuple(raw["starts"]),
            raw.get("firstPacketMs"),
            raw.get("firstSoundMs"),
        )

    def sound(self) -> NDArray[np.float32]:
        """What the sound output got of the newest take, from its first sample that is not 0 to
        its last, without the silence of the player's own. Fails if an underrun was not silent."""
        return self.sound_without(self.facts().underruns)

    def sound_without(self, underruns: tuple[Underrun, ...]) -> NDArray[np.float32]:
        raw = base64.b64decode(self.page.evaluate("window.__sound()"))
        heard = np.frombuffer(raw, np.float32)
        at = 0
        for underrun in underruns:
            at = silence(heard, at, underrun.length)
            heard = np.delete(heard, np.s_[at : at + underrun.length])
        return np.trim_zeros(heard)

    def forget_sound(self) -> None:
        """What was heard so far; once a take that was stopped has faded out, which its page may
        tell late."""
        self.page.evaluate("window.__heard.length = 0")
        self.page.wait_for_timeout(500)
        while self.page.evaluate("window.__heard.splice(0).length"):
            self.page.wait_for_timeout(500)

    def sounded_after_escape_s(self) -> float:
        """By the clock of the sound output, for how long it still got sound."""
        told = self.page.evaluate("[window.__heard.at(-1).frame, window.__escaped]")
        return float(told[0] + BLOCK - told[1]) / self.facts().rate

    def paint_ms(self) -> float:
        """How long it takes from one painting of the page to the next."""
        return float(np.median(np.diff(self.page.evaluate("window.__paints"))))

    def lit(self) -> list[Lit]:
        return [Lit(**one) for one in self.page.evaluate("window.__lit")]

    def decoder(self) -> str:
        return str(self.page.evaluate("window.__studio.decoder()"))

    @property
    def text(self) -> Locator:
        return self.page.get_by_label("Text to speak")

    @property
    def card(self) -> Locator:
        """The newest take."""
        return self.page.locator("#takes > li").first


def silence(heard: NDArray[np.float32], start: int, length: int) -> int:
    """Where the first `length` samples of silence at or after `start` begin. Fails without any."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], heard[start:] != 0, [True]])))
    for begin, end in zip(edges[::2], edges[1::2], strict=False):
        if end - begin >= length:
            return start + int(begin)
    raise AssertionError(f"no silence of {length} samples was heard, though the player starved")


def _tap_worklet() -> str:
    """As a data URL: what a worklet loads can't be given by a route of the test."""
    source = (HERE / "tap-worklet.js").read_bytes()
    return f"data:text/javascript;base64,{base64.b64encode(source).decode()}"
