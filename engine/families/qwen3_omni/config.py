"""What can be set of this family. Knows neither torch nor transformers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Progress: TypeAlias = Callable[[str, float | None], None]
"""Says what is being done, and how much of it is done, from 0 to 1."""

PUBLISHED = "Qwen/Qwen3-Omni-30B-A3B-Instruct"


@dataclass(frozen=True, slots=True)
class Qwen3OmniConfig:
    """model: folder or hub id. dtype: of weights and arithmetic; auto is bfloat16.

    slots: takes at once in one replica of a stage. positions: of a take's prompt and its frames
    together; a longer take is cut off. plain: only the words are told to the talker, no direction
    and nothing of what was said before. hears: the take that is directed is listened to, which
    needs the whole thinker in memory and not only its embeddings.

    graphs: on a GPU, steps and windows are captured once and replayed. steady: there, all of them
    are of the largest size, so that a take is the same to the last bit whatever runs beside it.

    temperature, top_k, top_p, penalty: how codes are drawn.
    """

    model: str = PUBLISHED
    dtype: Literal["auto", "bfloat16", "float32"] = "auto"
    slots: int = 64
    positions: int = 4096
    plain: bool = False
    hears: bool = False
    graphs: bool = True
    steady: bool = False
    temperature: float = 0.9
    top_k: int = 50
    top_p: float = 1.0
    penalty: float = 1.05
