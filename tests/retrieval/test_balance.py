"""Balancing a ranking over the languages of a scope."""

from collections.abc import Sequence

import pytest

from workbench.core.errors import UsageError
from workbench.core.protocols import Retriever
from workbench.core.records import Hit, Query, Ranking
from workbench.retrieval.balance import BalancedRetriever, equal, normalised

EN = tuple(Hit(f"en{i}", i, "en", score) for i, score in enumerate((0.9, 0.8, 0.7)))
FI = (Hit("fi0", 10, "fi", 0.3), Hit("fi1", 11, "fi", 0.1))


class Fixed(Retriever):
    """Gives EN and FI, whichever are in scope, best first."""

    identity = "fixed"

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        return [tuple(hit for hit in (*EN, *FI) if hit.language in query.languages)[:k] for query in queries]


def ids(ranking: Ranking) -> list[str]:
    return [hit.id for hit in ranking]


def test_equal_takes_the_first_of_each_language_then_the_second() -> None:
    assert ids(equal([EN, FI], 4)) == ["en0", "fi0", "en1", "fi1"]


def test_equal_gives_the_places_of_a_short_language_to_the_others() -> None:
    assert ids(equal([EN, FI], 5)) == ["en0", "fi0", "en1", "fi1", "en2"]


def test_a_balanced_hit_keeps_its_scores_and_adds_one() -> None:
    hit = equal([(Hit("a", 0, "en", 0.9, {"dense": 0.9}),)], 1)[0]
    assert hit.score == 1.0
    assert hit.scores == {"dense": 0.9, "balance": 1.0}


def test_normalised_compares_passages_by_deviation_within_their_language() -> None:
    # z-scores: en 1.22, 0, -1.22; fi 1, -1
    assert ids(normalised([EN, FI], 5)) == ["en0", "fi0", "en1", "fi1", "en2"]


def test_a_balanced_retriever_searches_each_language_and_merges() -> None:
    queries = [Query("q", "fi", ("en", "fi")), Query("q", "fi", ("fi",))]
    assert [ids(r) for r in BalancedRetriever(Fixed(), "equal").retrieve(queries, 2)] == [
        ["en0", "fi0"],
        ["fi0", "fi1"],
    ]


def test_scores_never_rise_along_a_balanced_ranking() -> None:
    for how in ("equal", "normalised"):
        scores = [hit.score for hit in BalancedRetriever(Fixed(), how).retrieve([Query("q", "fi", ("en", "fi"))], 5)[0]]
        assert scores == sorted(scores, reverse=True)


def test_an_unknown_balance_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(UsageError, match="equal, none, normalised"):
        BalancedRetriever(Fixed(), "fair")  # type: ignore[arg-type]
