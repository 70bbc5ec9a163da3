"""The studio in a real browser, on the real server and the embedded voice."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import WebSocketRoute, expect

from tests.browser.studio_page import Facts, StudioPage
from voice_server.client import connect_sync

pytestmark = pytest.mark.browser

OpenStudio = Callable[..., StudioPage]

LINE = "Welcome aboard the night train."
QUIET_ENDS = 9_600
"""Samples at 48 kHz: a fifth of a second."""
NO_WEBCODECS = "delete window.AudioDecoder"
DEAF_WEBCODECS = "window.__deaf = true; AudioDecoder.prototype.decode = function () {}"
BROKEN_WEBCODECS = """
const decode = AudioDecoder.prototype.decode;
let left = 12;
AudioDecoder.prototype.decode = function (chunk) {
  if (left-- <= 0) throw new DOMException("broken by the test", "EncodingError");
  return decode.call(this, chunk);
};
"""


def check_whole(facts: Facts, sound: NDArray[np.float32]) -> None:
    """The worklet played what `take.done` says, and that is what the sound output got."""
    assert facts.state == "done"
    assert facts.samples is not None
    assert facts.samples > 24_000
    assert facts.rate == 48_000
    assert facts.played == 2 * facts.samples
    # The ear can't tell silence at either end of the take from the player's own.
    assert facts.played - QUIET_ENDS < len(sound) <= facts.played
    assert 0.02 < float(np.abs(sound).max()) <= 1.0


def test_typed_words_are_heard_to_the_last_sample(studio: StudioPage) -> None:
    facts = studio.hear(LINE)
    check_whole(facts, studio.sound())
    assert studio.decoder() == "webcodecs"
    figures = studio.page.locator("#figures")
    for name in ("First packet", "First sound", "Real-time factor", "Underruns"):
        expect(figures).to_contain_text(name)
    assert facts.first_packet_ms is not None
    assert facts.first_sound_ms is not None
    assert 0 < facts.first_packet_ms < facts.first_sound_ms


def test_sound_plays_while_the_take_is_still_being_made(studio: StudioPage) -> None:
    studio.write(f"{LINE} We shall be leaving in a moment. {LINE}")
    studio.play()
    studio.wait_sound()
    assert studio.facts().state == "started"
    check_whole(studio.wait_heard(), studio.sound())


def test_two_runs_sound_the_same(open_studio: OpenStudio) -> None:
    sounds = []
    for _ in range(2):
        studio = open_studio()
        studio.hear(LINE)
        sounds.append(studio.sound())
    np.testing.assert_array_equal(sounds[0], sounds[1])


@pytest.mark.parametrize("script", [NO_WEBCODECS, DEAF_WEBCODECS, BROKEN_WEBCODECS])
def test_without_a_working_webcodecs_the_same_is_heard(
    open_studio: OpenStudio, script: str
) -> None:
    usual = open_studio()
    usual.hear(LINE)
    studio = open_studio(script)
    facts = studio.hear(LINE)
    check_whole(facts, studio.sound())
    assert studio.decoder() == "wasm"
    # Two builds of the codec may round differently, and no more than that.
    assert facts.samples == usual.facts().samples
    assert facts.played == usual.facts().played


def test_each_word_lights_up_in_order_as_it_is_spoken(studio: StudioPage) -> None:
    facts = studio.hear(f"{LINE} 🔥 It’s 9:30!")
    lit = studio.lit()
    words = studio.card.locator(".word").all_text_contents()
    assert [one.word for one in lit] == words
    assert "".join(words[:3]).startswith("Welcome")
    assert len(facts.starts) >= len(words)
    assert [one.at for one in lit] == sorted(one.at for one in lit)
    expect(studio.card.locator(".says")).to_have_text(f"{LINE} 🔥 It’s 9:30!")


def test_words_light_at_the_time_of_their_sound(studio: StudioPage) -> None:
    facts = studio.hear(LINE)
    lit = studio.lit()
    due = [heard_at(facts, start) for start in facts.starts]
    late = [one.at - lit[0].at - (ms - due[0]) for one, ms in zip(lit, due, strict=True)]
    # Within two paintings, where this machine is slow to paint.
    assert statistics.median(abs(ms) for ms in late) < max(100, 2 * studio.paint_ms())


def heard_at(facts: Facts, ms: float) -> float:
    """When the sound at `ms` of the take was heard, after the start: later by each underrun."""
    sample = ms * facts.rate / 1000
    starved = sum(underrun.length for underrun in facts.underruns if underrun.at <= sample)
    return 1000 * (sample + starved) / facts.rate


def test_what_is_heard_is_what_the_voice_made(studio: StudioPage, address: str) -> None:
    facts = studio.hear(LINE)
    heard = studio.sound()
    voice = studio.page.get_by_label("Voice").input_value()
    with connect_sync(address, format="pcm16") as session:
        made = session.speak(LINE, voice=voice).pcm()
    assert facts.samples == len(made)
    wanted = np.interp(np.arange(2 * len(made)) / 2, np.arange(len(made)), made)
    # The ear began with the first sample that was not 0; the take may begin with silence.
    likeness = [like(heard, wanted[start:]) for start in range(QUIET_ENDS)]
    assert max(likeness) > 0.95


def like(one: NDArray[np.float32], other: NDArray[np.float64]) -> float:
    length = min(len(one), len(other))
    return float(np.corrcoef(one[:length], other[:length])[0, 1])


def test_stop_is_heard_at_once(studio: StudioPage) -> None:
    studio.write(f"{LINE} {LINE} {LINE}")
    studio.play()
    studio.wait_sound()
    studio.page.keyboard.press("Escape")
    expect(studio.page.get_by_role("button", name="Stop")).to_be_disabled()
    expect(studio.card).to_contain_text("stopped after")
    facts = studio.facts()
    assert facts.state == "cancelled"
    assert not facts.complete
    assert studio.sounded_after_escape_s() < 0.25
    # The next take is heard alone: nothing of the stopped one is left anywhere.
    studio.forget_sound()
    check_whole(studio.hear(LINE), studio.sound())


def test_playing_again_replaces_what_is_heard(studio: StudioPage) -> None:
    studio.write(f"{LINE} {LINE} {LINE}")
    studio.play()
    studio.wait_sound()
    facts = studio.hear("Never mind, this instead.")
    assert facts.state == "done"
    assert facts.samples is not None
    assert facts.played == 2 * facts.samples
    expect(studio.page.locator("#takes > li")).to_have_count(2)
    expect(studio.page.locator("#takes > li").last).to_contain_text("stopped after")


def test_a_finished_take_is_heard_again_from_here(studio: StudioPage) -> None:
    studio.hear(LINE)
    first = studio.sound()
    studio.forget_sound()
    studio.page.evaluate("window.__lit.length = 0")
    studio.card.get_by_role("button", name="Hear again").click()
    studio.page.wait_for_function("window.__lit.length > 0")
    studio.page.wait_for_function("!document.querySelector('.take.playing')")
    np.testing.assert_array_equal(studio.sound_without(()), first)
    assert [one.word for one in studio.lit()][-1] == "train"


def test_a_voice_that_is_not_there_is_said_in_plain_words(studio: StudioPage) -> None:
    studio.page.evaluate("document.querySelector('#voice').append(new Option('Nobody', 'nobody'))")
    studio.page.get_by_label("Voice").select_option("nobody")
    studio.write(LINE)
    studio.play()
    expect(studio.page.get_by_role("alert")).to_contain_text("nobody")
    expect(studio.card.locator(".problem")).to_contain_text("nobody")
    expect(studio.page.get_by_role("button", name="Stop")).to_be_disabled()
    studio.page.get_by_label("Voice").select_option(index=0)
    check_whole(studio.hear(LINE), studio.sound())
    expect(studio.page.get_by_role("alert")).to_be_empty()


def test_nothing_to_say_ends_cleanly(studio: StudioPage) -> None:
    facts = studio.hear("🔥")
    assert (facts.samples, facts.played) == (0, 0)
    expect(studio.card).to_contain_text("nothing to say")
    studio.write("  ")
    studio.play()
    expect(studio.page.get_by_role("alert")).to_contain_text("Write something")


def test_voices_are_grouped_and_the_choice_is_kept(studio: StudioPage) -> None:
    groups = studio.page.locator("#voice optgroup")
    labels = [group.get_attribute("label") for group in groups.all()]
    assert len(labels) >= 2
    assert len(set(labels)) == len(labels)
    chosen = studio.page.locator("#voice option").last.get_attribute("value")
    studio.page.get_by_label("Voice").select_option(chosen)
    studio.write(LINE)
    studio.page.reload()
    studio.wait_open()
    expect(studio.page.get_by_label("Voice")).to_have_value(chosen or "")
    expect(studio.text).to_have_value(LINE)


def test_a_lost_connection_comes_back(open_studio: OpenStudio) -> None:
    studio = open_studio(connect=False)
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    studio.page.route_web_socket("**/v1/session", pass_on)
    studio.open()
    studio.write(f"{LINE} {LINE}")
    studio.play()
    studio.wait_sound()
    sockets[0].close(code=1012, reason="")
    expect(studio.page.get_by_role("alert")).to_contain_text("restarting")
    studio.wait_open()
    assert len(sockets) == 2
    studio.forget_sound()
    check_whole(studio.hear(LINE), studio.sound())


def test_a_voice_that_still_loads_is_told(open_studio: OpenStudio) -> None:
    studio = open_studio(connect=False)
    loading = True

    def connect(socket: WebSocketRoute) -> None:
        if loading:
            socket.close(code=1013, reason="not ready yet")
        else:
            socket.connect_to_server()

    body = '{"ready": false, "reasons": ["loading: cutting the graphs (40 %)"], "fraction": 0.4}'
    studio.page.route("**/readyz", lambda route: route.fulfill(status=503, body=body))
    studio.page.route_web_socket("**/v1/session", connect)
    studio.page.goto(studio.address)
    link = studio.page.locator("#link")
    expect(link).to_have_text("Loading: cutting the graphs (40 %)")
    expect(studio.page.get_by_role("button", name="Play")).to_be_disabled()
    loading = False
    studio.wait_open()
    expect(link).to_contain_text("Ready")


def test_it_fits_a_phone(open_studio: OpenStudio) -> None:
    studio = open_studio(width=360)
    studio.hear(LINE)
    wide = studio.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
    expect(studio.page.get_by_role("button", name="Play")).to_be_in_viewport()
