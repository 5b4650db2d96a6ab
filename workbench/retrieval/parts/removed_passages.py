"""Removing passages from a lexical shard whose files are not written again: what stays of them, and is taken out.

A shard of the removed passages lies beside the shard. BM25's document frequencies are corrected by it. Its mean length
cannot be: tantivy computes it from all that the shard has. So fillers are added, documents without a row that hold only
a token of their own, until the mean with the removed passages is again the mean without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

FILLER = "\ufdd0"
"""A code point that is no character: no passage and no question has it as a token."""
FILLER_ROW = -1
TRIES = 64
"""The most fillers that are added for a closer mean."""
CLOSE = 1e-7
"""How far, relatively, the mean may be off: tantivy's is a float32."""


@dataclass(frozen=True, slots=True)
class Removals:
    """What a shard holds besides its passages: removed ones and fillers, with their tokens.

    `token` is one that the shard holds, by which its mean length is looked up.
    """

    rows: int = 0
    tokens: int = 0
    fillers: int = 0
    filler_tokens: int = 0
    token: str = ""

    @classmethod
    def of(cls, stored: Any) -> Removals:
        """What `stored` returned. Raises KeyError, ValueError and TypeError for anything else."""
        numbers = {name: int(stored[name]) for name in ("rows", "tokens", "fillers", "filler_tokens")}
        return cls(**numbers, token=str(stored["token"]))

    def stored(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    def with_removed(self, tokens: Sequence[Sequence[str]]) -> Removals:
        """The same with further passages, given by their tokens, removed."""
        first = next((token for each in tokens for token in each), "")
        count = sum(len(each) for each in tokens)
        return replace(self, rows=self.rows + len(tokens), tokens=self.tokens + count, token=self.token or first)

    def balanced(self, total: int, total_tokens: int) -> Removals:
        """The same with the fillers that a shard needs which has `total` documents with `total_tokens`, all told.

        >>> Removals(rows=1, tokens=30, token="a").balanced(11, 130)
        Removals(rows=1, tokens=30, fillers=2, filler_tokens=0, token='a')
        """
        live, live_tokens = total - self.rows - self.fillers, total_tokens - self.tokens - self.filler_tokens
        if live <= 0 or live_tokens <= 0:
            return self
        fewest = max(0, -(-total_tokens * live // live_tokens) - total)
        best: tuple[float, int, int] | None = None
        for count in range(fewest, fewest + TRIES):
            exact = live_tokens * (total + count) / live - total_tokens
            tokens = max(0, round(exact))
            if tokens and not count:
                continue  # Only a filler can hold tokens.
            off = abs(exact - tokens) / (total_tokens + tokens)
            if best is None or off < best[0]:
                best = (off, count, tokens)
            if off <= CLOSE:
                break
        assert best is not None
        _, count, tokens = best
        return replace(self, fillers=self.fillers + count, filler_tokens=self.filler_tokens + tokens)
