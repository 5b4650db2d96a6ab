"""One language's part of the lexical index: a tantivy index over segmented tokens, or over n-grams of broken words.

One shard per language gives each language its own document counts and mean length, so BM25's idf means the same in a
corpus of one language and of twenty, and a search needs no filter (docs/decisions/0002-lexical-index.md).
The segmenter provides the tokens, joined by spaces; tantivy only splits them. tantivy's query parser is never used: a
question is untrusted text, so its terms are looked up as terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

HEAP_BYTES = 32_000_000
"""Memory that one language's writer may use before it writes a segment."""

QUERY_MASS = 0.95
"""The share of a question's idf that is searched for. .95 takes a third of the time of 1 and costs less than .001 of
MRR on XQuAD."""

LARGE_SHARD = 200_000
LARGE_QUERY_MASS = 0.85
"""The same in shards of more passages than LARGE_SHARD, where common tokens have long lists: half the time of .95."""

QUERY_TOKENS = 48
"""The most tokens of a question that are searched for: a pasted page must not stall the search."""

DECIMALS = 4
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("tokens", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("row", indexed=True, fast=True)
    return builder.build()


class LexicalShardWriter:
    """Writes one shard. One thread, so that the same passages give the same index."""

    def __init__(self, directory: Path) -> None:
        """Makes `directory`, which must not exist yet."""
        import tantivy

        directory.mkdir(parents=True)
        self._document = tantivy.Document
        self._schema = _schema()
        self._writer = tantivy.Index(self._schema, str(directory)).writer(HEAP_BYTES, 1)
        self.rows = 0

    def add(self, tokens: Sequence[str], passage_id: str, row: int) -> None:
        """Adds the passage `passage_id`, in `row` of the corpus, with its tokens in order."""
        fields = {"tokens": " ".join(tokens), "id": passage_id, "row": row}
        self._writer.add_document(self._document.from_dict(fields, self._schema))
        self.rows += 1

    def close(self) -> None:
        """Writes what is in memory and waits for the merges."""
        self._writer.commit()
        self._writer.wait_merging_threads()


@dataclass(frozen=True, slots=True)
class ShardMatch:
    """A passage of the shard and its BM25 score, >= 0 and rounded to DECIMALS."""

    id: str
    row: int
    score: float


class LexicalShard:
    """A shard opened for reading (memory-mapped)."""

    def __init__(self, directory: Path) -> None:
        """Opens the shard that a `LexicalShardWriter` wrote into `directory`."""
        import tantivy

        index = tantivy.Index.open(str(directory))
        self._tantivy = tantivy
        self._schema = index.schema
        self._searcher = index.searcher()
        self.rows: int = self._searcher.num_docs

    def idf(self, token: str) -> float:
        """BM25's inverse document frequency; a token that no passage holds gets the highest possible one."""
        passages = self._searcher.doc_freq("tokens", token)
        return math.log(1 + (self.rows - passages + 0.5) / (passages + 0.5))

    def holds(self, token: str) -> bool:
        """Whether any passage of the shard holds the token."""
        return bool(self._searcher.doc_freq("tokens", token) > 0)

    def holds_row(self, row: int) -> bool:
        """Whether the passage in `row` of the corpus is in this shard."""
        return bool(self._searcher.doc_freq("row", row) > 0)

    def masses(self, tokens: Iterable[str]) -> dict[str, float]:
        """The idf of each of the tokens; their sum is what a passage that holds every one of them would match."""
        return {token: self.idf(token) for token in dict.fromkeys(tokens)}

    def selective_tokens(self, tokens: Iterable[str]) -> list[str]:
        """The tokens worth searching for: those the shard holds, rarest first, until they make up enough of the idf.

        The rest are the commonest: they take most of the time and hardly move a passage.
        """
        idfs = {token: self.idf(token) for token in dict.fromkeys(tokens) if self.holds(token)}
        mass = QUERY_MASS if self.rows <= LARGE_SHARD else LARGE_QUERY_MASS
        missing = mass * sum(idfs.values())
        selected: list[str] = []
        for token in sorted(idfs, key=lambda token: (-idfs[token], token))[:QUERY_TOKENS]:
            selected.append(token)
            missing -= idfs[token]
            if missing <= 0:
                break
        return selected

    def search(self, tokens: Sequence[str], k: int) -> list[ShardMatch]:
        """The `k` passages with the highest BM25 over `tokens`, ties in order of row."""
        terms = [(self._tantivy.Occur.Should, self._term("tokens", token)) for token in tokens]
        if not terms or k <= 0:
            return []
        query = self._tantivy.Query.boolean_query(terms)
        limit = min(k + 10, self.rows)
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            # Which of several equal passages tantivy keeps at the cut depends on its segments: search for more until
            # the tie at the cut is complete.
            if (
                len(hits) < limit
                or limit >= self.rows
                or round(hits[-1][0], DECIMALS) < round(hits[k - 1][0], DECIMALS)
            ):
                break
            limit = min(2 * limit, self.rows)
        addresses = [address for _, address in hits]
        rows = self._rows(addresses)
        order = sorted(
            (-round(score, DECIMALS), row, place)
            for place, ((score, _), row) in enumerate(zip(hits, rows, strict=True))
        )
        return [ShardMatch(self._id(addresses[place]), row, -score) for score, row, place in order[:k]]

    def matched_weight(self, weights: Mapping[str, float], row: int) -> float:
        """The sum of the weights of those tokens that the passage in `row` holds; 0 where it holds none."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        parts = [(occur.Must, query.const_score_query(self._term("row", row), 0.0))]
        parts += [
            (occur.Should, query.const_score_query(self._term("tokens", token), weight))
            for token, weight in weights.items()
        ]
        hits = self._searcher.search(query.boolean_query(parts), 1, count=False).hits
        return float(hits[0][0]) if hits else 0.0

    def rows_of(self, ids: Sequence[str]) -> dict[str, int]:
        """The row of each of the ids that the shard holds; the others are left out."""
        if not ids:
            return {}
        query = self._tantivy.Query.term_set_query(self._schema, "id", list(ids))
        addresses = [address for _, address in self._searcher.search(query, len(ids), count=False).hits]
        return {self._id(address): row for address, row in zip(addresses, self._rows(addresses), strict=True)}

    def _term(self, field: str, value: str | int) -> tantivy.Query:
        return self._tantivy.Query.term_query(self._schema, field, value, "freq" if field == "tokens" else "basic")

    def _rows(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        # Every passage has a row: nothing is left out.
        return [int(row) for row in self._searcher.fast_field_values("row", addresses) if row is not None]

    def _id(self, address: tantivy.DocAddress) -> str:
        return str(self._searcher.doc(address).get_first("id"))
