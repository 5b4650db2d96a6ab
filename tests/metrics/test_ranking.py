"""Rankings by hit, recall, precision, MRR, MAP and nDCG: worked by hand, then against an implementation of our own."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

import pytest
from hypothesis import given, settings, strategies as st

from workbench.core.records import Hit, Ranking
from workbench.metrics.ranking import RANKING_MEASURES, score_rankings, trec_run


def ranked(*ids: str, score: float | None = None) -> Ranking:
    """Hits in this order, scores falling by one, or all with one score."""
    return tuple(
        Hit(id=name, row=row, language=name.split(".")[-1], score=float(-row) if score is None else score)
        for row, name in enumerate(ids)
    )


def languages(*ids: str) -> dict[str, str]:
    return {name: name.split(".")[-1] for name in ids}


def test_a_gold_passage_in_third_place() -> None:
    scores = score_rankings({"q": ranked("a.en", "b.en", "c.en")}, {"q": ["c.en"]}, ["en"], languages("c.en"))
    assert scores.n == 1 and scores.unscored == 0
    assert scores.means == pytest.approx(
        {
            "hit@1": 0,
            "hit@3": 1,
            "hit@5": 1,
            "hit@10": 1,
            "recall@1": 0,
            "recall@5": 1,
            "recall@10": 1,
            "recall@50": 1,
            "p@1": 0,
            "p@5": 1 / 5,
            "p@10": 1 / 10,
            "mrr": 1 / 3,
            "map": 1 / 3,
            "ndcg@5": 1 / log2(4),
            "ndcg@10": 1 / log2(4),
        }
    )


def test_two_gold_passages_in_second_and_fourth_place() -> None:
    scores = score_rankings(
        {"q": ranked("a.en", "b.en", "c.en", "d.en")}, {"q": ["d.en", "b.en"]}, ["en"], languages("b.en", "d.en")
    )
    assert scores.means["mrr"] == pytest.approx(1 / 2)
    assert scores.means["ndcg@10"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)))


def test_a_perfect_ranking_has_one_throughout() -> None:
    ids = [f"p{number}.en" for number in range(12)]
    scores = score_rankings({"q": ranked(*ids)}, {"q": ids}, ["en"], languages(*ids))
    for name in ("hit@1", "recall@50", "p@1", "p@10", "mrr", "map", "ndcg@5", "ndcg@10"):
        assert scores.means[name] == pytest.approx(1.0), name
    assert scores.means["recall@10"] == pytest.approx(10 / 12)


def test_average_precision_of_gold_in_first_and_third_place() -> None:
    scores = score_rankings(
        {"q": ranked("a.en", "b.en", "c.en")}, {"q": ["a.en", "c.en"]}, ["en"], languages("a.en", "c.en")
    )
    assert scores.means["map"] == pytest.approx((1 + 2 / 3) / 2)


def test_a_passage_that_stands_twice_counts_at_its_first_place() -> None:
    scores = score_rankings(
        {"q": ranked("a.en", "b.en", "a.en", "c.en")}, {"q": ["a.en", "c.en"]}, ["en"], languages("a.en", "c.en")
    )
    assert scores.means["map"] == pytest.approx((1 + 2 / 3) / 2)


def test_every_question_has_scores_for_paired_tests() -> None:
    scores = score_rankings(
        {"q1": ranked("a.en", "b.en"), "q2": ranked("a.en")}, {"q1": ["b.en"]}, ["en"], languages("b.en")
    )
    assert scores.by_question["q1"]["mrr"].value == pytest.approx(1 / 2)
    assert scores.by_question["q2"]["mrr"].value is None and scores.by_question["q2"]["mrr"].reason


def test_a_gold_passage_that_was_not_retrieved_counts_as_zero() -> None:
    scores = score_rankings(
        {"found": ranked("a.en"), "lost": ranked("b.en"), "empty": ()},
        {"found": ["a.en"], "lost": ["x.en"], "empty": ["y.en"]},
        ["en"],
        languages("a.en", "x.en", "y.en"),
    )
    assert scores.n == 3 and scores.unscored == 0
    assert scores.means["mrr"] == pytest.approx(1 / 3)
    assert scores.means["hit@10"] == pytest.approx(1 / 3)


def test_a_gold_passage_beyond_the_tenth_place_counts_for_mrr_alone() -> None:
    ids = [f"p{number:02d}.en" for number in range(12)]
    scores = score_rankings({"q": ranked(*ids)}, {"q": ["p11.en"]}, ["en"], languages(*ids))
    assert scores.means["mrr"] == pytest.approx(1 / 12)
    assert scores.means["hit@10"] == 0 and scores.means["ndcg@10"] == 0


def test_a_question_whose_gold_lies_outside_the_scope_is_unscored_and_counted() -> None:
    scores = score_rankings(
        {"q1": ranked("a.en"), "q2": ranked("a.en"), "q3": ranked("a.en")},
        {"q1": ["a.en"], "q2": ["b.fi"], "q3": []},
        ["en"],
        languages("a.en", "b.fi"),
    )
    assert (scores.n, scores.unscored) == (1, 2)
    assert scores.means["mrr"] == 1.0


def test_only_gold_within_the_scope_is_hoped_for() -> None:
    scores = score_rankings(
        {"q": ranked("a.en")}, {"q": ["a.en", "a.fi", "a.th"]}, ["en"], languages("a.en", "a.fi", "a.th")
    )
    assert scores.means["ndcg@10"] == pytest.approx(1.0)


def test_a_gold_passage_that_the_corpus_lacks_is_not_hoped_for() -> None:
    scores = score_rankings({"q": ranked("a.en")}, {"q": ["a.en", "gone.en"]}, ["en"], languages("a.en"))
    assert scores.means["ndcg@10"] == pytest.approx(1.0)


def test_nothing_scored_has_no_means_rather_than_noughts() -> None:
    scores = score_rankings({"q": ranked("a.en")}, {}, ["en"], {})
    assert (scores.n, scores.unscored) == (0, 1)
    assert scores.means == dict.fromkeys(RANKING_MEASURES)


def test_ties_keep_our_order() -> None:
    ids = ["z.en", "a.en", "m.en"]
    for place, gold in enumerate(ids, start=1):
        scores = score_rankings({"q": ranked(*ids, score=1.0)}, {"q": [gold]}, ["en"], languages(gold))
        assert scores.means["mrr"] == pytest.approx(1 / place)


def by_hand(ranking: Ranking, gold: set[str]) -> Mapping[str, float]:
    """The same measures, written from their definitions."""
    places = [rank for rank, hit in enumerate(ranking, start=1) if hit.id in gold]
    first = min(places, default=0)
    gains = {k: sum(1 / log2(rank + 1) for rank in places if rank <= k) for k in (5, 10)}
    ideals = {k: sum(1 / log2(rank + 1) for rank in range(1, min(len(gold), k) + 1)) for k in (5, 10)}
    within = {k: sum(rank <= k for rank in places) for k in (1, 5, 10, 50)}
    return {
        **{f"hit@{k}": float(0 < first <= k) for k in (1, 3, 5, 10)},
        **{f"recall@{k}": hits / len(gold) for k, hits in within.items()},
        **{f"p@{k}": hits / k for k, hits in within.items()},
        "mrr": 1 / first if first else 0.0,
        "map": sum(number / rank for number, rank in enumerate(places, start=1)) / len(gold),
        **{f"ndcg@{k}": gain / ideals[k] for k, gain in gains.items()},
    }


IDS = [f"p{number}.en" for number in range(30)]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(IDS), unique=True), st.sets(st.sampled_from(IDS), min_size=1)),
        min_size=1,
        max_size=6,
    )
)
def test_it_agrees_with_an_independent_implementation(cases: list[tuple[list[str], set[str]]]) -> None:
    rankings = {f"q{number}": ranked(*ids) for number, (ids, _) in enumerate(cases)}
    gold = {f"q{number}": sorted(right) for number, (_, right) in enumerate(cases)}
    ours = score_rankings(rankings, gold, ["en"], languages(*IDS))
    theirs = [by_hand(ranking, set(gold[name])) for name, ranking in rankings.items()]
    for name in RANKING_MEASURES:
        assert ours.means[name] == pytest.approx(sum(item[name] for item in theirs) / len(theirs)), name


def test_a_trec_run_has_a_line_a_hit_in_six_columns() -> None:
    rankings = {"q1": (Hit("a.en", 0, "en", 2.5), Hit("b.en", 1, "en", 0.25)), "q2": ()}
    assert trec_run(rankings, "hybrid") == "q1 Q0 a.en 1 2.5 hybrid\nq1 Q0 b.en 2 0.25 hybrid\n"


def test_white_space_in_a_name_does_not_add_a_column_to_a_trec_run() -> None:
    line = trec_run({"who was it": (Hit("a\u00a0en", 0, "en", 1.0),)}, "my hybrid").splitlines()[0]
    assert len(line.split()) == 6


@pytest.mark.parametrize("scores", [(0.5, 0.5, 0.5), (0.3, 0.1, 0.9), (0.12345678, 0.12345677, 0.0), (1e6, 1e6, 0.0)])
def test_an_evaluator_that_sorts_a_trec_run_by_score_has_our_order(scores: tuple[float, ...]) -> None:
    import ir_measures

    # Ties would go by id, downwards or upwards.
    for ids in (("z", "m", "a"), ("a", "m", "z")):
        text = trec_run({"q": tuple(Hit(name, 0, "en", score) for name, score in zip(ids, scores, strict=True))}, "x")
        for place, name in enumerate(ids, start=1):
            (value,) = ir_measures.iter_calc(
                [ir_measures.parse_measure("RR")],
                [ir_measures.Qrel("q", name, 1)],
                list(ir_measures.read_trec_run(text)),
            )
            assert value.value == pytest.approx(1 / place)


def test_a_passage_that_stands_twice_is_written_at_its_first_place() -> None:
    lines = trec_run({"q": ranked("a", "b", "a", score=1.0)}, "x").splitlines()
    assert [line.split()[2:4] for line in lines] == [["a", "1"], ["b", "2"]]
