"""A corpus gives the same results in Milvus as in its files: every way of searching, every scope, scores included."""

from __future__ import annotations

import pytest

from tests.milvus.conftest import TwoPlaces
from workbench.core.protocols import Retriever
from workbench.core.records import Query
from workbench.pipeline.choices import ScopeName, languages_in
from workbench.pipeline.recipe import Recipe
from workbench.retrieval.milvus.indexes import MilvusDenseIndex, MilvusLexicalIndex, MilvusSparseIndex

SCOPES: tuple[ScopeName, ...] = ("en", "ul", "en+ul", "all")
WAYS = {
    "lexical": Recipe(retriever="lexical"),
    "dense": Recipe(retriever="dense", encoder="builtin"),
    "hybrid": Recipe(retriever="hybrid", encoder="builtin"),
    "rrf": Recipe(retriever="rrf", encoder="builtin"),
    "balanced": Recipe(retriever="hybrid", encoder="builtin", balance="equal"),
}


def sample_queries(places: TwoPlaces, scope: ScopeName, languages: int | None = None) -> list[Query]:
    """The beginning of a passage of each language, or of the first few."""
    corpus = places.files.corpus("sample")
    firsts = {passage.language: passage.text[:90] for passage in corpus.table}
    return [Query(text, code, languages_in(scope, code, corpus.languages)) for code, text in firsts.items()][:languages]


def assert_same(one: Retriever, other: Retriever, questions: list[Query]) -> None:
    files, milvus = one.retrieve(questions, 10), other.retrieve(questions, 10)
    assert files == milvus
    assert any(files)


def retrievers(places: TwoPlaces, recipe: Recipe) -> tuple[Retriever, Retriever]:
    one, other = (
        bench.registry.components(recipe, corpus).retriever
        for bench, corpus in zip((places.files, places.milvus), places.corpora, strict=True)
    )
    return one, other


def test_the_sample_is_searched_in_milvus_in_one_place_and_in_files_in_the_other(places: TwoPlaces) -> None:
    files, milvus = places.corpora
    assert not isinstance(files.lexical, MilvusLexicalIndex) and not isinstance(files.dense, MilvusDenseIndex)
    assert isinstance(milvus.lexical, MilvusLexicalIndex) and isinstance(milvus.dense, MilvusDenseIndex)
    assert isinstance(places.sparse()[1], MilvusSparseIndex)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("way", WAYS)
def test_rankings_and_scores_are_the_same_in_every_scope(places: TwoPlaces, way: str, scope: ScopeName) -> None:
    one, other = retrievers(places, WAYS[way])
    assert_same(one, other, sample_queries(places, scope))


@pytest.mark.parametrize("scope", SCOPES)
def test_learned_sparse_rankings_are_the_same_in_every_scope(places: TwoPlaces, scope: ScopeName) -> None:
    one, other = places.sparse()
    assert_same(one, other, sample_queries(places, scope))


@pytest.mark.parametrize("scope", SCOPES)
def test_levelled_and_joined_rankings_of_a_trained_encoder_are_the_same_in_every_scope(
    places: TwoPlaces, scope: ScopeName
) -> None:
    one, other = retrievers(places, Recipe(retriever="hybrid", encoder="e5-small"))
    assert_same(one, other, sample_queries(places, scope, 4))


@pytest.mark.parametrize("way", [*WAYS, "sparse"])
def test_exact_indexes_have_the_same_identity_so_that_cached_steps_serve_both(places: TwoPlaces, way: str) -> None:
    one, other = places.sparse() if way == "sparse" else retrievers(places, WAYS[way])
    assert one.identity == other.identity


def test_a_question_that_no_passage_shares_a_token_with_has_no_hits(places: TwoPlaces) -> None:
    _, milvus = places.corpora
    assert milvus.lexical.retrieve([Query("zzzqqq", "en", ("en",))], 10) == [()]


def test_equal_passages_at_the_cut_come_in_order_of_row(places: TwoPlaces) -> None:
    """A token that many passages hold as often, in texts of as many tokens, would be cut anywhere."""
    files, milvus = places.corpora
    questions = [Query(word, "en", files.languages) for word in ("the", "and of", "2 1 the")]
    for k in (1, 3, 40):
        assert files.lexical.retrieve(questions, k) == milvus.lexical.retrieve(questions, k)


def test_ids_are_looked_up_without_milvus(places: TwoPlaces) -> None:
    files, milvus = places.corpora
    ids = [passage.id for passage in files.table.passages([0, 5])]
    assert milvus.lexical.rows_of(ids) == dict(zip(ids, (0, 5), strict=True))


def test_ask_gives_the_same_answer(places: TwoPlaces) -> None:
    recipe = Recipe(encoder="builtin")
    one, other = (bench.ask("What is a lake?", "en", recipe, cached=False) for bench in (places.files, places.milvus))
    assert one.text == other.text
    assert one.evidence == other.evidence
