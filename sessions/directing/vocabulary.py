"""The vocabulary of directions, read once from `sessions/data/directions.yaml` and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.types import Levers
from sessions.directing.items import Role

LeverName = Literal[
    "rate",
    "vowels",
    "pitch",
    "range",
    "ending",
    "slope",
    "tilt",
    "gain",
    "breath",
    "soft",
    "tremor",
    "emphasis",
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Bound(_Strict):
    """How far a lever may go. A factor is raised to a degree, a sum is multiplied by it."""

    kind: Literal["factor", "sum"]
    least: float
    most: float

    @property
    def neutral(self) -> float:
        return 1.0 if self.kind == "factor" else 0.0

    def held(self, value: float) -> float:
        """The value, or the safe end that it is beyond."""
        return min(self.most, max(self.least, value))


class PauseSizes(_Strict):
    """Seconds: of a plain, a short and a long pause, of one step longer, and at most."""

    plain: float
    short: float
    long: float
    step: float
    most: float


class DegreeWords(_Strict):
    """Words for how much; 1 is plain."""

    strength: float = Field(gt=0, le=2)
    words: tuple[str, ...]


class Concept(_Strict):
    """One way of saying something. `recipe`: levers at strength 1, or `blend`: the share of what
    was directed that is left. measure, sign: the lever that numbers move, and its way.
    """

    words: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    means: tuple[str, ...] = ()
    recipe: Mapping[str, float | bool] = Field(default_factory=dict)
    blend: float | None = None
    measure: LeverName | None = None
    sign: Literal[-1, 1] = 1
    polar: Literal[-1, 0, 1] = 0
    unscoped: str | None = None
    unmoved: str | None = None
    opposite: str | None = None
    takes_words: bool = False
    tag: bool = True

    @model_validator(mode="after")
    def _has_an_effect(self) -> Concept:
        unknown = set(self.recipe) - {field.name for field in fields(Levers)}
        if unknown:
            raise ValueError(f"no such levers: {', '.join(sorted(unknown))}")
        if bool(self.recipe) == (self.blend is not None):
            raise ValueError("a concept has either a recipe or a blend")
        return self

    @property
    def levers(self) -> Levers:
        """The recipe over neutral levers."""
        return Levers(**self.recipe)  # type: ignore[arg-type]  # names are checked above


class Cannot(_Strict):
    """What the voice can't do; `nearest` are the concepts that come closest."""

    words: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    nearest: tuple[str, ...]


class TagWords(_Strict):
    """Inline tags that stand for no concept."""

    pause: tuple[str, ...]
    short_pause: tuple[str, ...]
    long_pause: tuple[str, ...]
    neutral: tuple[str, ...]


class Vocabulary(_Strict):
    """All of the file; names that concepts refer to exist."""

    levers: Mapping[LeverName, Bound]
    pauses: PauseSizes
    degrees: tuple[DegreeWords, ...]
    modifiers: Mapping[Role, tuple[str, ...]]
    sizes: Mapping[Literal["long", "short"], tuple[str, ...]]
    pausing: tuple[str, ...]
    pausing_if_placed: tuple[str, ...]
    likening: tuple[str, ...]
    leading: tuple[str, ...]
    filler: tuple[str, ...]
    breaks: Mapping[Literal["and", "or", "hard"], tuple[str, ...]]
    returns: Mapping[Literal["neutral", "first", "previous", "this"], tuple[str, ...]]
    concepts: Mapping[str, Concept]
    impossible: Mapping[str, Cannot]
    tags: TagWords

    @model_validator(mode="after")
    def _names_exist(self) -> Vocabulary:
        missing = {name for name in self._named() if name and name not in self.concepts}
        if missing:
            raise ValueError(f"no such concepts: {', '.join(sorted(missing))}")
        return self

    def _named(self) -> Iterator[str | None]:
        for concept in self.concepts.values():
            yield from (concept.unscoped, concept.unmoved, concept.opposite)
        for cannot in self.impossible.values():
            yield from cannot.nearest


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The one vocabulary; a damaged file raises pydantic's ValidationError, naming the key."""
    source = resources.files("sessions").joinpath("data/directions.yaml")
    return Vocabulary.model_validate(yaml.safe_load(source.read_text(encoding="utf-8")))
