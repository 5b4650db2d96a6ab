"""Lexical search: BM25 over the segmenter's tokens, one tantivy index per language.

On disk: `lexical.json` (the manifest, written last and atomically) and `shards/<language>/`. A scope is a set of
shards, hence exact. BM25 with tantivy's k1 = 1.2, b = 0.75. Scores are >= 0 and not bounded above.

A language that has passages whose words a PDF reader broke (`languages/segment.py`) has all of its passages once more
in `ngrams/<language>/`, by n-grams of their letters, and both count (`LanguageQuery`); the others have no such folder.
Passages that were removed since are in `removed/` once more (`lexical_shard`).
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from workbench.core import DIGITS, DataError, Hit, Passage, Query, Ranking, component, shorten, top_k
from workbench.languages import (
    SEGMENTER_VERSION,
    has_broken_words,
    index_text,
    index_tokens,
    language as known_language,
    letter_grams,
    query_grams,
)
from workbench.retrieval.index_files import HINT, manifest_path, read_facts, read_manifest, write_manifest
from workbench.retrieval.lexical_shard import (
    DECIMALS,
    LARGE_QUERY_MASS,
    NGRAM_SHARDS,
    QUERY_MASS,
    QUERY_TOKENS,
    REMOVED,
    SHARDS,
    LexicalShard,
    LexicalShardWriter,
    Removals,
    ShardChange,
    ShardMatch,
    ShardPassage,
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
    def with_ngrams(self) -> Mapping[str, int]:
        """The passages by language, of those languages that have broken ones."""
        return {name: count for name, count in self.languages.items() if self.broken.get(name)}


FORMAT = 1
"""Increased when the files of an index change."""
NGRAM_FORMAT = 2
"""That of an index with n-grams; increased also when the detection of broken passages or their n-grams change."""
KIND = "lexical"
NGRAMS = "n-grams"
"""The name of a broken passage's BM25 over n-grams, before it is scaled to `lexical`; other passages have none."""
WORD_WEIGHT = 0.25
"""What words count beside n-grams of the same share of the question."""
BROKEN_WORDS, BROKEN_NGRAMS = 0.5, 1.3
"""What words and n-grams count in broken passages against those as written: the words of these match, those of broken
ones by chance alone. At 1 and 1 broken passages are displaced (docs/decisions/0008-broken-words.md)."""
SLACK, TIMES = 10, 4
"""Candidates by words and by n-grams beyond those asked for, and how many times as many are looked at next."""
PROGRESS_EVERY = 1000


@dataclass(frozen=True, slots=True)
class ShardQuery:
    """What is searched for in one shard, and what its BM25 counts: `scale`, times `broken` for broken passages."""

    shard: LexicalShard
    tokens: Sequence[str]
    scale: float = 1.0
    broken: float = 1.0

    def counted(self, score: float, is_broken: bool) -> float:
        """What a BM25 score counts."""
        return score * self.scale * (self.broken if is_broken else 1.0)


