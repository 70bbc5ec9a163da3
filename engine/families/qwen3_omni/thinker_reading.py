"""From words to the thinker's states that the talker takes: chat template, tokens, embeddings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

Sound: TypeAlias = NDArray[np.float32]
"""Mono, at `Ears.rate`, between -1 and 1."""


@dataclass(frozen=True, slots=True)
class PromptIds:
    """Tokens that prompts are taken apart by. start: of a turn, whose role follows. begin, end,
    pad: of speech. audio: stands for a position of sound."""

    start: int
    user: int
    assistant: int
    begin: int
    end: int
    pad: int
    audio: int

    @classmethod
    def of(cls, config: Any) -> PromptIds:
        """Of a checkpoint's whole config."""
        return cls(
            start=config.im_start_token_id,
            user=config.user_token_id,
            assistant=config.assistant_token_id,
            begin=config.tts_bos_token_id,
            end=config.tts_eos_token_id,
            pad=config.tts_pad_token_id,
            audio=config.thinker_config.audio_token_id,
        )


class Hearing(Protocol):
    """What makes states of sound; see `thinker_ears`."""

    @property
    def rate(self) -> int:
        """Samples a second of the sound that it takes."""
        ...

    def positions(self, sound: Sound) -> int:
        """How many positions of a prompt the sound takes."""
        ...

    def states(self, ids: Sequence[int], sound: Sound) -> Tensor:
        """Hidden states of the layer that the talker accepts, [len(ids), width], of a prompt in
        which `positions` tokens stand for the sound."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """See Opening: states of the user's turns and the assistant's first three tokens."""

    states: Tensor
    heard: Tensor


class Reading:
    """tokenizer: transformers' own, with a chat template. table: the thinker's embeddings, [tokens,
    width]. hearing: None where the checkpoint (or the machine) has no ears."""

    def __init__(
        self, tokenizer: Any, table: Tensor, ids: PromptIds, hearing: Hearing | None = None
    ) -> None:
        self._tokenizer = tokenizer
        self._table = table
        self._ids = ids
        self.hearing = hearing
        special = sorted(tokenizer.get_added_vocab(), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, special)) or r"(?!)")

    def tokens(self, text: str) -> list[int]:
        """Of text as it is said: what looks like a special token is only text."""
        return self._encode(self._plain(text))

    def embed(self, ids: Sequence[int]) -> Tensor:
        """[len(ids), width]."""
        places = torch.tensor(ids, dtype=torch.long, device=self._table.device)
        return functional.embedding(places, self._table)

    def marks(self) -> Tensor:
        """See Opening."""
        return self.embed((self._ids.begin, self._ids.end, self._ids.pad))

    def turns(self, request: str, sound: Sound | None = None) -> Turns:
        """A user's turn that says `request` after `sound`, and the start of an answer.

        Raises ValueError for sound where there are no ears.
        """
        if sound is not None and self.hearing is None:
            raise ValueError("this checkpoint can't hear")
        audio = [] if sound is None else [{"type": "audio", "audio": ""}]
        content = [*audio, {"type": "text", "text": self._plain(request)}]
        messages = [{"role": "user", "content": content if audio else self._plain(request)}]
        text = self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        ids = self._encode(text)
        return self.turns_of(ids if sound is None else self._widened(ids, sound), sound)

    def turns_of(self, ids: Sequence[int], sound: Sound | None = None) -> Turns:
        """Of a whole prompt: what of it the talker takes, and in which states."""
        states = self.embed(ids)
        heard = torch.tensor([token == self._ids.audio for token in ids])
        if sound is not None and self.hearing is not None:
            hidden = self.hearing.states(ids, sound).to(states)
            states = torch.where(heard[:, None].to(states.device), hidden, states)
        kept = torch.tensor(self._talkers(ids))
        return Turns(states[kept.to(states.device)], heard[kept])

    def _talkers(self, ids: Sequence[int]) -> list[int]:
        """Positions of the user's turns, and of the three tokens that the answer begins with."""
        starts = [at for at, token in enumerate(ids) if token == self._ids.start]
        roles = {at: ids[at + 1] for at in starts if at + 1 < len(ids)}
        answer = max(at for at, role in roles.items() if role == self._ids.assistant)
        owner, users = None, []
        for at in range(len(ids)):
            owner = roles.get(at, owner)
            if owner == self._ids.user:
                users.append(at)
        return [*users, answer, answer + 1, answer + 2]

    def _widened(self, ids: list[int], sound: Sound) -> list[int]:
        """One token for the sound becomes as many as it has positions."""
        assert self.hearing is not None
        at = ids.index(self._ids.audio)
        positions = self.hearing.positions(sound)
        return [*ids[:at], *[self._ids.audio] * positions, *ids[at + 1 :]]

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _plain(self, text: str) -> str:
        """With a blank inside whatever the tokenizer would take for a special token, so that no
        text can end a turn or the speech."""
        return self._special.sub(lambda found: f"{found[0][:1]} {found[0][1:]}", text)
