"""Random tokens, for sessions and keys, and the digests that are stored of them."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_BYTES = 32
"""256 bits, which nobody guesses."""


def new_token() -> str:
    """A token that nobody has had, as text that fits URLs and headers."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_digest(token: str) -> str:
    """What is stored of a token: it is random, so a plain digest cannot be turned back.

    >>> token_digest("a") == token_digest("a"), len(token_digest("a"))
    (True, 64)
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