@dataclass(frozen=True, slots=True)
class LanguageQuery:
    """What is searched for among a language's passages: words, and where some of these are broken n-grams, too."""

    language: str
    words: ShardQuery
    ngrams: ShardQuery | None = None

    def search(self, k: int) -> list[Hit]:
        """The best `k` hits, and perhaps others."""
        if self.ngrams is None or k <= 0:
            return [self._hit(match, match.score) for match in self.words.shard.search(self.words.tokens, k)]
        limit = k + SLACK
        while True:
            by_words = self.words.shard.search(self.words.tokens, limit)
            by_ngrams = self.ngrams.shard.search(self.ngrams.tokens, limit)
            hits = top_k(self._combined(self.ngrams, by_words, by_ngrams), k)
            # What is on neither list scores at most what the last of both would together.
            lasts = [matches[-1].score if len(matches) == limit else 0.0 for matches in (by_words, by_ngrams)]
            most = max(
                self.words.counted(lasts[0], broken) + self.ngrams.counted(lasts[1], broken) for broken in (False, True)
            )
            if most == 0 or (len(hits) == k and round(most, DECIMALS) < hits[-1].score):
                return list(hits)
            limit *= TIMES

    def scored(self, rows: Sequence[int]) -> list[Hit]:
        """The hits among the passages in `rows` of the corpus."""
        by_words = self.words.shard.score(self.words.tokens, rows)
        if self.ngrams is None:
            return [self._hit(match, match.score) for match in by_words]
        return self._combined(self.ngrams, by_words, self.ngrams.shard.score(self.ngrams.tokens, rows))

    def _hit(self, match: ShardMatch, score: float, **scores: float) -> Hit:
        return Hit(match.id, match.row, self.language, score, {KIND: score, **scores})

    def _combined(
        self, ngrams: ShardQuery, by_words: Sequence[ShardMatch], by_ngrams: Sequence[ShardMatch]
    ) -> list[Hit]:
        """All of the matches, those by words or by n-grams alone scored by the other as well."""
        words, grams = ({match.row: match for match in matches} for matches in (by_words, by_ngrams))
        for matches, others, part in ((words, grams, self.words), (grams, words, ngrams)):
            missing = [row for row in others if row not in matches]
            matches.update((match.row, match) for match in part.shard.score(part.tokens, missing))
        matches = words | grams
        broken = ngrams.shard.broken_among(matches)
        hits = []
        for row, match in matches.items():
            by_word, by_gram = (each[row].score if row in each else 0.0 for each in (words, grams))
            score = self.words.counted(by_word, row in broken) + ngrams.counted(by_gram, row in broken)
            hits.append(self._hit(match, round(score, DECIMALS), **({NGRAMS: by_gram} if row in broken else {})))
        return hits


