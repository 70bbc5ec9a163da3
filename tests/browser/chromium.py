"""Finds the browser that the tests drive."""

from __future__ import annotations

import shutil
from pathlib import Path

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_PLACES = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")


def find() -> str:
    """The path of Chromium. Raises FileNotFoundError with the command that installs it."""
    for place in _PLACES:
        found = place if Path(place).is_file() else shutil.which(place)
        if found:
            return found
    raise FileNotFoundError(
        "The browser tests need Chromium, and it is not here. `make test` installs it where it may;"
        " by hand: apt-get update && apt-get install -y chromium"
    )
