"""Sound to test with: like speech in its spectrum and its pauses, and the same every time."""

from __future__ import annotations

import functools

import numpy as np

from engine.types import Int16

RATE = 24_000


@functools.cache
def speech(seconds: float) -> Int16:
    """Harmonics of a gliding voice with breath, syllables and a pause; peak at half scale."""
    rng = np.random.default_rng(7)
    t = np.arange(int(seconds * RATE)) / RATE
    phase = np.cumsum(130 + 35 * np.sin(2 * np.pi * 0.7 * t)) / RATE
    voiced = sum(np.sin(2 * np.pi * k * phase + k) / k for k in range(1, 25))
    syllables = np.clip(0.5 + np.sin(2 * np.pi * 3.1 * t), 0, None)
    sound = voiced * syllables + 0.02 * rng.standard_normal(len(t))
    return (sound / np.abs(sound).max() * 0.5 * 32_767).astype(np.int16)


def snr_db(source: Int16, decoded: Int16) -> float:
    error = decoded.astype(float) - source
    return float(10 * np.log10(np.mean(source.astype(float) ** 2) / np.mean(error**2)))


def lag(source: Int16, decoded: Int16, most: int = 70) -> int:
    """By how many samples `decoded` lies behind `source`, by the peak of their correlation."""
    middle = source[most:-most].astype(float)
    scores = [
        float(np.dot(middle, decoded[most + at : len(decoded) - most + at].astype(float)))
        for at in range(-most, most)
    ]
    return int(np.argmax(scores)) - most