class LexicalIndex:
    """An opened lexical index; a `Retriever`. Memory-mapped, safe to share between threads."""

    def __init__(
        self, manifest: LexicalManifest, shards: Mapping[str, LexicalShard], ngrams: Mapping[str, LexicalShard]
    ) -> None:
        """`shards` of all passages by language, in alphabetical order; `ngrams` of languages with broken ones."""
        self.manifest = manifest
        self._shards = shards
        self._ngrams = ngrams

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
        `is_broken` decides which texts are broken: `passages` are then iterated twice, and an iterator's are kept in
        memory. Until the new manifest is written there is no index for `open`. Raises UsageError for a language that
        is not an ISO 639 code.
        """
        directory.mkdir(parents=True, exist_ok=True)
        manifest_path(directory, KIND).unlink(missing_ok=True)
        for folder in (SHARDS, NGRAM_SHARDS, REMOVED):
            shutil.rmtree(directory / folder, ignore_errors=True)
        if isinstance(passages, Iterator):
            passages = list(passages)
        writers: dict[str, LexicalShardWriter] = {}
        broken: Counter[str] = Counter()
        digest = hashlib.sha256()
        done = 0
        for row, passage in enumerate(passages):
            searchable = passage.searchable
            writer = writers.get(passage.language)
            if writer is None:
                language = known_language(passage.language).code
                writer = LexicalShardWriter(directory / SHARDS / language, before=len(writers))
                writers[passage.language] = writer
            writer.add(index_text(searchable), passage.id, row)
            broken[passage.language] += is_broken(searchable)
            digest.update(_content(passage))
            done = row + 1
            if progress and done % PROGRESS_EVERY == 0:
                progress(done)
        for writer in writers.values():
            writer.close()
        _write_ngrams(directory, +broken, enumerate(passages), is_broken)
        facts = {
            **_counts({language: writer.rows for language, writer in writers.items()}, broken),
            "fingerprint": digest.hexdigest()[:DIGITS],
        }
        write_manifest(directory, KIND, facts, _files(directory))
        if progress:
            progress(done)

    @staticmethod
    def change(
        directory: Path,
        added: Iterable[tuple[int, Passage]],
        removed: Iterable[tuple[int, Passage]],
        present: Callable[[], Iterable[tuple[int, Passage]]],
    ) -> None:
        """Adds passages to the index in `directory`, and removes others, each given with its row in the corpus.

        `present` returns the passages before the change: a language that gets its first broken one has n-grams of all.
        Scores are then those of a new index of what is left, up to the last decimal. Its files may be hard links. A
        kill on the way leaves a folder that `open` may not accept: change a copy.
        """
        facts = read_facts(directory, KIND)
        manifest = LexicalManifest.of(facts)
        changes: defaultdict[str, ShardChange] = defaultdict(ShardChange)
        digest = hashlib.sha256(manifest.fingerprint.encode())
        counts, broken = Counter(manifest.languages), Counter(manifest.broken)
        numbered = list(added), list(removed)
        for step, items in zip((1, -1), numbered, strict=True):
            for row, passage in items:
                code = known_language(passage.language).code
                counts[code] += step
                broken[code] += step * has_broken_words(passage.searchable)
                digest.update(f"{step} {row} ".encode() + _content(passage))
                change = changes[f"{SHARDS}/{code}"]
                (change.added if step > 0 else change.removed).append(_by_words(row, passage))
                if manifest.broken.get(code):
                    change = changes[f"{NGRAM_SHARDS}/{code}"]
                    (change.added if step > 0 else change.removed).append(_by_ngrams(row, passage))
        removals = dict(manifest.removals)
        for code in manifest.broken:
            if broken[code] <= 0:
                place = f"{NGRAM_SHARDS}/{code}"
                for folder in (directory, directory / REMOVED):
                    shutil.rmtree(folder / place, ignore_errors=True)
                for by_place in (changes, removals):
                    by_place.pop(place, None)
        for place, change in sorted(changes.items()):
            removed_there = change_shard(directory, place, change, removals.get(place, Removals()))
            removals |= {place: removed_there} if removed_there.rows else {}
        first = [code for code, count in broken.items() if count > 0 and not manifest.broken.get(code)]
        gone = {row for row, _ in numbered[1]}
        if first:
            left = ((row, passage) for row, passage in present() if row not in gone)
            _write_ngrams(directory, first, chain(left, numbered[0]), has_broken_words)
        old = facts.get(FILES, {})
        files = {path.relative_to(directory).as_posix(): path for path in _files(directory)}
        write_manifest(
            directory,
            KIND,
            {
                **{name: value for name, value in facts.items() if name not in ("broken", REMOVED)},
                **_counts(counts, broken),
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
        known = NGRAM_FORMAT if manifest.broken else FORMAT
        if manifest.format != known or manifest.segmenter != SEGMENTER_VERSION:
            raise DataError(
                f"The lexical index in {shorten(directory)} was made by version {manifest.segmenter} of the segmenter "
                f"in format {manifest.format}; these are version {SEGMENTER_VERSION} and format {known}. {HINT}"
            )
        try:
            return cls(
                manifest,
                open_shards(directory, SHARDS, manifest.languages, manifest.removals),
                open_shards(directory, NGRAM_SHARDS, manifest.with_ngrams, manifest.removals),
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
            **({"ngrams": [WORD_WEIGHT, BROKEN_WORDS, BROKEN_NGRAMS]} if self._ngrams else {}),
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
        return top_k((hit for part in self.language_queries(query) for hit in part.search(k)), k)

    def language_queries(self, query: Query) -> Iterator[LanguageQuery]:
        """What is searched for in each of the query's languages that has passages."""
        tokens = index_tokens(query.text)
        grams = letter_grams(query.text) if self._ngrams else []
        for language in dict.fromkeys(query.languages):
            shard, ngrams = self._shards.get(language), self._ngrams.get(language)
            if shard is None:
                continue
            selected = shard.selective_tokens(tokens)
            if ngrams is None:
                yield LanguageQuery(language, ShardQuery(shard, selected))
                continue
            # Equal shares of the question count the same by n-grams as by words.
            most = sum(ngrams.masses(grams).values())
            scale = sum(shard.masses(tokens).values()) / most if most > 0 else 1.0
            yield LanguageQuery(
                language,
                ShardQuery(shard, selected, WORD_WEIGHT, BROKEN_WORDS),
                ShardQuery(ngrams, ngrams.selective_tokens(grams), scale, BROKEN_NGRAMS),
            )

    def shard(self, language: str, *, ngrams: bool) -> LexicalShard | None:
        """The shard of a language's passages by words, or by n-grams; None where it has none."""
        return (self._ngrams if ngrams else self._shards).get(language)

    def match_share(self, query: Query, ranking: Ranking) -> float:
        """The share of the question's idf mass that its best hit holds, in [0, 1]; unknown tokens count in full.

        Of a broken passage, the share of the question's n-grams. 0 without a hit or a token. A hybrid weights its
        lexical vote by this: across languages it is small.
        """
        if not ranking:
            return 0.0
        best = ranking[0]
        shard, ngrams = self._shards.get(best.language), self._ngrams.get(best.language)
        if ngrams is not None and ngrams.broken_among([best.row]):
            return _share(ngrams, query_grams(query.text), best.row)
        return _share(shard, index_tokens(query.text), best.row) if shard is not None else 0.0

    def rows_of(self, ids: Iterable[str]) -> dict[str, int]:
        """The row of each id that the index holds; unknown ids are left out."""
        unique = list(dict.fromkeys(ids))
        return {name: row for shard in self._shards.values() for name, row in shard.rows_of(unique).items()}


