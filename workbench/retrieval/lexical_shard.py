"""One language's part of the lexical index: a tantivy index over segmented tokens, or over n-grams of letters.

One shard per language gives each language its own document counts and mean length, so BM25's idf means the same in a
corpus of one language and of twenty, and a search needs no filter (docs/decisions/0002-lexical-index.md).
The segmenter provides the tokens, joined by spaces; tantivy only splits them. tantivy's query parser is never used: a
question is untrusted text, so its terms are looked up as terms.

Files that a shard has are never written again: tantivy writes what is added as further segments, so a folder that
shares the files by hard links changes alone. Removed passages stay in the shard; `without`, a shard of its own, has
them once more, and BM25's document frequencies are those of the shard less those of `without`. Its mean length cannot
be corrected so: tantivy computes it from all that the shard has. So fillers are added, documents without a row that
hold only a token of their own, until the mean with the removed passages is again the mean without them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tantivy


HEAP_BYTES, BUILD_BYTES = 32_000_000, 256_000_000
"""Memory that a writer may use before it writes a segment: at least; in a build, where the n-th language gets an n-th.
A question takes .6 ms in 8 segments of 5,000 passages, .4 ms in one of 40,000."""

QUERY_MASS = 0.95
"""The share of a question's idf that is searched for. .95 takes a third of the time of 1 and costs less than .001 of
MRR on XQuAD."""

LARGE_SHARD = 200_000
LARGE_QUERY_MASS = 0.85
"""The same in shards of more passages than LARGE_SHARD, where common tokens have long lists: half the time of .95."""

QUERY_TOKENS = 48
"""The most tokens of a question that are searched for: a pasted page must not stall the search."""

MORE = 50
"""Hits looked for beyond those asked for, which cost nearly nothing: of 60 questions over a million passages 1 has more
than so many equal ones at the cut, 8 have more than 10."""

DECIMALS = 4
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""


def _schema(ngrams: bool) -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("tokens", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("row", indexed=True, fast=True)
    if ngrams:
        builder.add_integer_field("broken", indexed=True)
    return builder.build()


class LexicalShardWriter:
    """Writes one shard. One thread, so that the same passages give the same index."""

    def __init__(self, directory: Path, *, ngrams: bool = False, adds: bool = False, before: int = 0) -> None:
        """Makes `directory`, which must not exist yet, unless it `adds` to the shard there, if there is one.

        A shard of `ngrams` knows of each passage whether its words are broken. `before`: writers of the same build.
        """
        import tantivy

        directory.mkdir(parents=True, exist_ok=adds)
        self._document = tantivy.Document
        is_new = not adds or not tantivy.Index.exists(str(directory))
        index = tantivy.Index(_schema(ngrams), str(directory)) if is_new else tantivy.Index.open(str(directory))
        self._schema = index.schema
        self._writer = index.writer(HEAP_BYTES if adds else max(HEAP_BYTES, BUILD_BYTES // (before + 1)), 1)
        self._ngrams = ngrams
        self.rows = 0

    def add(self, tokens: str, passage_id: str, row: int, *, broken: bool = False) -> None:
        """Adds the passage `passage_id`, in `row` of the corpus, with its tokens, separated by white space."""
        document = self._document()
        document.add_text("tokens", tokens)
        document.add_text("id", passage_id)
        document.add_integer("row", row)
        if self._ngrams:
            document.add_integer("broken", int(broken))
        self._writer.add_document(document)
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

    def __init__(self, directory: Path, without: Path | None = None, fillers: int = 0) -> None:
        """Opens the shard that a `LexicalShardWriter` wrote into `directory`.

        `without` is the folder of the shard with its removed passages, `fillers` the number of those in it.
        """
        import tantivy

        index = tantivy.Index.open(str(directory))
        self._tantivy = tantivy
        self._schema = index.schema
        self._searcher = index.searcher()
        self._without = LexicalShard(without) if without is not None else None
        self._total: int = self._searcher.num_docs
        self.rows: int = self._total - fillers - (self._without.rows if self._without else 0)

    def idf(self, token: str) -> float:
        """BM25's inverse document frequency; a token that no passage holds gets the highest possible one."""
        return _idf(self._passages_with(token), self.rows)

    def holds_row(self, row: int) -> bool:
        """Whether the passage in `row` of the corpus is in this shard."""
        return bool(self._searcher.doc_freq("row", row) > 0) and not (self._without and self._without.holds_row(row))

    def broken_among(self, rows: Collection[int]) -> set[int]:
        """Those of the passages in `rows` of the corpus that a shard of n-grams has as broken."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        if not rows:
            return set()
        among = query.boolean_query([(occur.Should, self._term("row", row)) for row in rows])
        both = query.boolean_query([(occur.Must, self._term("broken", 1)), (occur.Must, among)])
        return set(self._rows([address for _, address in self._searcher.search(both, len(rows), count=False).hits]))

    def mean_length(self, token: str) -> float:
        """The mean number of tokens that BM25 reckons with, with removed passages and fillers; some hold the token."""
        query = self._term("tokens", token)
        (_, address), *_ = self._searcher.search(query, 1, count=False).hits
        return _explained(json.loads(query.explain(self._searcher, address).to_json()), "avgdl")

    def any_token(self) -> str:
        """The commonest token of the shard; "" where it has none. Reads all of them."""
        return next((str(token) for token, _ in self._searcher.terms_with_prefix("tokens", "", limit=1)), "")

    @property
    def total(self) -> int:
        """The number of passages with the removed ones and fillers, as BM25 reckons with."""
        return self._total

    def _passages_with(self, token: str) -> int:
        count: int = self._searcher.doc_freq("tokens", token)
        return count - (self._without._passages_with(token) if self._without else 0)

    def masses(self, tokens: Iterable[str]) -> dict[str, float]:
        """The idf of each of the tokens; their sum is what a passage that holds every one of them would match."""
        return {token: self.idf(token) for token in dict.fromkeys(tokens)}

    def selective_tokens(self, tokens: Iterable[str]) -> list[str]:
        """The tokens worth searching for: those the shard holds, rarest first, until they make up enough of the idf.

        The rest are the commonest: they take most of the time and hardly move a passage.
        """
        idfs = {token: self.idf(token) for token in dict.fromkeys(tokens) if self._passages_with(token)}
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
        if self._without is not None:
            return self._search_without_removed(query, tokens, k)
        limit = min(k + MORE, self.rows)
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
        return self._best(hits, k)

    def _search_without_removed(self, query: tantivy.Query, tokens: Sequence[str], k: int) -> list[ShardMatch]:
        # tantivy ranks by frequencies that count the removed passages. So its candidates are scored again by the right
        # ones, and enough of them are looked at that no other passage could be among the best.
        factors = {token: self.idf(token) / self._idf_with_removed(token) for token in tokens}
        most = max(factors.values())
        limit = min(k + 10, self._total)
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            matches = self._best(self._scored_again([address for _, address in hits], factors), k)
            if len(hits) < limit or limit >= self._total:
                return matches
            if len(matches) == k and round(most * hits[-1][0], DECIMALS) < matches[-1].score:
                return matches
            limit = min(2 * limit, self._total)

    def _scored_again(
        self, addresses: list[tantivy.DocAddress], factors: Mapping[str, float]
    ) -> list[tuple[float, tantivy.DocAddress]]:
        """Those of the passages that were not removed, each score of a token times its factor."""
        assert self._without is not None
        return self._scored([row for row in self._rows(addresses) if not self._without.holds_row(row)], factors)

    def score(self, tokens: Sequence[str], rows: Sequence[int]) -> list[ShardMatch]:
        """Those of the passages in `rows` of the corpus that the shard holds and that match any token, best first."""
        if not tokens:
            return []
        live = [row for row in rows if self._without is None or not self._without.holds_row(row)]
        factors = {token: self.idf(token) / self._idf_with_removed(token) for token in tokens}
        return self._best(self._scored(live, factors), len(live))

    def _scored(self, rows: list[int], factors: Mapping[str, float]) -> list[tuple[float, tantivy.DocAddress]]:
        if not rows:
            return []
        query, occur = self._tantivy.Query, self._tantivy.Occur
        among = query.boolean_query([(occur.Should, self._term("row", row)) for row in rows])
        words = [
            (occur.Should, query.boost_query(self._term("tokens", token), factor)) for token, factor in factors.items()
        ]
        parts = [(occur.Must, query.const_score_query(among, 0.0)), (occur.Must, query.boolean_query(words))]
        hits: list[tuple[float, tantivy.DocAddress]] = self._searcher.search(
            query.boolean_query(parts), len(rows), count=False
        ).hits
        return hits

    def _idf_with_removed(self, token: str) -> float:
        return _idf(self._searcher.doc_freq("tokens", token), self._total)

    def _best(self, hits: Sequence[tuple[float, tantivy.DocAddress]], k: int) -> list[ShardMatch]:
        """The first `k` of the hits in order of rounded score and row."""
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
        limit = len(ids)
        hits = self._searcher.search(query, limit, count=False).hits
        while self._without is not None and len(hits) == limit < self._total:
            # An id that was replaced is in the shard several times.
            limit = min(2 * limit, self._total)
            hits = self._searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        rows = zip(addresses, self._rows(addresses), strict=True)
        return {self._id(each): row for each, row in rows if not (self._without and self._without.holds_row(row))}

    def _term(self, field: str, value: str | int) -> tantivy.Query:
        return self._tantivy.Query.term_query(self._schema, field, value, "freq" if field == "tokens" else "basic")

    def _rows(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        # Every passage has a row: nothing is left out.
        return [int(row) for row in self._searcher.fast_field_values("row", addresses) if row is not None]

    def _id(self, address: tantivy.DocAddress) -> str:
        return str(self._searcher.doc(address).get_first("id"))


def _idf(passages: int, total: int) -> float:
    return math.log(1 + (total - passages + 0.5) / (passages + 0.5))


def _explained(explanation: Any, name: str) -> float:
    """The value of the detail whose description begins with `name`, anywhere in tantivy's explanation of a score."""
    waiting = [explanation]
    while waiting:
        detail = waiting.pop()
        if str(detail["description"]).startswith(name):
            return float(detail["value"])
        waiting += detail.get("details") or []
    raise ValueError(f"tantivy explains no {name}")


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


