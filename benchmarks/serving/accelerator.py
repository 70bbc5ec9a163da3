"""The GPU there is, if any."""

from __future__ import annotations

import torch


def first() -> str:
    """Its name to the config; cpu where there is none."""
    return "cuda:0" if torch.cuda.is_available() else "cpu"


def name(device: str) -> str:
    """As its maker calls it."""
    if device == "cpu":
        return "cpu"
    properties = torch.cuda.get_device_properties(device)
    return f"{properties.name}, {properties.total_memory / 2**30:.0f} GiB"
