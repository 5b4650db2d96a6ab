"""The engines that are compared, by name. An engine builds from a stream of passages, opens, and searches.

To add one, write its class and list it in ENGINES. Peers get the workbench's words (`languages.words`), which is more
than their own tokenisers do for most scripts; they have no scope and search every passage.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from workbench.core.records import Passage, Query
from workbench.languages.segment import words


class Engine(Protocol):
    """An engine under test. `on_disk`: built once into a folder, searched by another process."""

    on_disk: bool

    def build(self, folder: Path, passages: Iterable[Passage], /) -> None:
        """Indexes the passages, which are read once."""
        ...

    def open(self, folder: Path, /) -> None:
        """Opens what `build` wrote; does nothing for an engine in memory."""
        ...

    def search(self, query: Query, k: int, /) -> int:
        """Searches and returns the number of passages found."""
        ...


class Lexical:
    """The workbench's lexical index, in the question's own language."""

    on_disk = True

    def build(self, folder: Path, passages: Iterable[Passage]) -> None:
        from workbench.retrieval.lexical import LexicalIndex

        LexicalIndex.build(folder, passages)

    def open(self, folder: Path) -> None:
        from workbench.retrieval.lexical import LexicalIndex

        self.index = LexicalIndex.open(folder)

    def search(self, query: Query, k: int) -> int:
        return len(self.index.retrieve([query], k)[0])


class LexicalAll(Lexical):
    """The same over every language."""

    def search(self, query: Query, k: int) -> int:
        return super().search(replace(query, languages=self.index.languages), k)


class Tantivy:
    """Bare tantivy: its own words, one thread and the workbench's heap, ids stored."""

    on_disk = True

    def build(self, folder: Path, passages: Iterable[Passage]) -> None:
        import tantivy

        from workbench.retrieval.lexical_shard import HEAP_BYTES

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", index_option="freq")
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        writer = tantivy.Index(builder.build(), str(folder)).writer(HEAP_BYTES, 1)
        for passage in passages:
            writer.add_document(tantivy.Document(text=passage.searchable, id=passage.id))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        import tantivy

        self.index = tantivy.Index.open(str(folder))
        self.searcher = self.index.searcher()

    def search(self, query: Query, k: int) -> int:
        import tantivy

        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self.index.schema, "text", word, "freq"))
            for word in words(query.text)
        ]
        hits = self.searcher.search(tantivy.Query.boolean_query(terms), k, count=False).hits
        return len([self.searcher.doc(address).get_first("id") for _, address in hits])


class RankBM25:
    """rank_bm25's BM25Okapi: NumPy over lists of dictionaries, in memory."""

    on_disk = False

    def build(self, _folder: Path, passages: Iterable[Passage]) -> None:
        from rank_bm25 import BM25Okapi

        self.index = BM25Okapi(words(passage.searchable) for passage in passages)

    def open(self, folder: Path) -> None:
        pass

    def search(self, query: Query, k: int) -> int:
        import numpy as np

        scores = self.index.get_scores(words(query.text))
        best = np.argpartition(-scores, min(k, len(scores) - 1))[:k]
        return len(best[np.argsort(-scores[best], kind="stable")])


class BM25S:
    """bm25s with its NumPy back end: a sparse matrix of precomputed scores, in memory."""

    on_disk = False
    backend = "numpy"

    def build(self, _folder: Path, passages: Iterable[Passage]) -> None:
        import bm25s

        self.index = bm25s.BM25(backend=self.backend)
        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(word, len(vocabulary)) for word in words(p.searchable)] for p in passages]
        self.vocabulary = vocabulary
        self.index.index((ids, vocabulary), show_progress=False)

    def open(self, folder: Path) -> None:
        pass

    def search(self, query: Query, k: int) -> int:
        known = [word for word in words(query.text) if word in self.vocabulary]
        if not known:
            return 0
        hits, _ = self.index.retrieve([known], k=k, show_progress=False, n_threads=0)
        return int(hits.shape[1])


class BM25SNumba(BM25S):
    """bm25s with its compiled back end."""

    backend = "numba"


ENGINES: dict[str, type[Engine]] = {
    "lexical": Lexical,
    "lexical, all languages": LexicalAll,
    "tantivy": Tantivy,
    "bm25s": BM25S,
    "bm25s numba": BM25SNumba,
    "rank_bm25": RankBM25,
}
