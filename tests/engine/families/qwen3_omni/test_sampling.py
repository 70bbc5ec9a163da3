from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from engine.families.qwen3_omni.sampling import (
    MOST,
    Choice,
    Sampling,
    candidates,
    draw,
    penalised,
    uniform,
)

CODES = 300


def one(temperature: float, top_k: int, top_p: float, rows: int = 1) -> Choice:
    choice = Choice.empty(rows, torch.device("cpu"))
    for row in range(rows):
        choice.set(row, temperature, top_k, top_p)
    return choice


def logits(seed: int, rows: int = 1) -> torch.Tensor:
    return 3 * torch.randn(rows, CODES, generator=torch.Generator().manual_seed(seed))


@given(
    seed=st.integers(0, 999),
    temperature=st.floats(0.2, 3),
    top_k=st.integers(1, MOST),
    top_p=st.floats(0.05, 1),
)
def test_shares_are_those_that_transformers_draws_from(
    seed: int, temperature: float, top_k: int, top_p: float
) -> None:
    scores = logits(seed)
    ids = torch.zeros(1, 0, dtype=torch.long)
    expected = TemperatureLogitsWarper(temperature)(ids, scores)
    expected = TopKLogitsWarper(top_k)(ids, expected)
    if top_p < 1:
        expected = TopPLogitsWarper(top_p)(ids, expected)
    rule = one(temperature, top_k, top_p).rule(CODES)
    reached, kept, codes = candidates(scores, rule)
    each = torch.diff(reached, prepend=torch.zeros(1, 1)) * kept
    shares = torch.zeros(1, CODES).scatter_(1, codes, each / each.sum())
    close = torch.isclose(shares, expected.softmax(dim=-1), atol=1e-4)
    # A candidate just at `top_p` may fall on either side by rounding.
    assert close.all() or _at_the_edge(scores / temperature, top_k, top_p)


def _at_the_edge(scores: torch.Tensor, top_k: int, top_p: float) -> bool:
    shares = scores.topk(top_k).values.softmax(dim=-1)
    return bool(((shares.cumsum(-1) - top_p).abs() < 1e-5).any())


@given(seed=st.integers(0, 999), penalty=st.floats(0.5, 2), count=st.integers(0, 20))
def test_what_was_used_is_made_less_likely_as_transformers_does(
    seed: int, penalty: float, count: int
) -> None:
    scores = logits(seed)
    ids = torch.randint(CODES, (1, count), generator=torch.Generator().manual_seed(seed))
    seen = torch.zeros(1, CODES, dtype=torch.bool)
    seen[0, ids[0]] = True
    expected = RepetitionPenaltyLogitsProcessor(penalty)(ids, scores.clone())
    assert torch.allclose(penalised(scores, seen, torch.tensor([penalty])), expected)


def test_codes_come_as_often_as_they_are_likely() -> None:
    draws, scores = 20_000, torch.tensor([[2.0, 1.0, 0.0, -1.0, -9.0]])
    frames = torch.arange(draws)
    chances = uniform(torch.full((draws,), 7), frames, 2)[:, 1]
    drawn = draw(scores.expand(draws, -1), one(1.0, 4, 1.0, draws).rule(5), chances)
    shares = torch.bincount(drawn, minlength=5) / draws
    assert torch.allclose(shares[:4], scores[0, :4].softmax(-1), atol=0.01)
    assert shares[4] == 0, "top_k leaves the fifth out"


def test_no_temperature_takes_the_likeliest() -> None:
    scores = logits(1, rows=5)
    drawn = draw(scores, one(0.0, 50, 1.0, rows=5).rule(CODES), torch.full((5,), 0.999))
    assert torch.equal(drawn, scores.argmax(-1))


@given(seed=st.integers(0, 99), chance=st.floats(0, 1 - 2**-24, width=32))
def test_no_chance_draws_what_is_left_out(seed: int, chance: float) -> None:
    scores = logits(seed)
    scores[0, 10:] = -torch.inf
    drawn = draw(scores, one(1.0, MOST, 1.0).rule(CODES), torch.tensor([chance]))
    assert drawn.item() < 10


def test_chances_are_even_and_of_their_own_for_seed_frame_and_codebook() -> None:
    seeds, frames = torch.meshgrid(torch.arange(-8, 8), torch.arange(256), indexing="ij")
    chances = uniform(seeds.flatten(), frames.flatten(), 16)
    assert chances.min() >= 0
    assert chances.max() < 1
    counts = torch.histc(chances, 64, 0, 1)
    assert (counts - counts.mean()).abs().max() < 5 * counts.mean().sqrt()
    grid = chances.view(16, 256, 16)
    for axis in range(3):
        a, b = grid.narrow(axis, 0, 15).flatten(), grid.narrow(axis, 1, 15).flatten()
        assert abs(torch.corrcoef(torch.stack((a, b)))[0, 1]) < 0.03
    assert len(chances.flatten().unique()) > 0.99 * chances.numel()


def test_a_chance_is_a_known_number() -> None:
    """So that a seed gives the same take on every machine and in every later version."""
    seeds = torch.tensor([0, 2**63 - 1, -(2**63)])
    made = (uniform(seeds, torch.tensor([0, 5, 9]), 2) * 2**24).long().tolist()
    assert made == [
        [_word(s, f, b) for b in (0, 1)] for s, f in ((0, 0), (2**63 - 1, 5), (2**63, 9))
    ]


def _word(seed: int, frame: int, book: int) -> int:
    def mixed(state: int) -> int:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
        return state ^ (state >> 31)

    own = mixed((mixed(seed) + frame) % 2**64)
    return mixed((own + book) % 2**64) >> 40


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"temperature": -0.1}, "temperature"),
        ({"top_k": 0}, "top_k"),
        ({"residual_top_k": MOST + 1}, "residual_top_k"),
        ({"top_p": 0.0}, "top_p"),
        ({"residual_top_p": 1.1}, "residual_top_p"),
        ({"penalty": 0.0}, "penalty"),
    ],
)
def test_a_setting_out_of_range_is_named(settings: dict[str, float], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be"):
        Sampling(**settings)  # type: ignore[arg-type]  # numbers of both kinds
