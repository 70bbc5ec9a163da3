"""Directing, editing and keeping takes in the studio, on the real server and the embedded voice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.browser.studio_page import TAKE_MS, StudioPage

pytestmark = pytest.mark.browser

OpenStudio = Callable[..., StudioPage]

LINE = "See you at the harbour on Wednesday, if the ferry runs."
LOOKAHEAD = 4_800
"""Samples at 48 kHz: how far ahead of what it writes the codec may look, and more."""


class Desk:
    """A studio in which a first take of LINE was heard."""

    def __init__(self, studio: StudioPage) -> None:
        self.studio = studio
        self.page: Page = studio.page
        studio.hear(LINE)

    def newest(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("window.__studio.takes()[0]")
        return found

    def count(self) -> int:
        return int(self.page.evaluate("window.__studio.takes().length"))

    def card(self, at: int) -> Locator:
        """A take's own part of the page, without those that start from it; from 0, the first."""
        return self.page.locator(".take > .card").nth(at)

    def words(self, at: int) -> Locator:
        return self.card(at).locator(".says .word")

    @property
    def field(self) -> Locator:
        return self.page.get_by_label("Instead of")

    def direct(self, at: int, direction: str) -> dict[str, Any]:
        box = self.card(at).get_by_label("How to say")
        box.fill(direction)
        return self.heard(lambda: box.press("Enter"))

    def heard(self, act: Callable[[], None]) -> dict[str, Any]:
        """What the page knows of the take that `act` asks for, once it is heard to its end."""
        count = self.count()
        self.studio.forget_sound()
        act()
        more = f"takes().length === {count + 1}"
        self.page.wait_for_function(f"window.__studio.{more}", timeout=TAKE_MS)
        self.studio.wait_heard()
        return self.newest()


@pytest.fixture
def desk(studio: StudioPage) -> Desk:
    return Desk(studio)


def test_a_direction_makes_a_take_below_the_one_it_is_said_of(desk: Desk) -> None:
    first = desk.newest()
    slower = desk.direct(0, "much slower")
    assert (slower["kind"], slower["parent"]) == ("directed", first["id"])
    assert slower["samples"] > 1.1 * first["samples"]
    assert slower["played"] == 2 * slower["samples"]
    below = desk.page.locator("#takes > .take > .heirs > .take")
    expect(below).to_have_count(1)
    expect(below.locator(".direction")).to_have_text("much slower")
    chip = below.locator(".chips > li").first
    expect(chip).to_contain_text("pace 1.00 → 0.")
    expect(chip).to_have_attribute("title", "Moved by “much slower”")


def test_directions_add_up_from_any_take(desk: Desk) -> None:
    desk.direct(0, "slower")
    desk.direct(1, "slower")
    expect(desk.card(2).locator(".chips")).to_contain_text("pace 0.")
    desk.direct(0, "higher")
    assert desk.newest()["parent"] == desk.page.evaluate("window.__studio.takes().at(-1).id")
    expect(desk.page.locator("#takes > .take > .heirs > .take")).to_have_count(2)
    expect(desk.card(3).locator(".meta")).to_contain_text("Take 4")


def test_what_was_not_understood_stays_with_the_take(desk: Desk) -> None:
    desk.direct(0, "slower, zorkmidly")
    expect(desk.card(1).locator(".notes")).to_contain_text("zorkmidly")
    expect(desk.card(1).locator(".chips")).to_contain_text("pace")


def test_a_clicked_word_is_edited_where_it_stands(desk: Desk) -> None:
    before = desk.studio.sound()
    desk.words(0).get_by_text("Wednesday").click()
    expect(desk.field).to_have_value("Wednesday")
    desk.field.fill("Thursday")
    edited = desk.heard(lambda: desk.field.press("Enter"))
    assert edited["kind"] == "edited"
    assert edited["text"] == "See you at the harbour on Thursday, if the ferry runs."
    expect(desk.card(1).locator("del")).to_have_text("Wednesday")
    expect(desk.card(1).locator("ins")).to_have_text("Thursday")
    assert "Thursday" in desk.card(1).locator(".fresh").all_text_contents()
    expect(desk.words(1).first).not_to_have_class("fresh")
    (change,) = edited["changed"]
    same = int(48 * change["startMs"]) - LOOKAHEAD
    assert same > 0
    after = desk.studio.sound()
    np.testing.assert_array_equal(after[:same], before[:same])


def test_escape_leaves_the_words_as_they_were(desk: Desk) -> None:
    desk.words(0).first.click()
    desk.field.fill("Meet")
    desk.field.press("Escape")
    expect(desk.field).to_have_count(0)
    expect(desk.card(0).locator(".says")).to_have_text(LINE)
    expect(desk.words(0).first).to_be_focused()
    desk.words(0).first.click()
    desk.field.press("Enter")
    assert desk.count() == 1