def _by_words(row: int, passage: Passage) -> ShardPassage:
    return ShardPassage(row, passage.id, index_tokens(passage.searchable))


def _by_ngrams(row: int, passage: Passage, is_broken: Callable[[str], bool] = has_broken_words) -> ShardPassage:
    return ShardPassage(row, passage.id, letter_grams(passage.searchable), is_broken(passage.searchable))


def _write_ngrams(
    directory: Path,
    languages: Iterable[str],
    numbered: Iterable[tuple[int, Passage]],
    is_broken: Callable[[str], bool],
) -> None:
    """Writes the shards of n-grams of these languages, with all of their passages; streams."""
    writers = {
        code: LexicalShardWriter(directory / NGRAM_SHARDS / code, ngrams=True, before=number)
        for number, code in enumerate(languages)
    }
    for row, passage in numbered if writers else ():
        if passage.language in writers:
            _by_ngrams(row, passage, is_broken).add_to(writers[passage.language])
    for writer in writers.values():
        writer.close()


def _counts(counts: Mapping[str, int], broken: Mapping[str, int]) -> dict[str, Any]:
    """What the manifest states of the passages by language and of the broken ones among them."""
    counts, broken = ({code: n for code, n in sorted(each.items()) if n > 0} for each in (counts, broken))
    return {
        "format": NGRAM_FORMAT if broken else FORMAT,
        "segmenter": SEGMENTER_VERSION,
        "languages": counts,
        **({"broken": broken} if broken else {}),
    }


def _share(shard: LexicalShard, tokens: Sequence[str], row: int) -> float:
    masses = shard.masses(tokens)
    total = sum(masses.values())
    return min(1.0, shard.matched_weight(masses, row) / total) if total > 0 else 0.0


def _files(directory: Path) -> list[Path]:
    """All files of the shards but tantivy's locks."""
    paths = (path for folder in (SHARDS, NGRAM_SHARDS, REMOVED) for path in (directory / folder).rglob("*"))
    return [path for path in paths if path.is_file() and path.suffix != ".lock"]


def _content(passage: Passage) -> bytes:
    """What a passage is, for the fingerprint."""
    return f"{passage.id}\x1f{passage.language}\x1f{passage.searchable}\x1e".encode(errors="surrogatepass")
