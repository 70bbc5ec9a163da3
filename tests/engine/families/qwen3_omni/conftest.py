from __future__ import annotations

from pathlib import Path

import pytest
from transformers.utils import logging

from scripts.tiny_qwen3_omni import write

# The bar's thread would outlive the test that began it.
logging.disable_progress_bar()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny checkpoint of random weights, as published ones are laid out; not to be changed."""
    return write(tmp_path_factory.mktemp("qwen3_omni"))
