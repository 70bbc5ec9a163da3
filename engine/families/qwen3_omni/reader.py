"""Tensors of a checkpoint, read one by one as a stage wants them, and modules made of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from engine.errors import ModelDamaged
from engine.families.qwen3_omni.checkpoint import Checkpoint

M = TypeVar("M", bound=nn.Module)

_HALVES: Final = ("gate_proj", "up_proj")
_MAKING: Final = threading.Lock()
"""transformers sets torch's default dtype while it makes a module, for all threads."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stage computes, and in what. share: of the device's memory, that it may use."""

    device: torch.device
    dtype: torch.dtype
    share: float | None = None


class Reader:
    """Reads tensors to a place; a context manager, as it keeps files open meanwhile."""

    def __init__(self, checkpoint: Checkpoint, place: Place) -> None:
        self._checkpoint = checkpoint
        self._place = place
        self._files: dict[Path, Any] = {}
        self._open = ExitStack()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.clear()
        self._open.close()

    def read(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """One tensor under its own name. Raises ModelDamaged, naming it, if it is missing, of
        another shape or of no floating-point dtype."""
        # A copy: what is only mapped would be read from the disk when it is first used, and again
        # whenever memory was short, in the middle of a take.
        value = self._mapped(name, shape)
        return value.to(self._place.device, self._place.dtype, copy=True)

    def _mapped(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """As it is in its file."""
        header = self._checkpoint.tensors.get(name)
        if header is None:
            raise ModelDamaged(f"{name}: missing from {self._checkpoint.folder}")
        if header.shape != shape:
            raise ModelDamaged(f"{name}: shape {list(header.shape)}, expected {list(shape)}")
        try:
            value: Tensor = self._file(header.file).get_tensor(name)
        except (SafetensorError, OSError) as error:
            raise ModelDamaged(f"{name}: {header.file.name} can't be read: {error}") from error
        if not value.is_floating_point():
            raise ModelDamaged(f"{name}: dtype {header.dtype}, expected a floating-point one")
        return value

    def module(self, make: Callable[[], M], prefix: str) -> M:
        """Transformers' module with its weights: those whose names begin with `prefix`.

        make: makes the module; its parameters take no memory until they are read, one by one.
        Raises ModelDamaged, naming the tensor.
        """
        with _MAKING, _Unallocated():
            module = make()
        state = {
            name: self._wanted(prefix + name, tuple(value.shape))
            for name, value in module.state_dict().items()
        }
        module.load_state_dict(state, assign=True)
        for name, buffer in module.named_buffers():
            assert not buffer.is_meta, f"{prefix}{name} is neither in the weights nor computed"
        return module.to(self._place.device).eval()

    def _wanted(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """Newer modules keep experts in one tensor, where published files have one for each."""
        stem, _, last = name.rpartition(".")
        if name in self._checkpoint.tensors or not stem.endswith(".experts"):
            return self.read(self._spelt(name), shape)
        halves = _HALVES if last == "gate_up_proj" else (last,)
        rows = shape[1] // len(halves)
        whole = torch.empty(shape, dtype=self._place.dtype, device=self._place.device)
        for expert, value in enumerate(whole):
            for half, part in zip(value.split(rows), halves, strict=True):
                published = self._spelt(f"{stem}.{expert}.{part}.weight")
                half.copy_(self._mapped(published, tuple(half.shape)))
        return whole

    def _spelt(self, name: str) -> str:
        """The name as this checkpoint has it: modules moved from one transformers to the next."""
        published = _published(name)
        spellings = (name, published, *_moved(published))
        return next((one for one in spellings if one in self._checkpoint.tensors), published)

    def _file(self, file: Path) -> Any:
        if file not in self._files:
            self._files[file] = self._open.enter_context(safe_open(file, "pt", device="cpu"))
        return self._files[file]


def _published(name: str) -> str:
    """What published checkpoints call it."""
    name = re.sub(r"^thinker\.model\.(audio_tower|visual)\.", r"thinker.\1.", name)
    return name.replace("thinker.model.language_model.", "thinker.model.", 1)


def _moved(published: str) -> Iterator[str]:
    """What newer modules call it."""
    yield re.sub(r"^thinker\.(audio_tower|visual)\.", r"thinker.model.\1.", published)
    yield published.replace("thinker.model.", "thinker.model.language_model.", 1)


class _Unallocated(TorchFunctionMode):
    """Parameters are made without memory; tables that are computed stay as they are."""

    _FACTORIES: Final = frozenset(
        (torch.empty, torch.zeros, torch.ones, torch.full, torch.randn, torch.rand)
    )

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = dict(kwargs or {})
        if func in self._FACTORIES:
            named["device"] = "meta"
        return func(*args, **named)
