"""Compiled graphs, on as many compute threads as they are told, and without spinning threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import onnxruntime as ort
import openvino as ov
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Float: TypeAlias = NDArray[np.float32]
Feeds: TypeAlias = Mapping[str, Array]
#: The inputs' shapes for a length.
Shapes: TypeAlias = Callable[[int], Mapping[str, Sequence[int]]]


class OrtGraph:
    """A graph in ONNX Runtime: fastest for the recurrent front and right for the source."""

    def __init__(self, path: Path, threads: int = 1, *, lean: bool = False) -> None:
        """lean: gives memory back after each call, and keeps weights once; for what is called
        seldom."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if lean:
            options.enable_cpu_mem_arena = False
            options.add_session_config_entry("session.disable_prepacking", "1")
        self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = tuple(i.name for i in self._session.get_inputs())
        self.outputs = tuple(o.name for o in self._session.get_outputs())

    def __call__(self, feeds: Feeds) -> dict[str, Array]:
        """All outputs by name; `feeds` may hold more than the graph takes."""
        values = self._session.run(None, {name: feeds[name] for name in self.inputs})
        return dict(zip(self.outputs, values, strict=True))


class _Compiled:
    """A compiled graph, of which every copy of a stage in this process makes use."""

    def __init__(self, model: ov.CompiledModel) -> None:
        self.model = model


_COMPILED: WeakValueDictionary[object, _Compiled] = WeakValueDictionary()
"""Kept while somebody uses them: weights are in memory once, however many copies use them."""
_COMPILING = threading.Lock()


class OpenVino:
    """Compiles graphs for the convolutions. hint: arithmetic of what is float. threads: of one
    call. copies: calls at once, each on threads of its own. cache: folder in which compiled graphs
    are kept, None for none."""

    def __init__(
        self, hint: str, threads: int = 1, copies: int = 1, cache: Path | None = None
    ) -> None:
        self._core = ov.Core()
        if cache is not None:
            self._core.set_property({"CACHE_DIR": str(cache)})
        self._settings = {
            "INFERENCE_NUM_THREADS": threads * copies,
            "NUM_STREAMS": copies,
            "INFERENCE_PRECISION_HINT": hint,
            "ENABLE_CPU_PINNING": False,
        }

    def graph(self, path: Path, shapes: Mapping[str, Sequence[int]] | None = None) -> OpenVinoGraph:
        """shapes: of every input, for a graph that is to be quick at these and takes no others."""
        told = shapes and tuple((name, tuple(shape)) for name, shape in shapes.items())
        key = (path, told, tuple(self._settings.items()))
        with _COMPILING:
            compiled = _COMPILED.get(key)
            if compiled is None:
                compiled = _COMPILED[key] = _Compiled(self._compile(path, shapes))
        return OpenVinoGraph(compiled)

    def _compile(self, path: Path, shapes: Mapping[str, Sequence[int]] | None) -> ov.CompiledModel:
        model = self._core.read_model(str(path))
        if shapes is not None:
            model.reshape({name: list(shape) for name, shape in shapes.items()})
        return self._core.compile_model(model, "CPU", self._settings)


class OpenVinoGraph:
    """A compiled graph, for one call at a time. Its one output is copied, so it may be kept."""

    def __init__(self, compiled: _Compiled) -> None:
        self._compiled = compiled
        self._output = compiled.model.outputs[0]
        self._request = compiled.model.create_infer_request()

    def __call__(self, feeds: Feeds) -> Float:
        result = self._request.infer(dict(feeds))[self._output]
        return np.array(result, dtype=np.float32)


class Shaped:
    """A graph compiled for each of a few lengths, since a shape that is known is computed a fifth
    faster than one that may change, and all lengths to the same samples bit for bit.

    Each is compiled when it is first met, or all of `lengths` by `compile`; of others than those
    the last is kept.
    """

    def __init__(
        self, openvino: OpenVino, path: Path, shapes: Shapes, lengths: Sequence[int]
    ) -> None:
        self._openvino, self._path, self._shapes = openvino, path, shapes
        self._usual = tuple(lengths)
        self._graphs: dict[int, OpenVinoGraph] = {}
        self._odd: int | None = None

    def compile(self) -> None:
        for length in self._usual:
            self._graph(length)

    def __call__(self, length: int, feeds: Feeds) -> Float:
        return self._graph(length)(feeds)

    def _graph(self, length: int) -> OpenVinoGraph:
        if length not in self._graphs:
            self._graphs[length] = self._openvino.graph(self._path, self._shapes(length))
            if length not in self._usual:
                if self._odd is not None:
                    del self._graphs[self._odd]
                self._odd = length
        return self._graphs[length]
