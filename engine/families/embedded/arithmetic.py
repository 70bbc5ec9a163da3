"""In which arithmetic a processor computes the decoder: decided once, by what the processor has.

Measured on AVX2 (Zen 3) and on AVX-512 with bf16 and VNNI (Zen 4); the other rows follow from what
OpenVINO's source and issues say of such processors, and were not run.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

Precision: TypeAlias = Literal["int8", "bf16", "f32"]
Hint: TypeAlias = Literal["bf16", "f16", "f32"]

_X86: Final = frozenset({"x86_64", "amd64", "i686", "i386"})
_ARM: Final = frozenset({"aarch64", "arm64"})


@dataclass(frozen=True, slots=True)
class Processor:
    """machine: as `platform.machine` names it. flags: as Linux lists them in /proc/cpuinfo; empty
    where the system doesn't tell. name: to be shown, and to keep what was measured on it apart."""

    machine: str
    flags: frozenset[str]
    name: str = ""

    @staticmethod
    def here() -> Processor:
        text = _cpuinfo()
        found = {
            key.strip(): value.strip()
            for key, _, value in (line.partition(":") for line in text.splitlines())
        }
        flags = found.get("flags") or found.get("Features") or ""
        machine = platform.machine().lower()
        name = found.get("model name") or platform.processor() or machine
        return Processor(machine, frozenset(flags.split()), name)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """precision: of weights and convolutions. hint: of what is float. why: in words."""

    precision: Precision
    hint: Hint
    why: str

    def __str__(self) -> str:
        return f"{self.precision} with {self.hint} around it: {self.why}"


def choose(processor: Processor, asked: Precision | None = None) -> Arithmetic:
    """asked: the precision that the config names; None for what suits the processor."""
    suited = _suited(processor)
    if asked is None or (asked == suited.precision and asked != "f32"):
        return suited
    # Asked to be exact, floats stay floats. Nor is bf16 hinted to who would emulate it or refuse
    # it; and whole numbers with f16 around them were never heard.
    hint: Hint = "bf16" if asked != "f32" and suited.hint == "bf16" else "f32"
    return Arithmetic(asked, hint, "asked for by embedded.precision")


def _suited(processor: Processor) -> Arithmetic:
    """What is fastest there and sounds right.

    An explicit hint of bf16 is ignored on AVX2, emulated slowly where AVX-512 has no bf16, and
    refused on ARM, where int8 is computed in floats at best and wrongly on some.
    """
    has = processor.flags
    if processor.machine in _ARM:
        if "asimdhp" in has or sys.platform == "darwin":
            return Arithmetic("f32", "f16", "ARM with half-precision arithmetic")
        return Arithmetic("f32", "f32", "ARM without half-precision arithmetic")
    if processor.machine not in _X86:
        return Arithmetic("f32", "f32", f"nothing is known of {processor.machine}")
    if {"avx512_bf16", "avx512f"} <= has or "amx_bf16" in has:
        return Arithmetic("int8", "bf16", "AVX-512 with bf16")
    if "avx512f" in has:
        return Arithmetic("int8", "f32", "AVX-512 without bf16, which would be emulated")
    if "avx2" in has or not has:
        return Arithmetic("int8", "f32", "AVX2" if has else "x86 whose flags the system hides")
    return Arithmetic("f32", "f32", "x86 without AVX2")


def _cpuinfo() -> str:
    """The first processor's part of /proc/cpuinfo; nothing where there is none."""
    try:
        return Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    except OSError:
        return ""
