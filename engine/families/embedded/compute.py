"""Compiled graphs, one compute thread each unless told otherwise, and without spinning threads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime as ort
import openvino as ov
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Float: TypeAlias = NDArray[np.float32]
Feeds: TypeAlias = Mapping[str, Array]


class OrtGraph:
    """A graph in ONNX Runtime: fastest for the recurrent front and right for the source."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = tuple(i.name for i in self._session.get_inputs())
        self.outputs = tuple(o.name for o in self._session.get_outputs())

    def __call__(self, feeds: Feeds) -> dict[str, Array]:
        """All outputs by name; `feeds` may hold more than the graph takes."""
        values = self._session.run(None, {name: feeds[name] for name in self.inputs})
        return dict(zip(self.outputs, values, strict=True))


class OpenVinoGraph:
    """A graph in OpenVINO, for the convolutions. Its one output is copied, so it may be kept."""

    def __init__(self, path: Path, precision: str, threads: int = 1) -> None:
        core = ov.Core()
        hint = {"int8": "bf16"}.get(precision, precision)
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": hint,
            "ENABLE_CPU_PINNING": False,
        }
        self._compiled = core.compile_model(core.read_model(str(path)), "CPU", settings)
        self._request = self._compiled.create_infer_request()

    def __call__(self, feeds: Feeds) -> NDArray[np.float32]:
        result = self._request.infer(dict(feeds))[self._compiled.outputs[0]]
        return np.array(result, dtype=np.float32)
