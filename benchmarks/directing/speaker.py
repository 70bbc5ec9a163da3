"""Whose voice it is, as a vector: the GE2E encoder (Wan et al. 2018) whose weights are in the
package Resemblyzer.

Only its weights are read: the package itself imports a build of webrtcvad that no longer installs
everywhere, for trimming that isn't wanted here.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import librosa
import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.quality.recognisers import RATE

MELS: Final = 40
SIZE: Final = 256
LAYERS: Final = 3
PARTIAL: Final = 160
"""Frames of 10 ms that the encoder was trained on."""
STEP: Final = 40
LEVEL: Final = 10 ** (-30 / 20)
"""Root mean square that sound is brought to: the encoder takes no logarithm."""


class NotInstalled(Exception):
    """The weights are not there; the message says how to get them."""


class Encoder:
    """Raises NotInstalled."""

    def __init__(self, threads: int = 1) -> None:
        torch.set_num_threads(threads)
        state = torch.load(_weights(), map_location="cpu", weights_only=True)["model_state"]
        self._lstm = torch.nn.LSTM(MELS, SIZE, LAYERS, batch_first=True)
        self._linear = torch.nn.Linear(SIZE, SIZE)
        self._lstm.load_state_dict(_part(state, "lstm."))
        self._linear.load_state_dict(_part(state, "linear."))

    def embedding(self, wave: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 [256] of length 1, of a wave at 16 kHz: the mean over pieces of 1.6 s."""
        level = float(np.sqrt(np.mean(np.square(wave))))
        mels = librosa.feature.melspectrogram(
            y=wave * LEVEL / max(level, 1e-9), sr=RATE, n_fft=400, hop_length=160, n_mels=MELS
        ).T.astype(np.float32)
        mels = np.pad(mels, ((0, max(0, PARTIAL - len(mels))), (0, 0)))
        starts = sorted({*range(0, len(mels) - PARTIAL, STEP), len(mels) - PARTIAL})
        with torch.inference_mode():
            pieces = torch.from_numpy(np.stack([mels[at : at + PARTIAL] for at in starts]))
            _, (hidden, _) = self._lstm(pieces)
            each = torch.relu(self._linear(hidden[-1]))
            mean = torch.nn.functional.normalize(each, dim=1).mean(0)
        made: NDArray[np.float32] = (mean / mean.norm()).numpy()
        return made


def _weights() -> Path:
    try:
        package = distribution("Resemblyzer")
    except PackageNotFoundError:
        how = "pip install --no-deps Resemblyzer==0.1.4"
        raise NotInstalled(f"the speaker encoder's weights are missing: {how}") from None
    return Path(str(package.locate_file("resemblyzer/pretrained.pt")))


def _part(state: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {key.removeprefix(prefix): v for key, v in state.items() if key.startswith(prefix)}
