"""The talker's arithmetic: prefill of a row, and one step of all rows that makes a frame each.

Equal to transformers' talker: a step there is the code predictor on the last hidden state and the
last code, then the decoder on the sum of the frame's embeddings and the next text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from engine.families.qwen3_omni.cache import Rows, Shape
from engine.families.qwen3_omni.experts import Experts
from engine.families.qwen3_omni.layers import Layer, Norm, Rotary, linear
from engine.families.qwen3_omni.predictor import Predictor
from engine.families.qwen3_omni.sampling import draw, penalised, uniform

SPECIAL = 1024
"""Codes at the end of the first codebook's vocabulary that are no sound."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """From the thinker's width to the talker's."""

    up: Tensor
    up_bias: Tensor
    down: Tensor
    down_bias: Tensor

    @classmethod
    def of(cls, module: Any) -> Projection:
        one, two = module.linear_fc1, module.linear_fc2
        parts = (one.weight, one.bias, two.weight, two.bias)
        return cls(*(part.detach() for part in parts))

    def __call__(self, x: Tensor) -> Tensor:
        wide = linear(x.to(self.up), self.up, self.up_bias)
        return linear(functional.silu(wide), self.down, self.down_bias)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Codec tokens that are no sound. opening: those that the assistant's turn begins with, around
    the speaker: before it, and after it."""

    end: int
    opening: tuple[tuple[int, ...], tuple[int, ...]]
    speakers: dict[str, int]

    @classmethod
    def of(cls, config: Any) -> Tokens:
        before = (config.codec_nothink_id, config.codec_think_bos_id, config.codec_think_eos_id)
        after = (config.codec_pad_id, config.codec_bos_id)
        speakers = {name.lower(): int(at) for name, at in (config.speaker_id or {}).items()}
        return cls(int(config.codec_eos_token_id), (before, after), speakers)


@dataclass(frozen=True, slots=True, eq=False)
class TalkerModel:
    """banned: true for codes of the first codebook that are neither sound nor the end, [codes]."""

    layers: tuple[Layer, ...]
    norm: Norm
    rotary: Rotary
    table: Tensor
    head: Tensor
    text: Projection
    hidden: Projection
    predictor: Predictor
    tokens: Tokens
    banned: Tensor

    @classmethod
    def of(cls, talker: Any, length: int) -> TalkerModel:
        """Of transformers' talker, on its device and in its dtype, for rows of `length` positions.
        The experts' weights are used where they are; of the rest there are copies."""
        model, tokens = talker.model, Tokens.of(talker.config)
        dtype = model.norm.weight.dtype
        codes = int(talker.config.text_config.vocab_size)
        banned = torch.arange(codes, device=model.norm.weight.device) >= codes - SPECIAL
        banned[tokens.end] = False
        return cls(
            layers=tuple(Layer.of(layer, Experts.of(layer.mlp)) for layer in model.layers),
            norm=Norm.of(model.norm),
            rotary=Rotary.of(model.rotary_emb, length, dtype),
            table=model.codec_embedding.weight.detach(),
            head=talker.codec_head.weight.detach(),
            text=Projection.of(talker.text_projection),
            hidden=Projection.of(talker.hidden_projection),
            predictor=Predictor.of(talker.code_predictor),
            tokens=tokens,
            banned=banned,
        )

    @property
    def device(self) -> torch.device:
        return self.head.device

    @property
    def dtype(self) -> torch.dtype:
        return self.head.dtype

    def shape(self, rows: int) -> Shape:
        attention = self.layers[0].attention
        return Shape(
            rows=rows,
            length=len(self.rotary.cos),
            layers=len(self.layers),
            kv_heads=attention.kv_heads,
            head=attention.size,
            hidden=self.table.shape[1],
            codes=self.head.shape[0],
            codebooks=self.predictor.codebooks,
        )

    def embed(self, frames: Tensor) -> Tensor:
        """Sum of the embeddings of each frame's codes: of [..., codebooks], [..., hidden]."""
        first = functional.embedding(frames[..., 0], self.table)
        return first + self.predictor.embed(frames[..., 1:])

    def prefill(self, rows: Rows, places: Tensor, prompts: Sequence[Tensor]) -> None:
        """Computes what comes before the next frame of some rows, and draws its first code.

        places: int64 [b], the rows. prompts: [positions, hidden] each. Shorter ones are padded
        behind their end, where nothing looks.
        """
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=self.device)
        x = torch.nn.utils.rnn.pad_sequence(list(prompts), batch_first=True)
        width = x.shape[1]
        cos, sin = self.rotary.between(0, width)
        for layer, keys, values in zip(self.layers, rows.keys, rows.values, strict=True):
            query, key, value = layer.attention.project(
                layer.before(x), (cos[:, None], sin[:, None])
            )
            keys[places, :, :width] = key.transpose(1, 2)
            values[places, :, :width] = value.transpose(1, 2)
            x = layer.finish(x, layer.attention.attend_causal(query, key, value))
        last = x[torch.arange(len(places), device=self.device), lengths - 1]
        hidden = self.norm(last)
        first = self._first(rows, hidden, places, rows.seen[places], rows.frame[places])
        rows.hidden[places], rows.first[places] = hidden, first
        rows.position[places] = lengths
        rows.over[places] = first == self.tokens.end
        rows.seen[places, first] = True

    def step(self, rows: Rows, count: int, length: int, pad: Tensor) -> None:
        """A frame for each active row of the first `count`, whose caches reach up to `length`.

        pad: what takes the place of text after its end, [hidden]. The rows' codes are in
        `rows.codes` where `rows.made`; what comes after it is drawn already.
        """
        places = torch.arange(count, device=self.device)
        going = rows.active[:count] & ~rows.over[:count]
        codes, total = self._frame(rows, count)
        rows.codes[:count] = codes
        rows.made[:count] = going
        x = total + self._texts(rows, places, pad)
        hidden = self._decode(rows, places, x, length)
        after = rows.frame[:count] + 1
        first = self._first(rows, hidden, places, rows.seen[:count], after)
        rows.seen[places, first] |= going
        rows.hidden[:count] = torch.where(going[:, None], hidden, rows.hidden[:count])
        rows.first[:count] = torch.where(going, first, rows.first[:count])
        rows.over[:count] |= going & (first == self.tokens.end)
        rows.position[:count] += going
        rows.frame[:count] += going

    def _frame(self, rows: Rows, count: int) -> tuple[Tensor, Tensor]:
        """The frame's codes [count, codebooks] and the sum of their embeddings [count, hidden]."""
        chances = uniform(rows.seeds[:count], rows.frame[:count], self.predictor.codebooks)
        rule = rows.residual.first(count).rule(self.predictor.heads[0].shape[0])
        first = rows.first[:count]
        rest, embedded = self.predictor(
            rows.hidden[:count],
            functional.embedding(first, self.table),
            lambda logits, book: draw(logits, rule, chances[:, book]),
        )
        return torch.cat((first[:, None], rest), dim=1), embedded.sum(dim=1)

    def _texts(self, rows: Rows, places: Tensor, pad: Tensor) -> Tensor:
        frame = rows.frame[: len(places)]
        at = frame.clamp(max=rows.shape.length - 1)
        left = frame < rows.texts[: len(places)]
        return torch.where(left[:, None], rows.text[places, at], pad)

    def _decode(self, rows: Rows, places: Tensor, x: Tensor, length: int) -> Tensor:
        """One position of each row, x [count, hidden], normed."""
        count, position = len(places), rows.position[: len(places)]
        at = position.clamp(max=length - 1)
        cos, sin = self.rotary.at(at)
        turn = (cos[:, None], sin[:, None])
        beyond = torch.arange(length, device=self.device) > position[:, None]
        mask = torch.zeros_like(beyond, dtype=x.dtype).masked_fill(beyond, -torch.inf)
        mask = mask[:, None, None]
        for layer, keys, values in zip(self.layers, rows.keys, rows.values, strict=True):
            query, key, value = layer.attention.project(layer.before(x), turn)
            keys[places, :, at], values[places, :, at] = key, value
            own_keys, own_values = keys[:count, :, :length], values[:count, :, :length]
            attended = layer.attention.attend(query, own_keys, own_values, mask)
            x = layer.finish(x, attended)
        return self.norm(x)

    def _first(
        self, rows: Rows, hidden: Tensor, places: Tensor, seen: Tensor, frame: Tensor
    ) -> Tensor:
        """The first code of `frame`, [n], for rows at `places`."""
        logits = linear(hidden, self.head).float()
        logits = penalised(logits, seen, rows.penalty[places])
        chances = uniform(rows.seeds[places], frame, 1)[:, 0]
        rule = rows.code.at(places).rule(len(self.head))
        return draw(logits.masked_fill(self.banned, -torch.inf), rule, chances)
