"""How long a test waits for what must come."""

from __future__ import annotations

PATIENCE_S = 120.0
"""Ends a test that hangs, and decides nothing else: the slowest of machines needs a small part."""