REMOVED = "removed"
"""The folder, in a lexical index's own, of the shards of removed passages."""
SHARDS = "shards"
NGRAM_SHARDS = "ngrams"


@dataclass(frozen=True, slots=True)
class ShardPassage:
    """A passage as a shard has it: its row in the corpus, its id, its tokens, and whether it counts as broken."""

    row: int
    id: str
    tokens: Sequence[str]
    broken: bool = False

    def add_to(self, writer: LexicalShardWriter) -> None:
        """Adds it to a shard."""
        writer.add(" ".join(self.tokens), self.id, self.row, broken=self.broken)


@dataclass(slots=True)
class ShardChange:
    """The passages to add to a shard and to remove from it."""

    added: list[ShardPassage] = field(default_factory=list)
    removed: list[ShardPassage] = field(default_factory=list)


def change_shard(directory: Path, place: str, change: ShardChange, removals: Removals) -> Removals:
    """Changes the shard `place` of the index in `directory`; `removals` are those before, and the new ones returned."""
    after = removals.with_removed([passage.tokens for passage in change.removed])
    folder, ngrams = directory / place, place.startswith(NGRAM_SHARDS)
    writer = LexicalShardWriter(folder, ngrams=ngrams, adds=True)
    for passage in change.added:
        passage.add_to(writer)
    if after.rows:
        after = _balanced(folder, change, after)
        for number in range(after.fillers - removals.fillers):
            count = after.filler_tokens - removals.filler_tokens if number == 0 else 0
            writer.add(" ".join([FILLER] * count), "", FILLER_ROW)
    writer.close()
    if change.removed:
        beside = LexicalShardWriter(directory / REMOVED / place, ngrams=ngrams, adds=True)
        for passage in change.removed:
            passage.add_to(beside)
        beside.close()
    return after


def open_shards(
    directory: Path, folder: str, counts: Mapping[str, int], removals: Mapping[str, Removals]
) -> dict[str, LexicalShard]:
    """The shards in `folder` of an index by language, of those languages that have passages in it."""
    opened: dict[str, LexicalShard] = {}
    for language, count in counts.items():
        place = f"{folder}/{language}"
        removed = removals.get(place, Removals())
        without = directory / REMOVED / place if removed.rows else None
        if count:
            opened[language] = LexicalShard(directory / place, without, removed.fillers)
    return opened


def _balanced(folder: Path, change: ShardChange, removals: Removals) -> Removals:
    """The removals with the fillers that the shard needs after the change."""
    shard = LexicalShard(folder)
    tokens = 0
    if shard.total and (token := removals.token or shard.any_token()):
        tokens = round(shard.mean_length(token) * shard.total)
    added = sum(len(passage.tokens) for passage in change.added)
    return removals.balanced(shard.total + len(change.added), tokens + added)
