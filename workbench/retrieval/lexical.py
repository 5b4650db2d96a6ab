"""Lexical search: BM25 over the segmenter's tokens, one tantivy index per language.

On disk: `lexical.json` (the manifest, written last and atomically) and `shards/<language>/`. A scope is a set of
shards, hence exact. BM25 with tantivy's k1 = 1.2, b = 0.75. Scores are >= 0 and not bounded above.

Passages whose words a PDF reader broke (`languages/segment.py`) are in `broken/<language>/` instead, by n-grams of
their letters; an index without such passages has no such folder. Their scores are scaled to those of the words.
Passages that were removed since are in `removed/` once more (`lexical_shard`).
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core import DIGITS, DataError, Hit, Passage, Query, Ranking, component, shorten, top_k
from workbench.languages import (
    SEGMENTER_VERSION,
    has_broken_words,
    index_tokens,
    language as known_language,
    letter_grams,
    query_grams,
)
from workbench.retrieval.index_files import HINT, manifest_path, read_facts, read_manifest, write_manifest
from workbench.retrieval.lexical_shard import (
    BROKEN,
    LARGE_QUERY_MASS,
    QUERY_MASS,
    QUERY_TOKENS,
    REMOVED,
    SHARDS,
    LexicalShard,
    LexicalShardWriter,
    Removals,
    ShardChange,
    ShardMatch,
    change_shard,
    open_shards,
)
from workbench.workspace import FILES


@dataclass(frozen=True, slots=True)
class LexicalManifest:
    """What an index holds: passages by language, how many of these are broken, and the fingerprint of all in order.

    `removals` are what its shards have besides, by their folder.
    """

    languages: Mapping[str, int]
    broken: Mapping[str, int]
    fingerprint: str
    format: int
    segmenter: int
    removals: Mapping[str, Removals]

    @classmethod
    def of(cls, facts: Any) -> LexicalManifest:
        """The manifest, parsed. Raises KeyError, ValueError, TypeError and AttributeError for anything else."""
        return cls(
            {str(language): int(count) for language, count in facts["languages"].items()},
            {str(language): int(count) for language, count in facts.get("broken", {}).items()},
            str(facts["fingerprint"]),
            int(facts["format"]),
            int(facts["segmenter"]),
            {str(place): Removals.of(each) for place, each in facts.get(REMOVED, {}).items()},
        )

    @property
    def written(self) -> Mapping[str, int]:
        """By language the passages that are not broken."""
        return {name: count - self.broken.get(name, 0) for name, count in self.languages.items()}


FORMAT = 1
"""Increased when the files of an index change, or the detection or the n-grams of broken passages."""
KIND = "lexical"
NGRAMS = "n-grams"
"""The name of a broken passage's BM25 over n-grams, before it is scaled to `lexical`; other passages have none."""
GRAM_WEIGHT = 0.85
"""What a matched n-gram counts against a word of the same share of the question: n-grams match by chance more often.
At 1 the broken passages displace the others, at .7 they are displaced (benchmarks/broken_text)."""
PROGRESS_EVERY = 1000


@dataclass(frozen=True, slots=True)
class ShardQuery:
    """What is searched for in one shard of a language. `scale`: of a shard of broken passages, see `_scale`."""

    language: str
    shard: LexicalShard
    tokens: Sequence[str]
    scale: float | None = None

    def hit(self, match: ShardMatch) -> Hit:
        """The match as a hit, its score scaled."""
        if self.scale is None:
            return Hit(match.id, match.row, self.language, match.score, {KIND: match.score})
        score = self.scale * match.score
        return Hit(match.id, match.row, self.language, score, {KIND: score, NGRAMS: match.score})


