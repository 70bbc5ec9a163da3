from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import chromium, server
from tests.browser.studio_page import TAKE_MS, StudioPage

OpenStudio = Callable[..., StudioPage]
expect.set_options(timeout=TAKE_MS)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the real server listens."""
    with server.running(tmp_path_factory.mktemp("data")) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One real Chromium; of the module, for its loop must not run beside those of other tests."""
    path = chromium.find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_studio(browser: Browser, address: str) -> Iterator[OpenStudio]:
    """Opens the studio in a profile of its own; `script` runs in the page before all else."""
    pages: list[StudioPage] = []

    def make(script: str | None = None, *, connect: bool = True, width: int = 1100) -> StudioPage:
        page = browser.new_page(viewport={"width": width, "height": 800})
        studio = StudioPage(page, address)
        pages.append(studio)
        if script is not None:
            page.add_init_script(script)
        if connect:
            studio.open()
        return studio

    yield make
    for studio in pages:
        studio.page.close()
        assert studio.faults == []


@pytest.fixture
def studio(open_studio: OpenStudio) -> StudioPage:
    return open_studio()
