"""What the thinker hands to the talker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torch import Tensor

from engine.families.qwen3_omni.frames import Codes, KeptFrames
from engine.families.qwen3_omni.sampling import Sampling


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Text to be said, following what came before.

    embeds: the thinker's embedding of each token, [tokens, thinker's width]. text: as it is in the
    take's text.
    """

    embeds: Tensor
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The beginning of a parent's take, which a new one goes on from.

    codes: [frames, codebooks]. frames: the same as code2wav is to take them. chars: of the new
    text, those that are said in it.
    """

    codes: Codes
    frames: KeptFrames
    chars: int


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """The first of a take: what its talker is prefilled with.

    turns: the thinker's states of the user's turns and the three tokens that the assistant's begins
    with, [positions, width]: embeddings, or where `heard` (bool [positions]) says so hidden states
    of the layer that the talker accepts. marks: embeddings of the tokens that begin and end speech
    and that pad it, [3, width]. text: at least one token.

    seed: of all that is drawn. kept: what the take begins with, where it was edited; then `text` is
    all of the text.
    """

    turns: Tensor
    heard: Tensor
    marks: Tensor
    speaker: str
    text: Text
    sampling: Sampling
    seed: int
    kept: Kept | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Unchanged:
    """The first and only one of a take that is all its parent's."""

    frames: KeptFrames


TalkerInput: TypeAlias = Opening | Text | Unchanged
