"""What the talker knows of a take on its way, and of a step under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from torch import Tensor

from engine.families.qwen3_omni.frames import Codes
from engine.families.qwen3_omni.prompt import Opening, Unchanged
from engine.types import Utterance

FIRST: Final = 4
LATER: Final = 10
"""Frames that are handed on at a time: code2wav's windows."""


@dataclass(slots=True, eq=False)
class TalkerState:
    """A take on its way.

    text: all of it that has come. fed: projected text not yet in the row; texts: how much there
    was. ended: no more comes.

    row: where it is among the rows. prompt: positions before the first frame that is made. kept:
    frames before that. launched: frames under way or made. frames: made and not handed on. made:
    how many were. over: no more will be made; finished: and all was handed on.
    """

    utterance: Utterance
    opening: Opening | Unchanged | None = None
    text: str = ""
    fed: list[Tensor] = field(default_factory=list)
    texts: int = 0
    ended: bool = False
    row: int | None = None
    prompt: int = 0
    kept: int = 0
    launched: int = 0
    frames: list[Codes] = field(default_factory=list)
    made: int = 0
    group: int = FIRST
    told: bool = False
    finished: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Flight:
    """A step under way: of which states, in which rows, and what comes of it, once `wait` is
    called: codes [rows, codebooks], and whether a row made a frame, and whether it is over."""

    states: tuple[TalkerState, ...]
    rows: tuple[int | None, ...]
    codes: Tensor
    made: Tensor
    over: Tensor
    wait: Callable[[], None]
