"""Neighbours of candidates: by hand over a real table and a real dense index, and against another way of computing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from workbench.core.protocols import FloatArray
from workbench.core.records import Hit, Passage, Query, Ranking, with_score
from workbench.data.corpora.corpus import NeighbourAugmenter, rows_in_order
from workbench.data.corpora.passage_table import PassageTable, write_table
from workbench.retrieval.dense import VectorSearch

QUERY = Query("q", "en", ("en", "fi"))


class Likeness(VectorSearch):
    """Gives each row a fixed likeness to every question, 0 unless named."""

    identity = ""

    def __init__(self, **likeness: float) -> None:
        self.identity = "likeness"
        self._likeness = {int(row.removeprefix("row")): score for row, score in likeness.items()}

    def encode(self, queries: Sequence[Query]) -> FloatArray:
        return np.ones((len(queries), 1), dtype=np.float32)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        return [()] * len(queries)

    def nearest(self, queries: Sequence[Query], vectors: FloatArray, k: int) -> list[Ranking]:
        return [()] * len(queries)

    def scored(self, hits: Sequence[Hit], query: Query, vector: FloatArray) -> list[Hit]:
        return [with_score(hit, self._likeness.get(hit.row, 0.0), "dense") for hit in hits]


def passage(document: str, position: int, language: str = "en") -> Passage:
    return Passage(f"{document}.{language}.{position}", document, "", language, "text", position)


def table(folder: Path, passages: Sequence[Passage], removed: Sequence[int] = ()) -> PassageTable:
    write_table(folder / "t", passages)
    return PassageTable(folder / "t", removed=np.array(removed, dtype=np.int64))


def candidates(of: PassageTable, *rows: int) -> Ranking:
    passages = of.passages(rows)
    return tuple(
        Hit(item.id, row, item.language, 1 / place, {"bm25": 1 / place})
        for place, (row, item) in enumerate(zip(rows, passages, strict=True), start=1)
    )


def augmented(of: PassageTable, *rows: int, count: int = 1, side: str = "both", **likeness: float) -> list[str]:
    augmenter = NeighbourAugmenter(of, Likeness(**likeness), count, side)  # type: ignore[arg-type]
    (ranking,) = augmenter.augment([QUERY], [candidates(of, *rows)])
    return [hit.id for hit in ranking]


LONG = [passage("a", position) for position in range(5)]


def test_the_passages_before_and_after_join_by_their_likeness(tmp_path: Path) -> None:
    of = table(tmp_path, LONG)
    assert augmented(of, 2, row1=0.2, row2=0.5, row3=0.9) == ["a.en.3", "a.en.2", "a.en.1"]


@pytest.mark.parametrize(
    ("side", "ids"),
    [
        ("both", ["a.en.2", "a.en.1", "a.en.3", "a.en.0", "a.en.4"]),
        ("previous", ["a.en.2", "a.en.1", "a.en.0"]),
        ("next", ["a.en.2", "a.en.3", "a.en.4"]),
    ],
)
def test_equal_scores_leave_a_candidate_first_and_the_nearer_neighbours_next(
    tmp_path: Path, side: str, ids: list[str]
) -> None:
    assert augmented(table(tmp_path, LONG), 2, count=2, side=side) == ids


def test_a_neighbour_never_comes_from_another_document_or_language(tmp_path: Path) -> None:
    of = table(
        tmp_path, [passage("a", 0), passage("b", 0), passage("b", 0, "fi"), passage("b", 1, "fi"), passage("c", 0)]
    )
    assert augmented(of, 1, count=2) == ["b.en.0"]
    assert augmented(of, 2, count=2) == ["b.fi.0", "b.fi.1"]


def test_a_document_is_in_the_order_of_its_positions_wherever_its_rows_are(tmp_path: Path) -> None:
    of = table(tmp_path, [passage("a", 2), passage("b", 0), passage("a", 0), passage("b", 1), passage("a", 1)])
    assert augmented(of, 4) == ["a.en.1", "a.en.0", "a.en.2"]


def test_a_removed_passage_is_passed_over(tmp_path: Path) -> None:
    of = table(tmp_path, LONG, removed=[1])
    assert augmented(of, 2, side="previous") == ["a.en.2", "a.en.0"]


def test_a_passage_that_joins_twice_or_was_retrieved_is_there_once_with_its_scores(tmp_path: Path) -> None:
    of = table(tmp_path, LONG)
    augmenter = NeighbourAugmenter(of, Likeness(row1=0.3, row3=0.4), 1)
    (ranking,) = augmenter.augment([QUERY], [candidates(of, 1, 3)])
    assert [hit.id for hit in ranking] == ["a.en.3", "a.en.1", "a.en.0", "a.en.2", "a.en.4"]
    assert dict(ranking[0].scores) == {"bm25": 0.5, "similarity": 0.4} and ranking[0].score == 0.4
    assert dict(ranking[2].scores) == {"similarity": 0.0}


def test_each_question_has_its_candidates_and_none_has_nothing(tmp_path: Path) -> None:
    of = table(tmp_path, LONG)
    augmenter = NeighbourAugmenter(of, Likeness(), 1, "next")
    rankings = augmenter.augment([QUERY] * 3, [candidates(of, 0), (), candidates(of, 4)])
    assert [[hit.id for hit in ranking] for ranking in rankings] == [["a.en.0", "a.en.1"], [], ["a.en.4"]]
    assert augmenter.augment([], []) == []


def test_number_and_side_are_in_the_identity(tmp_path: Path) -> None:
    of = table(tmp_path, LONG)
    kinds = [NeighbourAugmenter(of, Likeness(), count, side) for count in (1, 2) for side in ("both", "previous")]
    assert len({kind.identity for kind in kinds}) == 4


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(data=st.data())
def test_what_joins_is_what_chains_of_neighbours_lead_to(data: st.DataObject, tmp_path: Path) -> None:
    """Another way: each passage points to the one before and the one after it, as AutoRAG's corpora do."""
    keys = data.draw(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["en", "fi"])), min_size=1, max_size=12))
    positions: dict[tuple[str, str], int] = {}
    passages = []
    for document, language in keys:
        number = positions[document, language] = positions.get((document, language), -1) + 1
        passages.append(passage(document, number, language))
    gone = data.draw(st.sets(st.integers(0, len(keys) - 1), max_size=len(keys) - 1))
    live = [row for row in range(len(keys)) if row not in gone]
    rows = data.draw(st.lists(st.sampled_from(live), min_size=1, unique=True))
    count, side = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["both", "previous", "next"]))
    before: dict[int, int] = {}
    last: dict[tuple[str, str], int] = {}
    for row in live:
        if keys[row] in last:
            before[row] = last[keys[row]]
        last[keys[row]] = row
    after = {earlier: row for row, earlier in before.items()}
    expected = set(rows)
    for pointers, other in ((before, "next"), (after, "previous")):
        for row in rows if side != other else []:
            for _ in range(count):
                if row not in pointers:
                    break
                row = pointers[row]
                expected.add(row)
    ours = augmented(table(tmp_path, passages, sorted(gone)), *rows, count=count, side=side)
    assert sorted(ours) == sorted(passages[row].id for row in expected)


def test_the_rows_of_a_table_that_grew_are_in_order_too(tmp_path: Path) -> None:
    write_table(tmp_path / "one", [passage("a", 1), passage("b", 0)])
    write_table(tmp_path / "two", [passage("a", 0), replace(passage("b", 0), page=3)])
    of = PassageTable(tmp_path / "one", tmp_path / "two")
    assert rows_in_order(of, {"a", "b", "c"}) == {("a", "en"): [2, 0], ("b", "en"): [1, 3]}
