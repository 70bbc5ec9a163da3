"""What windows cost is measured once, and kept."""

import json
from dataclasses import dataclass, field

import pytest

from engine.families.embedded import costs, windows
from engine.families.embedded.prepare import Prepared

#: Codec frames to seconds, on a machine that costs nothing to be.
PLAIN = {size: 0.01 + 0.02 * size for size in windows.SIZES}


@dataclass
class Machine:
    """Decodes in no time, on a clock of its own. first: seconds more of the first decode of all."""

    speed: float = 1.0
    first: float = 0.0
    now: float = 0.0
    seen: list[int] = field(default_factory=list)

    def decode(self, frames: int) -> None:
        self.now += PLAIN[frames] / self.speed + (0 if self.seen else self.first)
        self.seen.append(frames)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Asks for the costs on a machine, as often as a server starts."""
    prepared = Prepared(tmp_path / "v7", tmp_path, "int8")

    def ask(machine: Machine, threads: int = 1) -> list[tuple[int, float]]:
        monkeypatch.setattr(costs.time, "perf_counter", machine)
        return list(costs.known(prepared, threads, machine.decode).table)

    ask.file = prepared.compiled / "costs.json"
    return ask


def _slower(factor: float):
    return [(size, pytest.approx(seconds * factor)) for size, seconds in PLAIN.items()]


def test_where_nothing_is_kept_every_size_is_measured(known):
    machine = Machine(first=9.0)
    assert known(machine) == _slower(1)
    assert set(machine.seen) == set(windows.SIZES)
    assert json.loads(known.file.read_text()).popitem()[1] == [
        [size, pytest.approx(seconds)] for size, seconds in PLAIN.items()
    ]


@pytest.mark.parametrize("speed", [0.4, 1.0, 2.0])
def test_what_is_kept_is_used_and_the_first_windows_are_decoded_once(known, speed):
    """However fast the machine seems while it starts: what windows take corrects the costs."""
    known(Machine())
    again = Machine(speed, first=9.0)
    assert known(again) == _slower(1)
    assert again.seen == list(windows.SIZES[:2])


def test_a_decode_that_was_held_up_once_is_not_believed(known):
    machine = Machine()
    decode, held = machine.decode, iter([0, 0, 5, *[0] * 99])

    def hiccup(frames: int) -> None:
        decode(frames)
        machine.now += next(held)

    machine.decode = hiccup
    assert known(machine) == _slower(1)


def test_other_threads_are_known_apart(known):
    known(Machine())
    assert known(Machine(1.8), threads=2) == _slower(1 / 1.8)
    assert len(json.loads(known.file.read_text())) == 2
    assert known(Machine(), threads=1) == _slower(1)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '{"KEY": null}', '{"KEY": 7}', '{"KEY": []}', '{"KEY": [[2]]}',
     '{"KEY": [[20, 1], [2, 1]]}', '{"KEY": [["a", "b"]]}', '{"KEY": [[2, "x"]]}',
     '{"KEY": [[2, -1.0]]}', '{"KEY": [[2, 0.0]]}', '{"KEY": [[2, NaN]]}', "\udcff"],
)  # fmt: skip
def test_a_file_that_makes_no_sense_is_measured_anew_and_replaced(known, text):
    known(Machine())
    (key,) = json.loads(known.file.read_text())
    told = text.replace("KEY", key).encode("utf-8", "surrogateescape")
    known.file.write_bytes(told)
    assert known(Machine()) == _slower(1)
    assert json.loads(known.file.read_text())[key][0][0] == windows.SIZES[0]


def test_what_cannot_be_kept_is_measured_each_time(known):
    known.file.parent.write_text("a file where the folder should be")
    assert known(Machine()) == _slower(1)
    again = Machine()
    assert known(again) == _slower(1)
    assert set(again.seen) == set(windows.SIZES)


def test_it_is_kept_whole_or_not_at_all(known, monkeypatch):
    """Whoever dies while writing leaves what was there; no scratch file is left otherwise."""
    known(Machine())
    before = known.file.read_text()
    assert [path.name for path in known.file.parent.iterdir()] == [known.file.name]

    def die(scratch, target):
        raise OSError("no")

    with monkeypatch.context() as patched:
        patched.setattr(costs.Path, "replace", die)
        assert known(Machine(0.5), threads=2) == _slower(2)
    assert known.file.read_text() == before


def test_whether_windows_are_exact_is_asked_once_of_whole_numbers_and_never_of_floats(tmp_path):
    asked = []

    def probe() -> bool:
        asked.append(True)
        return len(asked) == 1

    whole = Prepared(tmp_path / "v8", tmp_path, "int8")
    assert [costs.exact(whole, 2, probe) for _ in range(3)] == [True] * 3
    assert len(asked) == 1
    assert not costs.exact(whole, 1, probe), "other threads are asked anew"
    assert not costs.exact(Prepared(tmp_path / "v8-f32", tmp_path, "f32"), 2, probe)
    assert len(asked) == 2
