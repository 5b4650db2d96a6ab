"""What a search is said to take, beside what it takes, and the cap on it."""

from __future__ import annotations

from datetime import date

import pytest

from tests.optimise.searches import evaluator_of, searched, small_space
from workbench.app.workbench import Workbench
from workbench.core.records import Generation, Usage
from workbench.models.llm.cost import Price, PriceTable
from workbench.optimise.forecast import forecast, most_recipes
from workbench.optimise.spending import FIRST_CALLS, Cap, CapReached, SearchOptions, SpendingGuard, Spent
from workbench.pipeline.answering import Generate
from workbench.pipeline.searching import Retrieve
from workbench.pipeline.stage import BoundStage, State

PRICES = PriceTable(
    models={"m": Price(prompt=1_000_000, completion=2_000_000, source="a page", date=date(2026, 1, 31))}
)


def calling(name: str = "generate") -> BoundStage:
    return BoundStage(object.__new__(Generate), name, "a generator")


def answers(count: int, prompt: int, completion: int) -> list[State]:
    usage = Usage(prompt, completion, False)
    return [State("q", "en", generation=Generation("a", usage=usage)) for _ in range(count)]


def guard_of(**limits: float) -> SpendingGuard:
    return SpendingGuard(Cap.model_validate(limits), PRICES, lambda _: "m")


def test_the_calls_foreseen_of_an_exhaustive_search_are_those_that_it_makes(workbench: Workbench) -> None:
    module = {"name": "BM25", "values": {"retriever": ["lexical"], "candidates": [10, 20, 50], "k": [1]}}
    space = small_space(nodes=[{"node": "retrieval", "modules": [module]}])
    foreseen = forecast(workbench, space, SearchOptions(holdout=0.0), pilot=0)
    assert foreseen.exact_calls and (foreseen.recipes, foreseen.questions) == (3, 6)
    # The first passage is the same whatever the number of candidates, so the prompt is.
    assert foreseen.steps["rerank"] > foreseen.calls == 6
    _, _, row = searched(workbench, space)
    assert row.spent.calls == foreseen.calls


def test_what_was_counted_is_left_in_the_cache_for_the_search(workbench: Workbench) -> None:
    foreseen = forecast(workbench, small_space(), SearchOptions(holdout=0.0), pilot=0)
    assert foreseen.remaining["retrieve"] == 0 < foreseen.steps["retrieve"]
    evaluator = evaluator_of(workbench, small_space())
    evaluator.evaluate(list(small_space().recipes()), ["char3_recall"])
    assert not evaluator.counts.ran["retrieve"]


def test_a_pilot_gives_the_time_and_leaves_its_steps_in_the_cache(workbench: Workbench) -> None:
    without = forecast(workbench, small_space(), SearchOptions(holdout=0.0), pilot=0)
    foreseen = forecast(workbench, small_space(), SearchOptions(holdout=0.0), pilot=2)
    assert without.seconds is None and foreseen.seconds is not None and foreseen.seconds > 0
    assert foreseen.calls < without.calls and not foreseen.unmet


def test_of_an_adaptive_search_the_calls_are_a_bound(workbench: Workbench) -> None:
    foreseen = forecast(workbench, small_space(), SearchOptions(strategy="greedy", holdout=0.0), pilot=0)
    assert not foreseen.exact_calls
    _, _, row = searched(workbench, small_space(), strategy="greedy")
    assert 0 < row.spent.calls <= foreseen.calls


def test_what_confirming_takes_is_a_bound_beside_the_exact_calls_of_the_search(workbench: Workbench) -> None:
    space = small_space(questions=4)
    foreseen = forecast(workbench, space, SearchOptions(), pilot=0)
    assert foreseen.exact_calls and foreseen.confirmation is not None
    assert (foreseen.questions, foreseen.groups, foreseen.confirmation.questions) == (4, 2, 4)
    _, _, row = searched(workbench, space, holdout=0.5)
    assert foreseen.calls < row.spent.calls <= foreseen.calls + foreseen.confirmation.calls


def test_a_pilot_tells_how_much_recipes_differ(workbench: Workbench) -> None:
    space = small_space(questions=10)
    spread = forecast(workbench, space, SearchOptions(), pilot=3).spread
    assert spread is not None and 0 < spread.value < spread.high
    assert forecast(workbench, small_space(), SearchOptions(), pilot=2).spread is None


def test_how_many_recipes_a_strategy_measures_at_most() -> None:
    space = small_space()
    counts = {
        name: most_recipes(space, SearchOptions(strategy=name, trials=trials))
        for name, trials in (("exhaustive", None), ("greedy", None), ("random", 4), ("tpe", 50), ("race", 3))
    }
    assert counts == {"exhaustive": 6, "greedy": 6, "random": 4, "tpe": 6, "race": 3}


def test_a_search_of_rankings_alone_calls_no_generator(workbench: Workbench) -> None:
    foreseen = forecast(workbench, small_space(objective="mrr"), SearchOptions(), pilot=0)
    assert foreseen.calls == 0 and set(foreseen.steps) == {"retrieve"}


def test_a_cap_of_calls_covers_calls_alone() -> None:
    guard = guard_of(calls=10)
    assert guard.allow(BoundStage(object.__new__(Retrieve), "retrieve", "a retriever"), answers(64, 0, 0)) == 64
    assert guard.allow(calling(), answers(64, 0, 0)) == 10
    guard.ran(calling(), answers(10, 5, 1), 1.0)
    with pytest.raises(CapReached, match="limit of 10 calls of a generator"):
        guard.allow(calling(), answers(1, 0, 0))


def test_a_cap_of_tokens_assumes_the_most_that_a_call_has_taken() -> None:
    guard = guard_of(tokens=100)
    assert guard.allow(calling(), answers(64, 0, 0)) == FIRST_CALLS
    guard.ran(calling(), [*answers(3, 4, 1), *answers(1, 20, 5)], 1.0)
    assert guard.spent.tokens == 40
    assert guard.allow(calling(), answers(64, 0, 0)) == 2


def test_a_cap_of_money_is_by_the_price_table() -> None:
    guard = guard_of(money=10)
    guard.ran(calling(), answers(2, 1, 1), 1.0)
    assert guard.spent.money == 6.0
    assert guard.allow(calling(), answers(64, 0, 0)) == 1


def test_a_call_without_a_price_is_counted_as_unpriced() -> None:
    guard = SpendingGuard(Cap(), PRICES, lambda _: "another")
    guard.ran(calling(), answers(2, 1, 1), 1.0)
    assert (guard.spent.money, guard.spent.unpriced) == (0.0, 2)


def test_a_cap_holds_over_all_processes_of_a_search() -> None:
    guard = SpendingGuard(Cap(calls=10), PRICES, lambda _: "m", Spent(steps={"generate": 8}))
    assert guard.allow(calling(), answers(64, 0, 0)) == 2
