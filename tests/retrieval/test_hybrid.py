"""Hybrid search over two retrievers that give fixed rankings."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from workbench.core.errors import UsageError
from workbench.core.records import Hit, Query, Ranking
from workbench.retrieval.dense import LEVEL
from workbench.retrieval.hybrid import Fusion, HybridRetriever, MatchingRetriever, Normalisation, lexical_vote, weighted
from workbench.retrieval.lexical import NGRAMS

QUERY = Query("q", "en", ("en",))


class Fixed(MatchingRetriever):
    """Gives one ranking for every query, with a match share."""

    identity = ""

    def __init__(self, name: str, scores: dict[str, float], share: float = 0.0) -> None:
        self.identity = name
        self._share = share
        self._hits = tuple(Hit(id, ord(id), "en", score, {name: score}) for id, score in scores.items())

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        return [self._hits[:k] for _ in queries]

    def match_share(self, query: Query, ranking: Ranking) -> float:
        return self._share


def ids(ranking: Ranking) -> list[str]:
    return [hit.id for hit in ranking]


def hybrid(lexical: dict[str, float], dense: dict[str, float], share: float, fusion: Fusion = "weighted") -> Ranking:
    parts = Fixed("lexical", lexical, share), Fixed("dense", dense)
    return HybridRetriever(*parts, fusion=fusion).retrieve([QUERY], 10)[0]


def test_a_lexical_ranking_that_matched_nothing_of_the_question_does_not_move_the_dense_one() -> None:
    assert ids(hybrid({"c": 9.0}, {"a": 0.9, "b": 0.8, "c": 0.1}, share=0.0)) == ["a", "b", "c"]


def test_a_lexical_ranking_that_matched_the_question_outvotes_the_dense_one() -> None:
    assert ids(hybrid({"c": 9.0}, {"a": 0.9, "b": 0.8, "c": 0.1}, share=1.0))[0] == "c"


def test_the_hybrid_is_the_lexical_ranking_where_the_encoder_knows_nothing() -> None:
    assert ids(hybrid({"a": 9.0, "b": 3.0}, {}, share=0.0)) == ["a", "b"]


def test_the_hybrid_is_the_dense_ranking_where_no_word_is_known() -> None:
    assert ids(hybrid({}, {"b": 0.9, "a": 0.2}, share=0.0)) == ["b", "a"]


def test_a_hit_carries_the_scores_of_the_parts_that_saw_it() -> None:
    scores = {hit.id: hit.scores for hit in hybrid({"a": 9.0}, {"a": 0.9, "b": 0.2}, share=1.0)}
    assert set(scores["a"]) == {"lexical", "dense", "hybrid"}
    assert set(scores["b"]) == {"dense", "hybrid"}


def test_rrf_and_cc_score_under_their_names() -> None:
    assert hybrid({"a": 9.0}, {"b": 0.9}, 1.0, fusion="rrf")[0].scores["rrf"] == 1 / 61
    assert hybrid({"a": 9.0}, {"a": 0.9}, 1.0, fusion="cc")[0].scores["cc"] == 1.0


def test_dbsf_is_seven_tenths_of_the_lexical_distribution_and_three_of_the_dense() -> None:
    # Two scores of a part lie one deviation either side of its mean: (s - mean) / 6 sd + 1/2 is 2/3 and 1/3.
    ranking = hybrid({"a": 8.0, "b": 4.0}, {"b": 0.9, "c": 0.1}, 1.0, fusion="dbsf")
    assert {hit.id: hit.scores["dbsf"] for hit in ranking} == pytest.approx(
        {"a": 0.7 * 2 / 3, "b": 0.7 / 3 + 0.3 * 2 / 3, "c": 0.3 / 3}
    )
    assert ids(ranking) == ["a", "b", "c"]


def test_cc_adds_scores_as_its_normalisation_makes_them_comparable() -> None:
    parts = Fixed("lexical", {"a": 8.0, "b": 4.0}), Fixed("dense", {"b": 0.6, "c": 0.2})
    expected: dict[Normalisation, dict[str, float]] = {
        # By hand, with .25 for words: BM25 begins at 0 and a cosine at -1 in the second, one deviation is 2 and .2.
        "min-max": {"a": 0.25, "b": 0.75, "c": 0.0},
        "theoretical-min-max": {"a": 0.25, "b": 0.25 * 0.5 + 0.75, "c": 0.75 * 1.2 / 1.6},
        "z-score": {"a": 0.25, "b": -0.25 + 0.75, "c": -0.75},
        "distribution": {"a": 0.25 * 4 / 6, "b": 0.25 * 2 / 6 + 0.75 * 4 / 6, "c": 0.75 * 2 / 6},
    }
    for name, scores in expected.items():
        retriever = HybridRetriever(*parts, fusion="cc", lexical_weight=0.25, normalisation=name)
        (ranking,) = retriever.retrieve([QUERY], 10)
        assert {hit.id: hit.scores["cc"] for hit in ranking} == pytest.approx(scores), name


def test_the_normalisation_is_in_the_identity_of_cc_where_it_is_not_the_usual_one() -> None:
    parts = Fixed("lexical", {}), Fixed("dense", {})
    before = "cc dense=dense depth=100 lexical=lexical version=1 weight=0.5"
    assert HybridRetriever(*parts, fusion="cc", normalisation="min-max").identity == before
    assert HybridRetriever(*parts, fusion="cc", normalisation="z-score").identity != before
    dbsf = [HybridRetriever(*parts, fusion="dbsf", normalisation=name).identity for name in ("min-max", "z-score")]
    assert dbsf[0] == dbsf[1]


def test_dbsf_is_the_dense_order_where_no_word_is_known() -> None:
    assert ids(hybrid({}, {"b": 0.9, "a": 0.2, "c": 0.1}, 0.0, fusion="dbsf")) == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("fusion", "identity"),
    [
        ("weighted", "hybrid dense=dense depth=100 lexical=lexical version=1 weight=0.9"),
        ("rrf", "rrf dense=dense depth=100 lexical=lexical version=1 weight=0.5"),
        ("cc", "cc dense=dense depth=100 lexical=lexical version=1 weight=0.5"),
        ("dbsf", "dbsf dense=dense depth=100 lexical=lexical version=1 weight=0.7"),
    ],
)
def test_each_fusion_keeps_the_identity_by_which_its_steps_are_remembered(fusion: Fusion, identity: str) -> None:
    parts = Fixed("lexical", {}), Fixed("dense", {})
    assert HybridRetriever(*parts, fusion=fusion).identity == identity


def test_equal_scores_come_in_order_of_row() -> None:
    assert ids(hybrid({"b": 9.0}, {"a": 0.9}, 1.0, fusion="rrf")) == ["a", "b"]


def test_zero_hits_are_none() -> None:
    assert HybridRetriever(Fixed("lexical", {"a": 1.0}), Fixed("dense", {})).retrieve([QUERY], 0) == [()]


def test_an_unknown_fusion_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(UsageError, match="cc, dbsf, rrf, weighted"):
        hybrid({}, {}, 0.0, fusion="sum")  # type: ignore[arg-type]


def test_the_best_lexical_hit_ranks_no_higher_than_the_best_dense_one_of_its_language() -> None:
    assert weighted({"a": 8.0, "b": 4.0}, {"b": 0.6}, 0.6, 0.5) == pytest.approx({"a": 0.3, "b": 0.45})


def test_a_language_rich_in_the_question_s_words_does_not_outvote_the_dense_part_s_choice_of_language() -> None:
    lexical, dense = Fixed("lexical", {"a": 9.0}, share=1.0), Fixed("dense", {"b": 0.9, "a": 0.3, "c": 0.1})
    dense._hits = tuple(replace(hit, language="fi") if hit.id == "b" else hit for hit in dense._hits)
    assert ids(HybridRetriever(lexical, dense).retrieve([Query("q", "en", ("en", "fi"))], 3)[0]) == ["b", "a", "c"]


def test_the_lexical_vote_grows_with_the_match_and_counts_less_across_languages() -> None:
    assert lexical_vote(0.15, True, 0.8) == pytest.approx(0.4)
    assert lexical_vote(0.5, False, 0.8) == pytest.approx(0.4)
    assert lexical_vote(1.0, True, 0.8) == 0.8
    assert lexical_vote(0.0, True, 0.8) == 0.0


def test_a_passage_with_broken_words_counts_by_its_letters_beside_an_encoder_that_counts_half() -> None:
    lexical, dense = Fixed("lexical", {"a": 9.0, "b": 7.0}, share=1.0), Fixed("dense", {"b": 0.9, "c": 0.5, "d": 0.1})
    retriever = HybridRetriever(lexical, dense, lexical_weight=0.5)
    assert ids(retriever.retrieve([QUERY], 4)[0]) == ["b", "a", "c", "d"]
    lexical._hits = tuple(replace(h, scores={**h.scores, NGRAMS: 1.0}) if h.id == "a" else h for h in lexical._hits)
    assert {hit.id: hit.score for hit in retriever.retrieve([QUERY], 4)[0]} == pytest.approx(
        {"a": 0.85, "b": 0.5 * 7 / 9 + 0.5, "c": 0.25, "d": 0.0}
    )


def test_a_hybrid_without_a_lexical_part_gives_broken_words_none_either() -> None:
    lexical, dense = Fixed("lexical", {"a": 9.0}, share=1.0), Fixed("dense", {"b": 0.9, "c": 0.1})
    lexical._hits = tuple(replace(hit, scores={**hit.scores, NGRAMS: 1.0}) for hit in lexical._hits)
    ranking = HybridRetriever(lexical, dense, lexical_weight=0.0).retrieve([QUERY], 3)[0]
    assert {hit.id: hit.score for hit in ranking}["a"] == 0.0


def test_a_language_with_broken_words_is_not_levelled() -> None:
    lexical, dense = Fixed("lexical", {"a": 9.0}, share=0.0), Fixed("dense", {"b": 0.8, "a": 0.7, "c": 0.1})
    dense._hits = tuple(
        replace(hit, scores={**hit.scores, LEVEL: 0.2}) if hit.id == "a" else hit for hit in dense._hits
    )
    dense._hits = tuple(hit if hit.id == "a" else replace(hit, language="fi") for hit in dense._hits)
    retriever, query = HybridRetriever(lexical, dense), Query("q", "en", ("en", "fi"))
    assert ids(retriever.retrieve([query], 3)[0]) == ["b", "a", "c"]
    lexical._hits = tuple(replace(hit, scores={**hit.scores, NGRAMS: 1.0}) for hit in lexical._hits)
    assert ids(retriever.retrieve([query], 3)[0]) == ["a", "b", "c"]
