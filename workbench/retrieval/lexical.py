"""Lexical search: BM25 over the segmenter's tokens, one tantivy index per language.

On disk: `lexical.json` (the manifest, written last and atomically) and `shards/<language>/`. A scope is a set of
shards, hence exact. BM25 with tantivy's k1 = 1.2, b = 0.75. Scores are >= 0 and not bounded above.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import DataError, shorten
from workbench.identity import DIGITS, component
from workbench.languages import language as known_language
from workbench.languages.segment import SEGMENTER_VERSION, index_tokens
from workbench.records import Hit, Passage, Query, Ranking, top_k
from workbench.retrieval.index_manifest import HINT, manifest_path, read_manifest, write_manifest
from workbench.retrieval.lexical_shard import (
    LARGE_QUERY_MASS,
    QUERY_MASS,
    QUERY_TOKENS,
    LexicalShard,
    LexicalShardWriter,
)

FORMAT = 1
KIND = "lexical"
SHARDS = "shards"
PROGRESS_EVERY = 1000


@dataclass(frozen=True, slots=True)
class LexicalManifest:
    """What an index holds: passages by language, and the fingerprint of all of them in order."""

    languages: Mapping[str, int]
    fingerprint: str
    format: int
    segmenter: int


class LexicalIndex:
    """An opened lexical index; a `Retriever`. Memory-mapped, safe to share between threads."""

    def __init__(self, manifest: LexicalManifest, shards: Mapping[str, LexicalShard]) -> None:
        """`shards` by language, in alphabetical order."""
        self.manifest = manifest
        self._shards = shards

    @staticmethod
    def build(directory: Path, passages: Iterable[Passage], progress: Callable[[int], None] | None = None) -> None:
        """Indexes `passages` into `directory`, replacing any index in it; the n-th passage gets row n.

        Streams: memory is bounded by the writers' heaps (one per language). `progress` is given the number of passages
        done. Until the new manifest is written the directory holds no index that `open` would accept. Raises
        UsageError for a language that is not an ISO 639 code.
        """
        directory.mkdir(parents=True, exist_ok=True)
        manifest_path(directory, KIND).unlink(missing_ok=True)
        shutil.rmtree(directory / SHARDS, ignore_errors=True)
        writers: dict[str, LexicalShardWriter] = {}
        digest = hashlib.sha256()
        done = 0
        for row, passage in enumerate(passages):
            writer = writers.get(passage.language)
            if writer is None:
                language = known_language(passage.language).code
                writer = writers[language] = LexicalShardWriter(directory / SHARDS / language)
            searchable = passage.searchable
            writer.add(index_tokens(searchable), passage.id, row)
            digest.update(f"{passage.id}\x1f{passage.language}\x1f{searchable}\x1e".encode(errors="surrogatepass"))
            done = row + 1
            if progress and done % PROGRESS_EVERY == 0:
                progress(done)
        for writer in writers.values():
            writer.close()
        counts = {language: writers[language].rows for language in sorted(writers)}
        facts = {
            "format": FORMAT,
            "segmenter": SEGMENTER_VERSION,
            "languages": counts,
            "fingerprint": digest.hexdigest()[:DIGITS],
        }
        write_manifest(directory, KIND, facts, _files(directory))
        if progress:
            progress(done)

    @classmethod
    def open(cls, directory: Path) -> LexicalIndex:
        """Opens a built index.

        Raises MissingError where there is none, DataError where it is damaged or another version of the segmenter
        made it.
        """
        manifest = read_manifest(directory, KIND, _parse)
        if (manifest.format, manifest.segmenter) != (FORMAT, SEGMENTER_VERSION):
            raise DataError(
                f"The lexical index in {shorten(directory)} was made by version {manifest.segmenter} of the segmenter; "
                f"this is version {SEGMENTER_VERSION}. {HINT}"
            )
        try:
            return cls(manifest, {name: LexicalShard(directory / SHARDS / name) for name in manifest.languages})
        except (ValueError, OSError, RuntimeError) as error:  # tantivy raises ValueError for anything
            raise DataError(
                f"The lexical index in {shorten(directory)} is damaged ({shorten(error)}). {HINT}"
            ) from error

    @property
    def identity(self) -> str:
        """Names the method, the segmenter and the passages."""
        return component(
            "lexical",
            format=FORMAT,
            segmenter=SEGMENTER_VERSION,
            mass=[QUERY_MASS, LARGE_QUERY_MASS],
            tokens=QUERY_TOKENS,
            index=self.manifest.fingerprint,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have passages, in alphabetical order."""
        return tuple(self._shards)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """The best `k` passages for each query, all in its languages; () where no token of the query is known."""
        return [self._retrieve(query, k) for query in queries]

    def _retrieve(self, query: Query, k: int) -> Ranking:
        tokens = index_tokens(query.text)
        hits: list[Hit] = []
        for language in dict.fromkeys(query.languages):
            shard = self._shards.get(language)
            if shard is not None:
                matches = shard.search(shard.selective_tokens(tokens), k)
                hits += [Hit(m.id, m.row, language, m.score, {"lexical": m.score}) for m in matches]
        return top_k(hits, k)

    def match_share(self, query: Query, ranking: Ranking) -> float:
        """The share of the question's idf mass that its best hit holds, in [0, 1]; unknown tokens count in full.

        0 without a hit or a token. A hybrid weights its lexical vote by this: across languages it is small.
        """
        if not ranking or ranking[0].language not in self._shards:
            return 0.0
        shard = self._shards[ranking[0].language]
        masses = {token: shard.idf(token) for token in index_tokens(query.text)}
        total = sum(masses.values())
        return min(1.0, shard.matched_weight(masses, ranking[0].row) / total) if total > 0 else 0.0

    def rows_of(self, ids: Iterable[str]) -> dict[str, int]:
        """The row of each id that the index holds; unknown ids are left out."""
        unique = list(dict.fromkeys(ids))
        return {name: row for shard in self._shards.values() for name, row in shard.rows_of(unique).items()}


def _files(directory: Path) -> list[Path]:
    """All files of the shards but tantivy's locks."""
    return [path for path in (directory / SHARDS).rglob("*") if path.is_file() and path.suffix != ".lock"]


def _parse(facts: Any) -> LexicalManifest:
    return LexicalManifest(
        {str(language): int(count) for language, count in facts["languages"].items()},
        str(facts["fingerprint"]),
        int(facts["format"]),
        int(facts["segmenter"]),
    )