class LexicalIndex:
    """An opened lexical index; a `Retriever`. Memory-mapped, safe to share between threads."""

    def __init__(
        self, manifest: LexicalManifest, shards: Mapping[str, LexicalShard], broken: Mapping[str, LexicalShard]
    ) -> None:
        """`shards` by language, in alphabetical order: of the passages as written, and of the broken ones."""
        self.manifest = manifest
        self._shards = shards
        self._broken = broken

    @staticmethod
    def build(
        directory: Path,
        passages: Iterable[Passage],
        progress: Callable[[int], None] | None = None,
        *,
        is_broken: Callable[[str], bool] = has_broken_words,
    ) -> None:
        """Indexes `passages` into `directory`, replacing any index in it; the n-th passage gets row n.

        Streams: memory is bounded by the writers' heaps (one per language). `progress` is given the passages done;
        `is_broken` decides which texts are indexed by n-grams. Until the new manifest is written there is no index for
        `open`. Raises UsageError for a language that is not an ISO 639 code.
        """
        directory.mkdir(parents=True, exist_ok=True)
        manifest_path(directory, KIND).unlink(missing_ok=True)
        for folder in (SHARDS, BROKEN, REMOVED):
            shutil.rmtree(directory / folder, ignore_errors=True)
        writers: dict[tuple[str, str], LexicalShardWriter] = {}
        digest = hashlib.sha256()
        done = 0
        for row, passage in enumerate(passages):
            searchable = passage.searchable
            by_grams = is_broken(searchable)
            place = (BROKEN if by_grams else SHARDS, passage.language)
            writer = writers.get(place)
            if writer is None:
                language = known_language(passage.language).code
                writer = writers[place] = LexicalShardWriter(directory / place[0] / language)
            writer.add(letter_grams(searchable) if by_grams else index_tokens(searchable), passage.id, row)
            digest.update(_content(passage))
            done = row + 1
            if progress and done % PROGRESS_EVERY == 0:
                progress(done)
        for writer in writers.values():
            writer.close()
        counts: dict[str, int] = {}
        for (_, language), writer in sorted(writers.items(), key=lambda item: item[0][1]):
            counts[language] = counts.get(language, 0) + writer.rows
        broken = {language: writer.rows for (folder, language), writer in sorted(writers.items()) if folder == BROKEN}
        facts = {
            "format": FORMAT,
            "segmenter": SEGMENTER_VERSION,
            "languages": counts,
            **({"broken": broken} if broken else {}),
            "fingerprint": digest.hexdigest()[:DIGITS],
        }
        write_manifest(directory, KIND, facts, _files(directory))
        if progress:
            progress(done)

    @staticmethod
    def change(
        directory: Path, added: Iterable[tuple[int, Passage]], removed: Iterable[tuple[int, Passage]] = ()
    ) -> None:
        """Adds passages to the index in `directory`, and removes others, each given with its row in the corpus.

        Scores are then those of a new index of what is left, up to the last decimal. Its files may be hard links. A
        kill on the way leaves a folder that `open` may not accept: change a copy.
        """
        facts = read_facts(directory, KIND)
        manifest = LexicalManifest.of(facts)
        changes: defaultdict[str, ShardChange] = defaultdict(ShardChange)
        digest = hashlib.sha256(manifest.fingerprint.encode())
        counts, broken = Counter(manifest.languages), Counter(manifest.broken)
        for step, items in ((1, added), (-1, removed)):
            for row, passage in items:
                code = known_language(passage.language).code
                by_grams = has_broken_words(passage.searchable)
                tokens = letter_grams(passage.searchable) if by_grams else index_tokens(passage.searchable)
                change = changes[f"{BROKEN if by_grams else SHARDS}/{code}"]
                (change.added if step > 0 else change.removed).append((row, passage.id, tokens))
                counts[code] += step
                broken[code] += step if by_grams else 0
                digest.update(f"{step} {row} ".encode() + _content(passage))
        removals = dict(manifest.removals)
        for place, change in sorted(changes.items()):
            removed_there = change_shard(directory, place, change, removals.get(place, Removals()))
            removals |= {place: removed_there} if removed_there.rows else {}
        broken_left, old = {code: count for code, count in sorted(broken.items()) if count}, facts.get(FILES, {})
        files = {path.relative_to(directory).as_posix(): path for path in _files(directory)}
        write_manifest(
            directory,
            KIND,
            {
                **{name: value for name, value in facts.items() if name not in ("broken", REMOVED)},
                "format": FORMAT,
                "languages": {code: count for code, count in sorted(counts.items()) if count},
                **({"broken": broken_left} if broken_left else {}),
                **({REMOVED: {place: each.stored() for place, each in removals.items()}} if removals else {}),
                "fingerprint": digest.hexdigest()[:DIGITS],
            },
            [path for name, path in files.items() if name not in old or path.suffix == ".json"],
            without=[directory / name for name in old if name not in files],
        )

    @classmethod
    def open(cls, directory: Path) -> LexicalIndex:
        """Opens a built index.

        Raises MissingError where there is none, DataError where it is damaged or another version of the segmenter
        made it.
        """
        manifest = read_manifest(directory, KIND, LexicalManifest.of)
        if manifest.format != FORMAT or manifest.segmenter != SEGMENTER_VERSION:
            raise DataError(
                f"The lexical index in {shorten(directory)} was made by version {manifest.segmenter} of the segmenter; "
                f"this is version {SEGMENTER_VERSION}. {HINT}"
            )
        try:
            return cls(
                manifest,
                open_shards(directory, SHARDS, manifest.written, manifest.removals),
                open_shards(directory, BROKEN, manifest.broken, manifest.removals),
            )
        except (ValueError, OSError, RuntimeError) as error:  # tantivy raises ValueError for anything
            raise DataError(
                f"The lexical index in {shorten(directory)} is damaged ({shorten(error)}). {HINT}"
            ) from error

    @property
    def identity(self) -> str:
        """Names the method, the segmenter and the passages."""
        return component(
            "lexical",
            format=self.manifest.format,
            segmenter=SEGMENTER_VERSION,
            mass=[QUERY_MASS, LARGE_QUERY_MASS],
            tokens=QUERY_TOKENS,
            **({"grams": GRAM_WEIGHT} if self._broken else {}),
            index=self.manifest.fingerprint,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self.manifest.languages)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The best `k` passages for each query, all in its languages; () where no token of the query is known."""
        return [self._retrieve(query, k) for query in queries]

    def _retrieve(self, query: Query, k: int) -> Ranking:
        parts = self.shard_queries(query)
        return top_k((part.hit(match) for part in parts for match in part.shard.search(part.tokens, k)), k)

    def shard_queries(self, query: Query) -> Iterator[ShardQuery]:
        """What is searched for in each shard of the query's languages."""
        tokens = index_tokens(query.text)
        grams = query_grams(query.text) if self._broken else []
        for language in dict.fromkeys(query.languages):
            shard, broken = self._shards.get(language), self._broken.get(language)
            if shard is not None:
                yield ShardQuery(language, shard, shard.selective_tokens(tokens))
            if broken is not None:
                scale = _scale(shard, tokens, broken, grams)
                yield ShardQuery(language, broken, broken.selective_tokens(grams), scale)

    def shard(self, language: str, *, broken: bool) -> LexicalShard | None:
        """The shard of a language's passages as written, or of those with broken words; None where it has none."""
        return (self._broken if broken else self._shards).get(language)

    def match_share(self, query: Query, ranking: Ranking) -> float:
        """The share of the question's idf mass that its best hit holds, in [0, 1]; unknown tokens count in full.

        Of a broken passage, the share of the question's n-grams. 0 without a hit or a token. A hybrid weights its
        lexical vote by this: across languages it is small.
        """
        if not ranking:
            return 0.0
        best = ranking[0]
        shard, broken = self._shards.get(best.language), self._broken.get(best.language)
        if broken is not None and broken.holds_row(best.row):
            return _share(broken, query_grams(query.text), best.row)
        return _share(shard, index_tokens(query.text), best.row) if shard is not None else 0.0

    def rows_of(self, ids: Iterable[str]) -> dict[str, int]:
        """The row of each id that the index holds; unknown ids are left out."""
        unique = list(dict.fromkeys(ids))
        shards = (*self._shards.values(), *self._broken.values())
        return {name: row for shard in shards for name, row in shard.rows_of(unique).items()}


def _scale(shard: LexicalShard | None, tokens: Sequence[str], broken: LexicalShard, grams: Sequence[str]) -> float:
    """What makes scores by `grams` comparable with those by `tokens` of the same question: equal shares, equal scores.

    1 where the language has no other passages to compare with.
    """
    most = sum(broken.masses(grams).values())
    return GRAM_WEIGHT * sum(shard.masses(tokens).values()) / most if shard is not None and most > 0 else 1.0


def _share(shard: LexicalShard, tokens: Sequence[str], row: int) -> float:
    masses = shard.masses(tokens)
    total = sum(masses.values())
    return min(1.0, shard.matched_weight(masses, row) / total) if total > 0 else 0.0


def _files(directory: Path) -> list[Path]:
    """All files of the shards but tantivy's locks."""
    paths = (path for folder in (SHARDS, BROKEN, REMOVED) for path in (directory / folder).rglob("*"))
    return [path for path in paths if path.is_file() and path.suffix != ".lock"]


def _content(passage: Passage) -> bytes:
    """What a passage is, for the fingerprint."""
    return f"{passage.id}\x1f{passage.language}\x1f{passage.searchable}\x1e".encode(errors="surrogatepass")
