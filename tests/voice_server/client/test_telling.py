"""What a person at a terminal sees, and what a log gets."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sessions.events import Refused, Warned
from voice_server.client.session_core import Notice
from voice_server.client.telling import Teller
from voice_server.wire.messages import SessionDraining

ERASE = "\x1b[2K"
"""What a terminal is told before the bar makes room."""


def told(terminal: bool, *steps: str, notice: Notice | None = None) -> str:
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, width=100, color_system=None)
    with Teller(console) as teller:
        for number, step in enumerate(steps):
            teller.step(step, number / len(steps))
        if notice is not None:
            teller.notice(notice)
    return written.getvalue()


def test_a_terminal_shows_the_last_step_as_it_is_written() -> None:
    assert "line 2 of 2, BEN [b]" in told(True, "line 1 of 2, ANNA", "line 2 of 2, BEN [b]")


def test_where_nobody_looks_nothing_moves() -> None:
    assert told(False, "line 1 of 2, ANNA") == ""


@pytest.mark.parametrize(
    ("notice", "line"),
    [
        (Warned("unknown_tag", "[laughing] can't be done"), "warning: [laughing] can't be done"),
        (Refused("too_long", "too much"), "error: too much"),
        (SessionDraining(100.0), "warning: the server is about to stop"),
    ],
)
@pytest.mark.parametrize("terminal", [True, False])
def test_a_notice_stays_on_a_line_of_its_own(terminal: bool, notice: Notice, line: str) -> None:
    lines = told(terminal, notice=notice).replace(ERASE, "").splitlines()
    assert line in [one.rstrip() for one in lines]
