"""The Python that the pages show runs as it stands, against a real server."""

from __future__ import annotations

import asyncio
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from engine.types import Int16

ROOT = Path(__file__).resolve().parents[3]
PAGES = (ROOT / "README.md", ROOT / "docs" / "sdk.md")
EXAMPLES = [
    pytest.param(example, id=f"{page.name}-{number}")
    for page in PAGES
    for number, example in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))
]


@pytest.mark.parametrize("example", EXAMPLES)
async def test_an_example_runs_and_gives_sound(able: str, example: str) -> None:
    """It may await at its top level, or be a whole program; `play` is the reader's own."""
    here = example.replace("ws://127.0.0.1:8765", able).replace("af_heart", "high")
    played: list[Int16] = []
    names: dict[str, object] = {"play": played.append, "print": lambda *_: None}
    if "asyncio.run(" in here or "await" not in here:
        await asyncio.to_thread(exec, here, names)
    else:
        exec(f"async def example():\n{textwrap.indent(here, '    ')}", names)
        await names["example"]()  # type: ignore[operator]
    assert len(np.concatenate(played)) > 0
