"""BM25 as an inner product: it is the score that tantivy gives, also after passages were removed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench.core.records import Passage, Query, top_k
from workbench.retrieval.lexical import LexicalIndex
from workbench.retrieval.milvus.indexes import LENGTHS, dimension, passage_vectors, query_vector, rounded_length

WORDS = ("radio", "lake", "night", "ferry", "bread", "oven", "tram", "shore", "snow", "light")
QUESTION = Query("radio at night on the lake", "en", ("en", "fi"))


def passages(count: int) -> list[Passage]:
    draw = random.Random(5)
    texts = (" ".join(draw.choices(WORDS, k=draw.randint(1, 400))) for _ in range(count))
    broken = (
        " ".join(word[:1] + "\x02" + word[1:] for word in text.split()) if n % 7 == 0 else text
        for n, text in enumerate(texts)
    )
    return [Passage(f"p{n}", f"d{n}", "", "en" if n % 3 else "fi", text) for n, text in enumerate(broken)]


def products(index: LexicalIndex, numbered: Sequence[tuple[int, Passage]]) -> dict[int, float]:
    query = query_vector(list(index.language_queries(QUESTION)))
    return {
        row: sum(weight * query.get(place, 0.0) for place, weight in vector.items())
        for _, row, vector in passage_vectors(index, numbered)
    }


def test_the_product_is_the_score(tmp_path: Path) -> None:
    numbered = list(enumerate(passages(60)))
    LexicalIndex.build(tmp_path, [passage for _, passage in numbered])
    index = LexicalIndex.open(tmp_path)
    scores = products(index, numbered)
    (ranking,) = index.retrieve([QUESTION], 60)
    assert len(ranking) > 40
    for hit in ranking:
        assert scores[hit.row] == pytest.approx(hit.score, rel=1e-4, abs=1e-4)


def test_after_removals_the_product_is_that_of_the_passages_left(tmp_path: Path) -> None:
    numbered = list(enumerate(passages(60)))
    LexicalIndex.build(tmp_path, [passage for _, passage in numbered])
    LexicalIndex.change(tmp_path, [], numbered[10:25], lambda: numbered)
    index = LexicalIndex.open(tmp_path)
    scores = products(index, [*numbered[:10], *numbered[25:]])
    for hit in index.retrieve([QUESTION], 60)[0]:
        assert scores[hit.row] == pytest.approx(hit.score, rel=1e-4, abs=1e-4)


def test_rows_are_scored_as_a_search_scores_them(tmp_path: Path) -> None:
    every = passages(60)
    LexicalIndex.build(tmp_path, every)
    LexicalIndex.change(tmp_path, [], list(enumerate(every))[10:25], lambda: enumerate(every))
    index = LexicalIndex.open(tmp_path)
    for part in index.language_queries(QUESTION):
        hits = part.search(60)
        assert top_k(part.scored(range(60)), 60) == tuple(hits)
        rows = [hit.row for hit in hits[1:4]]
        assert top_k(part.scored(rows), 3) == tuple(hits[1:4])


def test_a_token_has_a_dimension_of_its_own_in_each_shard() -> None:
    places = {dimension(code, "radio", ngrams=ngrams) for code in ("en", "fi") for ngrams in (False, True)}
    assert len(places) == 4 and max(places) < 2**32 - 1


def test_lengths_are_rounded_down_to_what_one_byte_can_stand_for() -> None:
    assert len(LENGTHS) == 256 and sorted(set(LENGTHS.tolist())) == LENGTHS.tolist()
    assert [rounded_length(n) for n in (0, 40, 41, 57, 60, 91, 150, 1_000)] == [0, 40, 40, 56, 60, 88, 144, 984]
