"""Neighbours and filters in a chain: where they stand, what they read, and what comes where nothing passes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tests.pipeline.fakes import DoublingAugmenter, FakeParts, MemoryCache
from workbench.core.records import Hit
from workbench.experiments.perturbation import perturbed
from workbench.experiments.phases import derive_phases
from workbench.pipeline.chain import build_chain
from workbench.pipeline.executor import Executor, TracedState
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.searching import passing
from workbench.pipeline.stage import Chain, State, bind

SCOPE = ("en", "fi", "th")
QUESTION = State("Mikä?", "fi", SCOPE)


def chain(fakes: FakeParts | None = None, /, **choices: object) -> Chain:
    parts = (fakes or FakeParts()).parts
    recipe = make_recipe(choices)
    return build_chain(recipe, replace(parts, augmenter=DoublingAugmenter() if recipe.neighbours else None))


def answered(state: State = QUESTION, **choices: object) -> TracedState:
    return Executor().run(chain(**choices), [state])[0]


def hits(*scores: float) -> list[Hit]:
    return [Hit(str(place), place, "en", score) for place, score in enumerate(scores)]


def test_each_stands_in_its_place_only_where_the_recipe_asks_for_it() -> None:
    def names(**choices: object) -> list[str]:
        return [stage.name for stage in chain(**choices).stages]

    rest = ["translate passages", "compose", "generate", "read answer", "detect language"]
    assert names(mode="crossrag") == ["retrieve", "rerank", *rest]
    both = {"neighbours": 1, "score_threshold": 0.5}
    assert names(mode="crossrag", **both) == ["retrieve", "augment", "rerank", "filter", *rest]
    assert names(mode="trag", **both)[:5] == ["translate question", "retrieve", "augment", "rerank", "filter"]
    assert names(mode="baseline", **both) == ["compose", "generate", "read answer", "detect language"]


def test_neighbours_are_reranked_with_the_candidates() -> None:
    state = answered(replace(QUESTION, scope=("en", "fi")), neighbours=1).state
    assert [hit.id for hit in state.ranking or ()] == ["a.en", "b.fi", "c.th"]
    assert [item.passage.id for item in state.evidence] == ["c.th", "b.fi", "a.en"]


def test_a_search_that_found_nothing_has_no_neighbours() -> None:
    assert answered(replace(QUESTION, scope=("xx",)), neighbours=1).state.evidence == ()


@pytest.mark.parametrize(
    ("threshold", "percentile", "passed"),
    [
        (0.5, None, "012"),
        (0.5000001, None, "01"),
        (9.0, None, ""),
        (None, 1.0, "01234"),
        (None, 0.6, "012"),
        (None, 0.59, "01"),
        (None, 0.01, "0"),
        (0.6, 0.6, "01"),
        (9.0, 0.6, ""),
        (None, None, "01234"),
    ],
)
def test_a_filter_by_hand(threshold: float | None, percentile: float | None, passed: str) -> None:
    best = hits(0.9, 0.7, 0.5, 0.2, -1.0)
    assert "".join(hit.id for hit in passing(best, threshold, percentile)) == passed
    assert passing([], threshold, percentile) == ()


def test_a_share_is_counted_exactly() -> None:
    for number, percent in itertools.product(range(1, 21), range(1, 101)):
        assert len(passing(hits(*[0.5] * number), None, percent / 100)) == max(1, number * percent // 100)


def test_the_filter_reads_the_score_of_what_ranked_last() -> None:
    # The reranker of the fakes gives the last candidate 2 and the first 0.
    evidence = answered(score_threshold=1.0).state.evidence
    assert [(item.rank, item.passage.id) for item in evidence] == [(1, "c.th"), (2, "b.fi")]


def test_the_filter_is_over_the_passages_that_k_leaves() -> None:
    evidence = answered(score_percentile=0.5, k=2).state.evidence
    assert [item.passage.id for item in evidence] == ["c.th"]


def test_where_nothing_passes_nothing_is_generated_and_the_answer_is_that_nothing_was_found() -> None:
    fakes = FakeParts()
    (done,) = Executor().run(chain(fakes, score_threshold=9.0), [QUESTION])
    assert done.state.evidence == () and fakes.generator.prompts == []
    assert done.state.answer == nothing_retrieved_answer("fi")
    step = next(step for step in done.steps if step.name == "filter")
    assert step.facts == {"passages kept": "0 of 3", "least score": "9"}


def test_what_a_person_or_an_experiment_adds_is_not_filtered() -> None:
    parts = FakeParts().parts
    stages = build_chain(make_recipe({"score_threshold": 1.0}), parts).stages
    names = [stage.name for stage in perturbed(stages, "shuffle", parts, 3, 0, {})]
    assert names[:4] == ["retrieve", "rerank", "filter", "perturb"]


def test_a_run_with_them_shares_the_steps_before_with_one_without() -> None:
    cache = MemoryCache()
    Executor(cache).run(chain(score_threshold=1.0), [QUESTION])
    (done,) = Executor(cache).run(chain(score_percentile=0.5), [QUESTION])
    cached = {step.name: step.cached for step in done.steps}
    assert cached["retrieve"] and cached["rerank"] and not cached["filter"]
    (again,) = Executor(cache).run(chain(score_percentile=0.5), [QUESTION])
    assert {step.name: step.cached for step in again.steps}["filter"]


def test_they_are_phases_of_an_experiment() -> None:
    chains = [bind(chain(**choices).stages) for choices in ({}, {"neighbours": 1}, {"score_threshold": 0.1})]
    phases = derive_phases(chains)
    assert [phase.name for phase in phases[:4]] == ["retrieve", "augment", "rerank", "filter"]
    assert [phase.title for phase in phases[:4]] == ["retrieving", "adding neighbours", "reranking", "filtering"]