def test_several_words_are_picked_by_shift_and_by_dragging(desk: Desk) -> None:
    desk.words(0).nth(1).click()
    desk.words(0).nth(4).click(modifiers=["Shift"])
    expect(desk.field).to_have_value("you at the harbour")
    desk.field.press("Escape")
    desk.words(0).nth(6).hover()
    desk.page.mouse.down()
    desk.words(0).nth(8).hover()
    desk.page.mouse.up()
    expect(desk.field).to_have_value("Wednesday, if the")
    desk.page.locator("h1").click()
    expect(desk.field).to_have_count(0)
    expect(desk.card(0).locator(".says")).to_have_text(LINE)


def test_words_are_taken_out_by_keys_alone(desk: Desk) -> None:
    desk.words(0).first.focus()
    for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Shift+End"):
        desk.page.keyboard.press(key)
    edited = desk.heard(lambda: desk.page.keyboard.press("Delete"))
    assert edited["text"] == "See you at the harbour on Wednesday."
    expect(desk.card(1).locator("ins")).to_have_count(0)


def test_one_take_of_a_line_is_kept_and_an_earlier_one_can_be_again(desk: Desk) -> None:
    desk.direct(0, "softer")
    stars = desk.page.get_by_role("button", name="Keep for this line")
    expect(stars).to_have_count(2)
    for kept in (1, 0):
        stars.nth(kept).click()
        expect(stars.nth(kept)).to_have_attribute("aria-pressed", "true")
        expect(stars.nth(1 - kept)).to_have_attribute("aria-pressed", "false")


def test_a_voice_that_can_only_speak_offers_nothing_more(open_studio: OpenStudio) -> None:
    studio = open_studio(connect=False)

    def humble(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(_only_speaks(message)))

    studio.page.route_web_socket("**/v1/session", humble)
    studio.open()
    desk = Desk(studio)
    expect(desk.card(0).get_by_role("button", name="Hear again")).to_be_enabled()
    for control in (".direct", ".keep"):
        expect(desk.card(0).locator(control)).to_be_hidden()
    expect(desk.page.locator(".editable")).to_have_count(0)


def _only_speaks(message: str | bytes) -> str | bytes:
    if isinstance(message, bytes) or '"session.opened"' not in message:
        return message
    opened = json.loads(message)
    opened["engine"]["can"] = ["speak"]
    return json.dumps(opened)


def test_takes_of_a_session_that_is_over_can_be_heard_and_no_more(open_studio: OpenStudio) -> None:
    studio = open_studio(connect=False)
    sockets: list[WebSocketRoute] = []

    def forgetful(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        server = socket.connect_to_server()
        socket.on_message(lambda message: server.send(_without_resume(message)))

    studio.page.route_web_socket("**/v1/session", forgetful)
    studio.open()
    desk = Desk(studio)
    expect(desk.card(0).locator(".direct")).to_be_visible()
    sockets[0].close(code=1012, reason="")
    expect(desk.card(0).locator(".direct")).to_be_hidden()
    desk.page.wait_for_function("window.__studio.state() !== 'open'")
    studio.wait_open()
    expect(desk.card(0).locator(".direct")).to_be_hidden()
    expect(desk.card(0).get_by_role("button", name="Hear again")).to_be_enabled()


def _without_resume(message: str | bytes) -> str | bytes:
    if isinstance(message, bytes):
        return message
    said = json.loads(message)
    said.pop("resume", None)
    return json.dumps(said)


@pytest.mark.parametrize(
    ("right", "told"),
    [
        (True, "Checked: heard as written, after 3 tries"),
        (False, "Heard “thirsty” instead, after 3 tries"),
    ],
)
def test_what_was_heard_of_an_edit_is_told_on_it(
    open_studio: OpenStudio, right: bool, told: str
) -> None:
    studio = open_studio(connect=False)

    def listening(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: socket.send(_with_ears(message, right)))

    studio.page.route_web_socket("**/v1/session", listening)
    studio.open()
    desk = Desk(studio)
    expect(desk.page.locator(".checked")).to_have_count(0)
    desk.words(0).get_by_text("Wednesday").click()
    desk.field.fill("Thursday")
    desk.heard(lambda: desk.field.press("Enter"))
    expect(desk.card(1).locator(".checked")).to_have_text(told)


def _with_ears(message: str | bytes, right: bool) -> str | bytes:
    """An edit's `take.done` as a server says it that has the recogniser."""
    if isinstance(message, bytes) or '"changed":[' not in message:
        return message
    heard = {"right": right, "words": "thirsty", "tries": 3}
    return json.dumps({**json.loads(message), "heard": heard})
