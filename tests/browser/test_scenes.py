"""Scripts in the studio, performed by the real server and the embedded voice."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.studio_page import TAKE_MS, StudioPage

pytestmark = pytest.mark.browser

SCRIPT = """\
ANNA: Is it still raining?
BEN: (softly) Not any more.
ANNA: Then we can go.
"""
SAID = ["Is", "it", "still", "raining", "Not", "any", "more", "Then", "we", "can", "go"]


def perform(studio: StudioPage, script: str) -> None:
    studio.page.get_by_label("Script").check()
    studio.write(script)
    studio.play()


def takes(studio: StudioPage) -> list[dict[str, Any]]:
    """What the page knows of its takes, oldest first."""
    found: list[dict[str, Any]] = studio.page.evaluate("window.__studio.takes()")
    return found[::-1]


def test_a_script_is_heard_line_by_line(studio: StudioPage) -> None:
    perform(studio, SCRIPT)
    lines = studio.page.locator(".scene > .lines > li")
    expect(lines).to_have_count(3)
    whole = "takes().filter((take) => take.complete).length === 3"
    studio.page.wait_for_function(f"window.__studio.{whole}", timeout=TAKE_MS)
    for take in takes(studio):
        assert take["played"] == 2 * take["samples"] > 0
    assert [one.word for one in studio.lit()] == SAID
    speakers = lines.locator(".speaker").all_text_contents()
    assert speakers == ["ANNA", "BEN", "ANNA"]
    anna, ben, again = (text.split(" · ")[0] for text in lines.locator(".meta").all_text_contents())
    assert anna == again != ben
    expect(studio.page.get_by_role("heading", name="3 lines, 2 voices")).to_be_visible()
    expect(studio.page.get_by_role("button", name="Stop")).to_be_disabled()


def test_a_line_of_a_scene_can_be_directed(studio: StudioPage) -> None:
    perform(studio, "ANNA: Is it still raining?")
    studio.wait_heard()
    studio.page.get_by_label("How to say").fill("slower")
    studio.page.keyboard.press("Enter")
    studio.page.wait_for_function("window.__studio.takes().length === 2", timeout=TAKE_MS)
    studio.wait_heard()
    spoken, directed = takes(studio)
    assert directed["parent"] == spoken["id"]
    assert directed["samples"] > spoken["samples"]


def test_stop_ends_the_scene_and_not_only_the_line(studio: StudioPage) -> None:
    perform(studio, 20 * SCRIPT)
    studio.wait_sound()
    studio.page.keyboard.press("Escape")
    expect(studio.page.get_by_role("button", name="Stop")).to_be_disabled()
    begun = len(takes(studio))
    assert begun < 60
    # Another scene can begin at once: nothing of the first is under way at the server.
    studio.forget_sound()
    perform(studio, "BEN: Never mind.")
    studio.page.wait_for_function(f"window.__studio.takes().length > {begun}", timeout=TAKE_MS)
    studio.wait_heard()
    assert takes(studio)[-1]["text"] == "Never mind."
    assert not takes(studio)[-2]["complete"]
    expect(studio.page.get_by_role("alert")).to_be_empty()


def test_what_is_wrong_in_a_script_is_said_where_it_stands(studio: StudioPage) -> None:
    perform(studio, "ANNA: (softly Hello.")
    scene = studio.page.locator(".scene")
    expect(scene.locator(".refusal")).to_contain_text("line 1, column")
    expect(studio.page.get_by_role("alert")).to_contain_text("line 1, column")
    assert takes(studio) == []
    expect(studio.page.get_by_role("button", name="Stop")).to_be_disabled()


def test_the_mode_is_kept_and_only_a_line_asks_for_a_voice(studio: StudioPage) -> None:
    voice = studio.page.locator("#voice")
    expect(voice).to_be_visible()
    studio.page.get_by_label("Script").check()
    expect(voice).to_be_hidden()
    studio.page.reload()
    studio.wait_open()
    expect(studio.page.get_by_label("Script")).to_be_checked()
    expect(voice).to_be_hidden()
    studio.page.get_by_label("Line", exact=True).check()
    expect(voice).to_be_visible()
