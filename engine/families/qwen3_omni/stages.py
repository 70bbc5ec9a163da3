"""Makes the runners of the three stages, each from the tensors that it needs and no others."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor
from transformers import AutoTokenizer, WhisperFeatureExtractor
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import (
    Qwen3OmniMoeTalkerForConditionalGeneration,
    Qwen3OmniMoeThinkerForConditionalGeneration,
)

from engine.errors import ModelDamaged, ModelMissing
from engine.families.qwen3_omni import memory
from engine.families.qwen3_omni.cache import Shape
from engine.families.qwen3_omni.checkpoint import Checkpoint
from engine.families.qwen3_omni.code2wav import Code2Wav
from engine.families.qwen3_omni.code2wav_streams import Streams, sizes_of
from engine.families.qwen3_omni.code2wav_weights import Code2WavShape, Code2WavWeights
from engine.families.qwen3_omni.config import Qwen3OmniConfig
from engine.families.qwen3_omni.decoding import Capturing, rows_at_once
from engine.families.qwen3_omni.frames import CODEBOOKS, FRAME
from engine.families.qwen3_omni.reader import Place, Reader
from engine.families.qwen3_omni.sampling import Sampling
from engine.families.qwen3_omni.talker import Talker
from engine.families.qwen3_omni.talker_model import TalkerModel
from engine.families.qwen3_omni.thinker import Thinker
from engine.families.qwen3_omni.thinker_ears import Ears
from engine.families.qwen3_omni.thinker_reading import PromptIds, Reading
from engine.graph import Worker

_LOADING: Final = threading.Lock()
"""One stage loads at a time, so that what is free is what the others have left."""
_TABLE: Final = "thinker.model.embed_tokens.weight"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """An opened checkpoint and its config."""

    checkpoint: Checkpoint
    config: Any

    @classmethod
    def open(cls, config: Qwen3OmniConfig) -> Model:
        """Raises ModelMissing, ModelDamaged; the latter too for a model that these stages are not
        made for."""
        checkpoint = Checkpoint.open(config.model)
        model = cls(checkpoint, checkpoint.config())
        shape = model.code2wav
        samples = torch.Size((*shape.upsample, *shape.rates)).numel()
        if (shape.codebooks, samples) != (CODEBOOKS, FRAME):
            told = f"{shape.codebooks} codebooks, {samples} samples a frame"
            raise ModelDamaged(f"code2wav_config: {told}, expected {CODEBOOKS} and {FRAME}")
        if not model.speakers:
            raise ModelDamaged("talker_config.speaker_id: no speaker")
        return model

    @property
    def speakers(self) -> tuple[str, ...]:
        return tuple(sorted(name.lower() for name in self.config.talker_config.speaker_id or ()))

    @property
    def code2wav(self) -> Code2WavShape:
        return Code2WavShape.of(self.config.code2wav_config)


def thinker(config: Qwen3OmniConfig, worker: Worker) -> Thinker:
    """Raises ModelMissing, ModelDamaged, MemoryShort, as the other two do."""
    place = _begin(config, worker)
    with _LOADING:
        model = Model.open(config)
        try:
            # With a config it need not read the checkpoint's, and warn: see `without_axes`.
            tokenizer = AutoTokenizer.from_pretrained(model.checkpoint.folder, config=model.config)
        except (OSError, ValueError) as error:
            raise ModelMissing(f"{model.checkpoint.folder}: no tokenizer: {error}") from error
        ids = PromptIds.of(model.config)
        if config.hears:
            ears, table = _ears(model, place)
            reading = Reading(tokenizer, table, ids, ears)
        else:
            reading = Reading(tokenizer, _table(model, place), ids)
    return Thinker(reading, _sampling(config), plain=config.plain)


def talker(config: Qwen3OmniConfig, worker: Worker) -> Talker:
    place = _begin(config, worker)
    with _LOADING:
        model = Model.open(config)
        own = model.config.talker_config
        states = _talker_shape(own, config).bytes(place.dtype)
        weights = model.checkpoint.bytes_of("talker.", place.dtype)
        memory.check(memory.Need("talker", weights, states), place)
        with Reader(model.checkpoint, place) as reader:
            module = reader.module(
                lambda: Qwen3OmniMoeTalkerForConditionalGeneration(own), "talker."
            )
        made = TalkerModel.of(module, config.positions)
        del module  # of what was copied, the originals
        return Talker(made, config.slots, steady=config.steady, graphs=config.graphs)


def code2wav(config: Qwen3OmniConfig, worker: Worker) -> Code2Wav:
    place = _begin(config, worker)
    with _LOADING:
        model = Model.open(config)
        shape = model.code2wav
        states = memory.code2wav_states(sizes_of(shape), config.slots, place.dtype)
        weights = model.checkpoint.bytes_of("code2wav.", place.dtype)
        work = memory.code2wav_work(shape, rows_at_once(place.device, config.slots), place.dtype)
        memory.check(memory.Need("code2wav", weights, states, work), place)
        with Reader(model.checkpoint, place) as reader, torch.inference_mode():
            made = Code2WavWeights.read(
                shape, lambda name, size: reader.read(f"code2wav.{name}", size)
            )
        return Code2Wav(
            Streams(made, config.slots), Capturing(graphs=config.graphs, steady=config.steady)
        )


def _begin(config: Qwen3OmniConfig, worker: Worker) -> Place:
    """Where and in what this stage computes; sets how many threads it may use."""
    torch.set_num_threads(worker.threads)
    dtype = torch.float32 if config.dtype == "float32" else torch.bfloat16
    return Place(torch.device(worker.device), dtype, worker.memory)


def _sampling(config: Qwen3OmniConfig) -> Sampling:
    return Sampling(
        temperature=config.temperature,
        top_k=config.top_k,
        top_p=config.top_p,
        penalty=config.penalty,
    )


def _table(model: Model, place: Place) -> Tensor:
    text = model.config.thinker_config.text_config
    weights = model.checkpoint.bytes_of(_TABLE, place.dtype)
    memory.check(memory.Need("thinker", weights, 0), place)
    with Reader(model.checkpoint, place) as reader:
        return reader.read(_TABLE, (text.vocab_size, text.hidden_size))


def _ears(model: Model, place: Place) -> tuple[Ears, Tensor]:
    """The whole thinker, and its embeddings."""
    own, folder = model.config.thinker_config, model.checkpoint.folder
    weights = model.checkpoint.bytes_of("thinker.", place.dtype)
    memory.check(memory.Need("thinker", weights, 0), place)
    try:
        extractor = WhisperFeatureExtractor.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise ModelMissing(f"{folder}: no feature extractor: {error}") from error
    with Reader(model.checkpoint, place) as reader:
        module: Any = reader.module(
            lambda: Qwen3OmniMoeThinkerForConditionalGeneration(own), "thinker."
        )
    table: Tensor = module.get_input_embeddings().weight.detach()
    return Ears(module, extractor, model.config.talker_config.accept_hidden_layer), table


def _talker_shape(own: Any, config: Qwen3OmniConfig) -> Shape:
    text = own.text_config
    return Shape(
        rows=config.slots,
        length=config.positions,
        layers=text.num_hidden_layers,
        kv_heads=text.num_key_value_heads,
        head=getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads,
        hidden=text.hidden_size,
        codes=text.vocab_size,
        codebooks=own.code_predictor_config.num_code_groups,
    )
