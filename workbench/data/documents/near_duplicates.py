"""Passages that say nearly the same: MinHash over character 5-grams of the normalised text (datasketch).

Character n-grams serve every script; words between white space would make one token of a Chinese passage. Broder (1997)
for the estimate; pairs count from an estimated Jaccard similarity of `SIMILARITY`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from workbench.languages import search_form

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH

GRAM = 5
PERMUTATIONS = 64
SIMILARITY = 0.85
PASSAGES_LIMIT = 200_000
"""Passages that are compared; about 1.5 KB each. Later ones are not."""
SHORT_MARK = "\\0"


class DuplicatePair(NamedTuple):
    """Two passages, by id, and their estimated similarity in 0 to 1; `first` came first."""

    first: str
    second: str
    similarity: float


class NearDuplicates:
    """Compares each passage with those before it."""

    def __init__(self) -> None:
        """Knows no passage yet."""
        from datasketch import MinHashLSH

        self._index: MinHashLSH = MinHashLSH(threshold=SIMILARITY, num_perm=PERMUTATIONS)
        self._hashes: dict[str, MinHash] = {}

    @property
    def is_full(self) -> bool:
        """Whether so many passages came that further ones are not compared."""
        return len(self._hashes) >= PASSAGES_LIMIT

    def add(self, passage_id: str, text: str) -> DuplicatePair | None:
        """The earlier passage most like `text`, None where none is alike; `text` is compared with later ones then."""
        if self.is_full or passage_id in self._hashes:
            return None
        value = _min_hash(text)
        pairs = [
            DuplicatePair(str(name), passage_id, float(value.jaccard(self._hashes[str(name)])))
            for name in self._index.query(value)
        ]
        best = max(pairs, key=lambda pair: pair.similarity, default=None)
        if best is not None and best.similarity >= SIMILARITY:
            return best
        self._index.insert(passage_id, value)
        self._hashes[passage_id] = value
        return None


def grams(text: str) -> Iterator[str]:
    """The character 5-grams of the normalised text, without its white space; a shorter text is one marked gram.

    The mark keeps a text of three letters from being like any but its equals.
    """
    letters = "".join(search_form(text).split())
    if len(letters) < GRAM:
        yield f"{SHORT_MARK}{letters}"
        return
    yield from (letters[start : start + GRAM] for start in range(len(letters) - GRAM + 1))


def _min_hash(text: str) -> MinHash:
    from datasketch import MinHash

    value = MinHash(num_perm=PERMUTATIONS)
    value.update_batch([gram.encode("utf-8", "replace") for gram in set(grams(text))])
    return value
