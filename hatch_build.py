"""Puts the studio into the wheel: built from web/ when it is missing or stale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudioHook(BuildHookInterface[Any]):
    """Runs before files are collected.

    An editable install needs no studio: `make serve` builds it, and a newcomer without Node.js can
    still work on the server.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        script = Path(self.root) / "scripts" / "web.py"
        subprocess.run([sys.executable, str(script), "build"], check=True)
