from collections.abc import Callable

import pytest

from engine.families.embedded.assets import EmbeddedConfig
from engine.families.embedded.prepare import Prepared, prepare
from tests.engine.families.embedded.driving import Voice


@pytest.fixture(scope="session")
def prepared() -> Callable[[str], Prepared]:
    """Prepares a precision in the user's cache, where `make serve` finds it too."""

    def get(precision: str = "int8") -> Prepared:
        return prepare(EmbeddedConfig(precision=precision), lambda what, done: None)

    return get


@pytest.fixture(scope="session")
def exact(prepared: Callable[[str], Prepared]) -> Voice:
    """The family's three runners in float32."""
    return Voice(prepared("f32"))


@pytest.fixture(scope="session")
def fast(prepared: Callable[[str], Prepared]) -> Voice:
    """The family's three runners as they are served."""
    return Voice(prepared("int8"))
