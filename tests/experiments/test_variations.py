"""Experiments cross any field of a recipe."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.experiments.experiments import small, stored
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments.experiment import (
    MATRIX_CHOICES,
    experiment_from_yaml,
    experiment_to_yaml,
    idle_fields,
    make_experiment,
    runs_of,
    variable_fields,
)
from workbench.experiments.planning import hosts_of, plan, unready_components
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.recipe import Recipe

VARY = {"retriever": ["rrf", "cc"], "candidates": [20, 50], "dialectic.prompts": ["one", "four"]}


def test_every_combination_of_varied_fields_is_a_run() -> None:
    runs = runs_of(make_experiment({"modes": ["drag"], "vary": VARY}), str)
    choices = {(run.recipe.retriever, run.recipe.candidates, run.recipe.dialectic.prompts) for run in runs}
    assert len(runs) == len(choices) == 8


def test_every_field_of_a_recipe_but_the_matrix_can_be_varied() -> None:
    assert {name.partition(".")[0] for name in variable_fields()} == set(Recipe.model_fields) - set(MATRIX_CHOICES)


def test_a_title_names_what_varies_and_only_that() -> None:
    shared = {"retriever": "rrf"}
    runs = runs_of(make_experiment({"recipe": shared, "vary": {"rrf_k": [None, 10], "candidates": [20]}}), str)
    assert [run.title for run in runs] == ["Constant of RRF: default", "Constant of RRF: 10"]
    crossed = runs_of(make_experiment({"modes": ["trag", "drag"], "vary": {"reranker": ["pass"]}}), str)
    assert [run.title for run in crossed] == ["trag · en", "drag · all"]


def test_equal_recipes_are_one_run() -> None:
    assert len(runs_of(make_experiment({"vary": {"candidates": [20, "20"]}}), str)) == 1


def test_a_field_without_effect_in_a_mode_multiplies_no_runs_there() -> None:
    experiment = make_experiment(
        {"modes": ["baseline", "drag", "multirag"], "k": [3, 5], "prompts": ["reply-short-en", "reply-short-ul"]}
    )
    counts = Counter(run.recipe.mode for run in runs_of(experiment, str))
    assert counts == {"baseline": 2, "drag": 2, "multirag": 4}
    assert idle_fields(experiment) == (
        "No retrieval: Passages to the generator (k): no effect here, only in a mode that searches.",
        "D-RAG: Prompt variant: no effect here, only in every mode but D-RAG, which has a prompt of its own.",
    )


def test_a_varied_field_without_effect_is_one_run_and_keeps_the_first_recipe() -> None:
    experiment = make_experiment({"recipe": {"retriever": "dense"}, "vary": {"rrf_k": [10, 60, None]}})
    (run,) = runs_of(experiment, str)
    assert run.recipe.rrf_k == 10
    (sentence,) = idle_fields(experiment)
    assert sentence.startswith("MultiRAG: Constant of RRF: no effect here, only with the retriever RRF")


def test_a_field_with_effect_beside_some_values_of_another_is_not_called_idle() -> None:
    experiment = make_experiment({"vary": {"retriever": ["dense", "rrf"], "rrf_k": [10, 60]}})
    assert [(run.recipe.retriever, run.recipe.rrf_k) for run in runs_of(experiment, str)] == [
        *(("dense", 10), ("rrf", 10), ("rrf", 60)),
    ]
    assert idle_fields(experiment) == ()


def test_varied_fields_survive_yaml() -> None:
    experiment = make_experiment({"vary": {**VARY, "rrf_k": [None, 10], "translate_question": [True, False]}})
    assert experiment_from_yaml(experiment_to_yaml(experiment)) == experiment


def test_an_experiment_that_varies_nothing_more_is_written_and_known_as_before() -> None:
    experiment = make_experiment({})
    assert not {"vary", "chunkings"} & experiment.model_dump(mode="json").keys()
    assert experiment.fingerprint == make_experiment({"vary": {}, "chunkings": []}).fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("vary: {k: [1]}", "“k” is set by the matrix and cannot stand under “vary”. Write it as “k:”"),
        ("vary: {generator: [x]}", "Write it as “models:”"),
        ("vary: {colour: [red]}", "Unknown field to vary “colour”. Allowed: "),
        ("vary: {retriever: [bm25]}", "“vary: retriever” holds “bm25”. Input should be 'hybrid', 'lexical'"),
        ("vary: {candidates: [0]}", "“vary: candidates” holds “0”. Input should be greater than or equal to 1"),
        ("vary: {dialectic.prompts: [two]}", "“vary: dialectic.prompts” holds “two”. Input should be 'one' or 'four'"),
        ("vary: {dialectic: [one]}", "Unknown field to vary “dialectic”"),
        ("vary: {reranker: []}", "“vary: reranker” has 0 values. Allowed: 1 to 200."),
        ("vary: {reranker: [[pass]]}", "Allowed: plain values"),
        ("vary: {reranker: [pass]}\nrecipe: {reranker: pass}", "“reranker” stands under “recipe” and under “vary”"),
        ("vary: {dialectic.prompts: [one]}\nrecipe: {dialectic: {prompts: one}}", "“dialectic.prompts” stands under"),
        ("vary: [reranker]", "The experiment's vary"),
        ("chunkings: [sentence]", "Unknown way of splitting “sentence”"),
    ],
)
def test_what_cannot_be_varied_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        experiment_from_yaml(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_combination_that_a_recipe_refuses_is_named() -> None:
    experiment = make_experiment({"vary": {"dialectic.argument_language": ["en", "no language"]}})
    with pytest.raises(
        UsageError, match=r"combination multirag · dialectic.argument_language=no language is not allowed\. "
    ):
        runs_of(experiment, str)


def test_every_component_that_is_varied_is_checked(tmp_path: Path) -> None:
    experiment = make_experiment({"vary": {"encoder": ["builtin", "cohere:embed-v4.0"]}})
    assert hosts_of(make_experiment({}), tmp_path) == ()
    assert hosts_of(experiment, tmp_path) == ("api.cohere.com",)
    assert [entry.role for entry in unready_components(experiment, tmp_path)] == ["encoder"]


def test_a_plan_counts_what_varied_runs_share(sample_workbench: Workbench) -> None:
    experiment = small(modes=["drag"], prompts=["reply-short-en"], vary={"dialectic.prompts": ["one", "four"]})
    numbers = plan(sample_workbench, experiment)
    assert numbers.cells == 8 and numbers.steps["retrieve"] == 4


def test_what_varies_is_run_grouped_filtered_and_compared(workbench: Workbench) -> None:
    from workbench.experiments.results.filters import Filter
    from workbench.experiments.results.run_pairs import candidates, comparable, comparisons, language_deltas

    vary = {"retriever": ["lexical", "dense"], "encoder": ["builtin"], "candidates": [10, 20]}
    experiment_id, runner = stored(workbench, small(modes=["multirag"], prompts=["reply-short-en"], vary=vary))
    runner.run()
    store = ResultStore.at(workbench.settings.database_url)
    view = store.of(experiment_id)
    assert view.count() == 16
    assert comparisons(view.runs())[-2:] == ("retriever", "candidates")
    by_retriever = {item.key[0]: item.n for item in view.means_with_intervals("hit@5", ("retriever",))}
    assert by_retriever == {"lexical": 8, "dense": 8}
    narrow = store.where(Filter(experiments=(experiment_id,), choices=("retriever=dense", "candidates=20")))
    assert [run.title for run in narrow.runs()] == ["Retriever: dense · Candidates: 20"]
    assert narrow.count() == 4
    assert store.where(Filter(choices=("retriever=sparse",))).count() == 0
    best, other = candidates(view, "hit@5", "retriever")
    pairs = comparable(view, "retriever", best, [best, other])[other]
    assert len(pairs) == 2  # one for each number of candidates
    assert [item.language for item in language_deltas(view, "hit@5", pairs)] == ["", "en", "fi"]
