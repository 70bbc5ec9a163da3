"""The arithmetic that each kind of processor gets, by the flags that Linux lists for it."""

import pytest

from engine.families.embedded import arithmetic
from engine.families.embedded.arithmetic import Processor, choose

AVX2 = "fpu sse sse2 ssse3 sse4_1 sse4_2 fma avx f16c avx2 bmi1 bmi2"
SKYLAKE_X = f"{AVX2} avx512f avx512dq avx512cd avx512bw avx512vl"
ICE_LAKE = f"{SKYLAKE_X} avx512ifma avx512vbmi avx512_vbmi2 avx512_vnni avx512_bitalg"
TIGER_LAKE = f"{ICE_LAKE} avx512_vpopcntdq avx512_vp2intersect"
COOPER_LAKE = f"{SKYLAKE_X} avx512_vnni avx512_bf16"
ZEN_4 = f"{ICE_LAKE} avx512_bf16 avx512_vpopcntdq"
SAPPHIRE_RAPIDS = f"{ZEN_4} avx_vnni avx512_fp16 amx_bf16 amx_tile amx_int8"
#: Alder Lake and its like have VNNI for AVX2 only.
ALDER_LAKE = f"{AVX2} avx_vnni"
ARM = "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid"
ARM_HALF = f"{ARM} atomics fphp asimdhp asimdrdm lrcpc dcpop asimddp"
ARM_BF16 = f"{ARM_HALF} sve i8mm bf16"

PROCESSORS = [
    pytest.param("x86_64", AVX2, "int8", "f32", id="Haswell, Zen 3"),
    pytest.param("x86_64", ALDER_LAKE, "int8", "f32", id="Alder Lake"),
    pytest.param("x86_64", SKYLAKE_X, "int8", "f32", id="Skylake-X"),
    pytest.param("x86_64", ICE_LAKE, "int8", "f32", id="Ice Lake"),
    pytest.param("x86_64", TIGER_LAKE, "int8", "f32", id="Tiger Lake"),
    pytest.param("x86_64", COOPER_LAKE, "int8", "bf16", id="Cooper Lake"),
    pytest.param("x86_64", ZEN_4, "int8", "bf16", id="Zen 4"),
    pytest.param("x86_64", SAPPHIRE_RAPIDS, "int8", "bf16", id="Sapphire Rapids"),
    pytest.param("amd64", "", "int8", "f32", id="x86 that hides its flags"),
    pytest.param("x86_64", "fpu sse sse2 sse4_2 avx", "f32", "f32", id="x86 without AVX2"),
    pytest.param("aarch64", ARM, "f32", "f32", id="Cortex-A72"),
    pytest.param("aarch64", ARM_HALF, "f32", "f16", id="Neoverse N1"),
    pytest.param("aarch64", ARM_BF16, "f32", "f16", id="Graviton 3"),
    pytest.param("riscv64", "", "f32", "f32", id="nothing known"),
]


@pytest.fixture(autouse=True)
def linux(monkeypatch):
    monkeypatch.setattr(arithmetic.sys, "platform", "linux")


def _processor(machine, flags):
    return Processor(machine, frozenset(flags.split()))


@pytest.mark.parametrize(("machine", "flags", "precision", "hint"), PROCESSORS)
def test_what_suits_a_processor(machine, flags, precision, hint):
    chosen = choose(_processor(machine, flags))
    assert (chosen.precision, chosen.hint) == (precision, hint)


def test_apple_silicon_tells_no_flags_and_has_half_precision(monkeypatch):
    monkeypatch.setattr(arithmetic.sys, "platform", "darwin")
    chosen = choose(_processor("arm64", ""))
    assert (chosen.precision, chosen.hint) == ("f32", "f16")


@pytest.mark.parametrize(("machine", "flags", "precision", "hint"), PROCESSORS)
def test_asked_to_be_exact_floats_stay_floats(machine, flags, precision, hint):
    chosen = choose(_processor(machine, flags), "f32")
    assert (chosen.precision, chosen.hint) == ("f32", "f32")
    assert "embedded.precision" in chosen.why


@pytest.mark.parametrize(("machine", "flags", "precision", "hint"), PROCESSORS)
def test_whole_numbers_asked_for_have_around_them_what_suits(machine, flags, precision, hint):
    """bf16 where the processor has it. On ARM not f16: nobody has heard int8 and f16 there."""
    chosen = choose(_processor(machine, flags), "int8")
    assert chosen.precision == "int8"
    assert chosen.hint == ("bf16" if hint == "bf16" else "f32")


@pytest.mark.parametrize(("machine", "flags", "precision", "hint"), PROCESSORS)
def test_bf16_asked_for_is_hinted_only_where_the_processor_has_it(machine, flags, precision, hint):
    """AVX-512 without it would emulate it slowly, where others pass over the hint."""
    chosen = choose(_processor(machine, flags), "bf16")
    assert chosen.precision == "bf16"
    assert chosen.hint == ("bf16" if hint == "bf16" else "f32")


def test_this_machine_is_one_of_them(monkeypatch):
    text = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz: fast\nflags\t\t: fpu avx2\n"
    monkeypatch.setattr(arithmetic, "_cpuinfo", lambda: text)
    monkeypatch.setattr(arithmetic.platform, "machine", lambda: "AMD64")
    here = Processor.here()
    assert here == Processor("amd64", frozenset({"fpu", "avx2"}), "Some CPU @ 2 GHz: fast")
    monkeypatch.setattr(arithmetic, "_cpuinfo", lambda: "Features\t: fp asimd asimdhp\n")
    assert Processor.here().flags == {"fp", "asimd", "asimdhp"}
    monkeypatch.setattr(arithmetic, "_cpuinfo", lambda: "")
    assert Processor.here().flags == frozenset()
