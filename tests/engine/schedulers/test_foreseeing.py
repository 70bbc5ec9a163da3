"""What is said of a lone take before the start is what it then gets."""

from __future__ import annotations

import pytest

from engine.schedulers.foreseeing import foreseen, lone
from engine.schedulers.vocoder import VocoderScheduler
from tests.engine.schedulers.simulating import FRAME, FRAME_S, RATE, Asked, Clauses, Machine, costs


@pytest.mark.parametrize("plan", [None, (2, 6, 10)], ids=str)
@pytest.mark.parametrize(
    ("fixed", "frame"),
    [(0.02, 0.005), (0.05, 0.02), (0.06, 0.05), (0.1, 0.09)],
    ids=["fast", "as measured", "hardly", "too slow"],
)
def test_a_lone_take_gets_the_windows_that_were_foreseen(
    fixed: float, frame: float, plan: tuple[int, ...] | None
) -> None:
    table = costs(fixed, frame)
    (heard,) = Machine(
        VocoderScheduler("code2wav", Clauses(table), RATE, FRAME, plan), table.seconds
    ).run([Asked(0.0, (60,))])
    take = lone(foreseen(table, FRAME_S, plan), 60)
    assert list(take.windows) == heard.sizes
    assert take.hold == pytest.approx(heard.held)
