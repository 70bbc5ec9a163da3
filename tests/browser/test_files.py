"""Sessions saved as files and opened again in the studio, on the real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.studio_page import TAKE_MS, StudioPage

pytestmark = pytest.mark.browser

LINE = "See you at the harbour on Wednesday."
SCRIPT = "ANNA: Did you hear that?\nBEN: Hear what?"


def saved(studio: StudioPage, folder: Path) -> Path:
    with studio.page.expect_download() as told:
        studio.page.get_by_text("Save this session").click()
    path = folder / "session.json"
    told.value.save_as(path)
    return path


def opened(studio: StudioPage, file: Path) -> None:
    studio.page.locator("#chosen-file").set_input_files(file)


def test_a_session_is_saved_and_gone_on_with_from_its_file(
    studio: StudioPage, tmp_path: Path
) -> None:
    studio.hear(LINE)
    box = studio.card.get_by_label("How to say")
    box.fill("slower")
    box.press("Enter")
    studio.page.wait_for_function("window.__studio.takes().length === 2", timeout=TAKE_MS)
    studio.wait_heard()
    studio.page.get_by_role("button", name="Keep for this line").nth(1).click()
    expect(studio.page.locator(".keep[aria-pressed=true]")).to_have_count(1)
    file = saved(studio, tmp_path)
    assert len(json.loads(file.read_text())["sounds"]) == 2
    before = studio.page.evaluate("window.__studio.takes()")

    opened(studio, file)
    studio.page.wait_for_function("window.__studio.takes().length === 4", timeout=TAKE_MS)
    after = studio.page.evaluate("window.__studio.takes()")[:2]
    assert [take["samples"] for take in after] == [take["samples"] for take in before]
    assert [take["text"] for take in after] == [LINE, LINE]
    assert after[0]["parent"] == after[1]["id"]
    assert after[0]["starts"] == before[0]["starts"]
    assert after[0]["id"] != before[0]["id"]
    heir = studio.card.locator(".heirs > .take")
    expect(heir.locator(".direction")).to_have_text("slower")
    expect(heir.get_by_role("button", name="Keep")).to_have_attribute("aria-pressed", "true")

    heir.get_by_role("button", name="Hear again").click()
    studio.wait_heard()
    assert studio.facts().played == 2 * after[0]["samples"]
    box = heir.get_by_label("How to say")
    box.fill("softer")
    box.press("Enter")
    studio.page.wait_for_function("window.__studio.takes().length === 5", timeout=TAKE_MS)
    studio.wait_heard()
    assert studio.page.evaluate("window.__studio.takes()[0].parent") == after[0]["id"]


def test_a_scene_comes_back_line_by_line(studio: StudioPage, tmp_path: Path) -> None:
    studio.page.get_by_text("Script", exact=True).click()
    studio.write(SCRIPT)
    studio.play()
    studio.page.wait_for_function("window.__studio.takes().length === 2", timeout=TAKE_MS)
    studio.wait_heard()
    file = saved(studio, tmp_path)
    studio.page.reload()
    studio.wait_open()
    opened(studio, file)
    expect(studio.card.locator("h3")).to_have_text("Scene · 2 lines, 2 voices")
    expect(studio.card.locator(".lines > .take .speaker")).to_have_text(["ANNA", "BEN"])


def test_a_file_that_is_no_session_is_told_by_place(studio: StudioPage, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{"format": "voice-session", "version": 1, "session": {"id": "s"}}')
    opened(studio, file)
    notice = studio.page.locator(".notice")
    expect(notice).to_contain_text("session.opened_at")
    expect(studio.page.get_by_role("button", name="Open a session file…")).to_be_enabled()
