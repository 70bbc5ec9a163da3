"""Talker: from the thinker's states to frames of codes, all requests in one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, assert_never

import numpy as np
import torch
from torch import Tensor

from engine.errors import UnknownVoice
from engine.families.qwen3_omni.cache import Pool, Rows
from engine.families.qwen3_omni.frames import CodeFrames, Codes, KeptFrames, WordFrames
from engine.families.qwen3_omni.graphs import capturing
from engine.families.qwen3_omni.prompt import Opening, TalkerInput, Text, Unchanged
from engine.families.qwen3_omni.talker_model import TalkerModel
from engine.families.qwen3_omni.talker_state import LATER, Flight, TalkerState
from engine.families.qwen3_omni.talker_steps import Steps
from engine.families.qwen3_omni.talker_words import shared_out
from engine.types import Notice, Utterance

Item: TypeAlias = CodeFrames | KeptFrames | Notice


class Talker:
    """AutoregressiveRunner[TalkerState, Flight, TalkerInput, CodeFrames | KeptFrames].

    rows: requests at once. joins: how many may be prefilled in one call; 1 where it is `steady`,
    for which see Steps. graphs: whether steps are captured, where they can be.
    """

    def __init__(
        self,
        model: TalkerModel,
        rows: int,
        joins: int | None = None,
        *,
        steady: bool = False,
        graphs: bool = True,
    ) -> None:
        self._model = model
        self._on_gpu = model.device.type == "cuda"
        many = self._on_gpu and not steady
        self._joins = joins if joins is not None else (8 if many else 1)
        self._rows = Rows.empty(model.shape(rows), model.dtype, model.device)
        self._pool = Pool(rows)
        self._seated: dict[int, TalkerState] = {}
        with torch.inference_mode():
            capture = capturing(model.device) if graphs else None
            self._steps = Steps(model, self._rows, capture, steady=steady)

    def open(self, utterance: Utterance) -> TalkerState:
        return TalkerState(utterance)

    def push(self, state: TalkerState, item: TalkerInput) -> None:
        """Raises UnknownVoice for a speaker that the model lacks."""
        match item:
            case Opening():
                if item.speaker not in self._model.tokens.speakers:
                    raise UnknownVoice(f"no speaker {item.speaker!r}")
                state.opening = item
                self._feed(state, item.text.embeds[1:])
                state.text = item.text.text
                if item.kept is not None:
                    self._end_text(state, item)
            case Text():
                self._feed(state, item.embeds)
                state.text += item.text
            case Unchanged():
                state.opening = item
            case _:
                assert_never(item)

    def end(self, state: TalkerState) -> None:
        match state.opening:
            case Opening():
                self._end_text(state, state.opening)
            case Unchanged():
                pass
            case None:
                state.finished = True
            case _:
                assert_never(state.opening)

    def ready(self, state: TalkerState) -> bool:
        match state.opening:
            case None:
                return False
            case Unchanged():
                return state.launched == 0
            case Opening() if state.row is None:
                return True
            case Opening():
                frame = state.kept + state.launched
                return self._room(state) > 0 and (state.ended or frame < state.texts)
            case _:
                assert_never(state.opening)

    def done(self, state: TalkerState) -> bool:
        return state.finished

    def free(self) -> int:
        return min(self._pool.free(), self._joins)

    def looks_ahead(self) -> bool:
        return self._on_gpu

    @torch.inference_mode()
    def admit(self, states: Sequence[TalkerState]) -> None:
        """Raises ValueError for a prompt that leaves no room for a frame."""
        speaking = [(s, s.opening) for s in states if isinstance(s.opening, Opening)]
        prompts = [self._prompt(state, opening) for state, opening in speaking]
        for prompt in prompts:
            if len(prompt) >= self._rows.shape.length:
                raise ValueError(f"a prompt of {len(prompt)} positions leaves no room for speech")
        for (state, opening), prompt in zip(speaking, prompts, strict=True):
            self._seat(state, opening, len(prompt))
        if prompts:
            places = torch.tensor([s.row for s, _ in speaking], device=self._model.device)
            self._model.prefill(self._rows, places, prompts)

    @torch.inference_mode()
    def launch(self, states: Sequence[TalkerState]) -> Flight:
        self._close_up()
        rows = tuple(state.row for state in states)
        going = [row for row in rows if row is not None]
        if going:
            positions = [s.prompt + s.launched for s in self._seated.values()]
            self._steps.run(going, self._pool.reach(), max(positions) + 1)
        for state in states:
            state.launched += 1
        codes, made, over, wait = self._steps.result()
        return Flight(tuple(states), rows, codes, made, over, wait)

    def collect(self, step: Flight) -> list[list[Item]]:
        step.wait()
        codes, made, over = step.codes.numpy(), step.made.tolist(), step.over.tolist()
        return [
            self._unchanged(state)
            if row is None
            else list(self._collected(state, codes[row].copy() if made[row] else None, over[row]))
            for state, row in zip(step.states, step.rows, strict=True)
        ]

    def close(self, state: TalkerState) -> None:
        state.closed = True
        state.fed.clear()
        state.frames.clear()
        if state.row is not None:
            self._pool.give(state.row)
            del self._seated[state.row]
            state.row = None

    @torch.inference_mode()
    def _feed(self, state: TalkerState, embeds: Tensor) -> None:
        """Text for the frames to come; what is past the last frame that there can be is left."""
        room = self._rows.shape.length - state.texts
        projected = self._model.text(embeds[:room].to(self._model.device))
        if state.row is None:
            state.fed.append(projected)
        else:
            self._rows.text[state.row, state.texts : state.texts + len(projected)] = projected
        state.texts += len(projected)

    def _end_text(self, state: TalkerState, opening: Opening) -> None:
        """The mark that ends speech follows the text; once."""
        if not state.ended:
            state.ended = True
            self._feed(state, opening.marks[1:2])
            self._tell_texts(state)

    @torch.inference_mode()
    def _tell_texts(self, state: TalkerState) -> None:
        if state.row is not None and state.ended:
            self._rows.texts[state.row] = state.texts

    def _prompt(self, state: TalkerState, opening: Opening) -> Tensor:
        """[positions, hidden]: the turns, the speaker, the first text, and the frames kept."""
        model = self._model
        turns, heard = opening.turns.to(model.device), opening.heard.to(model.device)
        projected = torch.where(heard[:, None], model.hidden(turns), model.text(turns))
        begin, _, pad = model.text(opening.marks.to(model.device))
        first = model.text(opening.text.embeds[:1].to(model.device))
        before, after = model.tokens.opening
        codec = (*before, model.tokens.speakers[opening.speaker], *after)
        said = torch.cat((pad.expand(4, -1), begin[None], first))
        spoken = said + model.table[torch.tensor(codec, device=model.device)]
        self._steps.pad.copy_(pad)
        return torch.cat((projected, spoken, *self._kept(state, opening, pad)))

    def _kept(self, state: TalkerState, opening: Opening, pad: Tensor) -> Iterator[Tensor]:
        """The frames that the take begins with, each with the text that it takes now."""
        if opening.kept is None:
            return
        codes = torch.from_numpy(opening.kept.codes).to(self._model.device)
        text = torch.cat(state.fed)[: len(codes)]
        padding = pad.expand(len(codes) - len(text), -1)
        yield self._model.embed(codes) + torch.cat((text, padding))

    def _seat(self, state: TalkerState, opening: Opening, prompt: int) -> None:
        state.row = self._pool.take()
        self._seated[state.row] = state
        state.prompt = prompt
        state.kept = 0 if opening.kept is None else len(opening.kept.codes)
        self._rows.begin(state.row, opening.sampling, opening.seed, state.kept)
        if opening.kept is not None:
            used = torch.from_numpy(opening.kept.codes[:, 0]).to(self._model.device)
            self._rows.seen[state.row, used] = True
        text = torch.cat(state.fed)
        self._rows.text[state.row, : len(text)] = text
        state.fed.clear()
        self._tell_texts(state)

    def _room(self, state: TalkerState) -> int:
        """Frames that can still be launched."""
        return self._rows.shape.length - state.prompt - state.launched

    def _close_up(self) -> None:
        """Moves rows from the high end into free ones where that makes the step smaller."""
        while self._seated and self._steps.width(len(self._seated)) < self._steps.width(
            self._pool.reach()
        ):
            source, target = self._pool.reach() - 1, self._pool.take()
            state = self._seated.pop(source)
            self._rows.move(source, target, state.prompt + state.launched)
            self._pool.give(source)
            self._seated[target], state.row = state, target

    def _unchanged(self, state: TalkerState) -> list[Item]:
        state.finished = True
        return [state.opening.frames] if isinstance(state.opening, Unchanged) else []

    def _collected(self, state: TalkerState, codes: Codes | None, over: bool) -> Iterator[Item]:
        if state.closed or state.finished:
            return
        if isinstance(state.opening, Opening) and state.opening.kept and not state.told:
            yield state.opening.kept.frames
        state.told = True
        if codes is not None:
            state.frames.append(codes)
            state.made += 1
        full = state.made >= self._rows.shape.length - state.prompt
        if over or full:
            yield from self._last(state, cut=not over)
        elif len(state.frames) >= state.group:
            state.group = LATER
            yield self._group(state)

    def _last(self, state: TalkerState, cut: bool) -> Iterator[Item]:
        state.finished = True
        if cut:
            seen = f"the take was cut off after {state.kept + state.made} frames"
            yield Notice(state.utterance.request, state.utterance.epoch, "too_long", seen)
        if state.made:
            group = self._group(state)
            yield CodeFrames(group.codes, self._words(state))

    def _group(self, state: TalkerState) -> CodeFrames:
        """What was made since the last; none if the end came right after it."""
        none = np.empty((0, self._rows.shape.codebooks), np.int64)
        codes, state.frames = np.stack(state.frames) if state.frames else none, []
        return CodeFrames(codes)

    def _words(self, state: TalkerState) -> tuple[WordFrames, ...]:
        kept = state.opening.kept if isinstance(state.opening, Opening) else None
        frames = (state.kept, state.kept + state.made)
        if kept is None:
            return shared_out(state.text, frames)
        return shared_out(state.text, frames, kept.chars, len(kept.frames.words))
