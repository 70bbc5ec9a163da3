"""Names of what a session makes: short, and no two alike."""

from __future__ import annotations

import secrets


def new_id(kind: str) -> str:
    """Such as take_3f9a1c07d2b4: 48 random bits, so that nobody meets the same one twice."""
    return f"{kind}_{secrets.token_hex(6)}"
