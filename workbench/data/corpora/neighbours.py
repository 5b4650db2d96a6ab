"""Neighbours: the passages before and after a candidate in its document join the candidates.

As AutoRAG's prev/next augmenter (Kim et al. (2024), section 2.3.1): the hypothesis is that what stands next to a
relevant passage bears on the question too. All passages, those retrieved and those that join, are then scored alike, by
their vector's likeness to the question's, and ordered by that. A document's passages are in the order of their
positions; removed ones do not count, and none of another document or language ever joins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from workbench.core import Hit, Passage, Query, Ranking, component, with_score
from workbench.data.corpora.passage_table import PassageTable
from workbench.retrieval import VectorSearch

NAME = "similarity"
"""What the score that orders the candidates and their neighbours is called in a hit's scores."""
VERSION = 1


class NeighbourAugmenter:
    """Implements `Augmenter` over a corpus's passages and a search by vectors over the same corpus."""

    def __init__(
        self, table: PassageTable, search: VectorSearch, count: int, side: Literal["both", "previous", "next"] = "both"
    ) -> None:
        """`count`, from 1: how many passages join on each side that `side` names."""
        self._table = table
        self._search = search
        self._count = count
        self._side = side

    @property
    def identity(self) -> str:
        """What scores, how many passages join, and on which side."""
        return component(
            "neighbours", search=self._search.identity, count=self._count, side=self._side, version=VERSION
        )

    def augment(self, queries: Sequence[Query], rankings: Sequence[Ranking]) -> list[Ranking]:
        """One ranking per query: every hit and its neighbours, each once, by `similarity`.

        Equal scores leave a hit before its neighbours, the nearer ones first, and hits in the order that they had: a
        question that means nothing to the encoder changes no order.
        """
        if not queries:
            return []
        retrieved = sorted({hit.row for ranking in rankings for hit in ranking})
        passages = dict(zip(retrieved, self._table.passages(retrieved), strict=True))
        documents = rows_in_order(self._table, {passage.document for passage in passages.values()})
        places = {row: place for rows in documents.values() for place, row in enumerate(rows)}
        around = {
            row: list(self._around(documents[passage.document, passage.language], places[row]))
            for row, passage in passages.items()
        }
        joining = sorted({row for rows in around.values() for row in rows} - set(passages))
        passages |= zip(joining, self._table.passages(joining), strict=True)
        vectors = self._search.encode(queries)
        augmented: list[Ranking] = []
        for query, ranking, vector in zip(queries, rankings, vectors, strict=True):
            hits = _with_neighbours(ranking, around, passages)
            scored = self._search.scored(hits, query, vector)
            both = [with_score(hit, item.score, NAME) for hit, item in zip(hits, scored, strict=True)]
            augmented.append(tuple(sorted(both, key=lambda hit: -hit.score)))
        return augmented

    def _around(self, rows: Sequence[int], place: int) -> Iterator[int]:
        """The rows that join the one at `place` of its document, the nearer ones first."""
        for distance in range(1, self._count + 1):
            if self._side != "next" and place >= distance:
                yield rows[place - distance]
            if self._side != "previous" and place + distance < len(rows):
                yield rows[place + distance]


def rows_in_order(table: PassageTable, documents: Collection[str]) -> dict[tuple[str, str], list[int]]:
    """The rows of these documents, by document and language, by position; equal positions in order of row."""
    rows = table.rows_of_documents(documents)
    placed: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for row, (document, code, place) in zip(
        rows, table.values(rows, ("document", "language", "position")), strict=True
    ):
        placed.setdefault((document, code), []).append((place, row))
    return {key: [row for _, row in sorted(places)] for key, places in placed.items()}


def _with_neighbours(
    ranking: Ranking, around: Mapping[int, Sequence[int]], passages: Mapping[int, Passage]
) -> list[Hit]:
    """Every hit, followed by those of its neighbours that are not there yet; what was retrieved keeps its scores."""
    retrieved = {hit.row: hit for hit in ranking}
    rows = dict.fromkeys(row for hit in ranking for row in (hit.row, *around[hit.row]))
    return [retrieved.get(row) or Hit(passages[row].id, row, passages[row].language, 0.0) for row in rows]
