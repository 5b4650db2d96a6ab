"""The matrix as a value: what it holds, how it is written, what it refuses."""

from __future__ import annotations

import pytest

from workbench.core.errors import UsageError
from workbench.experiments.experiment import experiment_from_yaml, experiment_to_yaml, make_experiment, runs_of


def corpus_of(dataset: str) -> str:
    return f"corpus of {dataset}"


def test_the_runs_are_the_product_of_the_choices() -> None:
    experiment = make_experiment(
        {"modes": ["multirag", "crossrag"], "scopes": ["en", "all"], "k": [1, 5], "perturbations": ["none", "shuffle"]}
    )
    runs = runs_of(experiment, corpus_of)
    assert len(runs) == 16
    assert [run.number for run in runs] == list(range(16))
    assert runs[0].recipe.corpus == "corpus of sample"


def test_the_same_recipe_twice_is_one_run() -> None:
    experiment = make_experiment({"modes": ["multirag", "multirag"], "scopes": ["own", "all"]})
    assert len(runs_of(experiment, corpus_of)) == 1


def test_a_scope_may_be_the_one_that_the_mode_defines() -> None:
    runs = runs_of(make_experiment({"modes": ["monorag", "trag", "multirag"]}), corpus_of)
    assert [run.recipe.scope for run in runs] == ["ul", "en", "all"]


def test_choices_that_all_runs_share_reach_every_recipe() -> None:
    runs = runs_of(make_experiment({"modes": ["multirag", "drag"], "recipe": {"retriever": "lexical"}}), corpus_of)
    assert {run.recipe.retriever for run in runs} == {"lexical"}


def test_an_experiment_survives_yaml() -> None:
    experiment = make_experiment({"name": "Thai ไทย", "modes": ["drag"], "k": 3, "perturbations": "hard-negatives"})
    assert experiment_from_yaml(experiment_to_yaml(experiment)) == experiment


JUDGE = "openai-like:llama3:8b@ollama"


def test_a_judged_metric_has_its_judge_in_its_name_and_is_written_without() -> None:
    experiment = make_experiment({"metrics": ["flexible_em", "g_eval"], "judge": f" {JUDGE} "})
    assert experiment.metrics == ("flexible_em", f"g_eval@{JUDGE}+ul")
    text = experiment_to_yaml(experiment)
    assert f"judge: {JUDGE}\njudge_language: answer\nmetrics:\n- flexible_em\n- g_eval\n" in text
    assert experiment_from_yaml(text) == experiment


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("answer", (f"g_eval@{JUDGE}+ul",)),
        ("en", (f"g_eval@{JUDGE}",)),
        ("both", (f"g_eval@{JUDGE}+ul", f"g_eval@{JUDGE}")),
    ],
)
def test_the_language_of_a_judge_is_in_its_metrics_names(choice: str, names: tuple[str, ...]) -> None:
    experiment = make_experiment({"metrics": ["g_eval"], "judge": JUDGE, "judge_language": choice})
    assert experiment.metrics == names
    assert experiment_from_yaml(experiment_to_yaml(experiment)) == experiment


def test_the_languages_of_a_judge_make_different_experiments() -> None:
    choices = ("answer", "en", "both")
    experiments = [make_experiment({"metrics": ["g_eval"], "judge": JUDGE, "judge_language": it}) for it in choices]
    assert len({item.fingerprint for item in experiments}) == 3


def test_another_language_of_a_judge_is_refused_with_those_that_are_allowed() -> None:
    with pytest.raises(UsageError, match=r"The judge's language is “fi”\. Allowed: answer .*, en, both"):
        make_experiment({"metrics": ["g_eval"], "judge": JUDGE, "judge_language": "fi"})


def test_without_a_judge_none_is_written_and_each_judge_makes_another_experiment() -> None:
    experiment = make_experiment({})
    assert "judge" not in experiment_to_yaml(experiment)
    assert "judge" not in experiment.model_dump(mode="json")  # of which its fingerprint is made
    judged = {name: make_experiment({"metrics": ["g_eval"], "judge": name}) for name in (JUDGE, f"{JUDGE}-2")}
    assert len({item.fingerprint for item in judged.values()}) == 2


def test_a_single_choice_needs_no_list() -> None:
    assert experiment_from_yaml("modes: drag\nk: 3\nlanguages: th").k == (3,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modus: drag", "Unknown experiment key “modus”"),
        ("modes: [rag]", "Unknown mode “rag”"),
        ("scopes: [world]", "Unknown scope “world”"),
        ("metrics: [beauty]", "Unknown metric “beauty”"),
        ("metrics: [g_eval]", "g_eval needs a judge: name a generator as the “judge”, for example: openai-like:"),
        ("metrics: [em]\njudge: openai-like:m", "A judge is named, but no metric that uses it"),
        ("judge: openai-like:m", "A judge is named, but no metric that uses it"),
        ("metrics: [g_eval]\njudge: nobody", "Unknown generator “nobody”"),
        ("metrics: [g_eval]\njudge: extractive", "cannot judge"),
        ("metrics: [g_eval]\njudge: 7", "The experiment's judge is “7”"),
        ("perturbations: [earthquake]", "perturbations.0"),
        ("k: [0]", "k.0"),
        ("modes: []", "modes"),
        ("questions: 0", "questions"),
        ("recipe: {mode: drag}", "is set by the matrix"),
        ("recipe: {colour: red}", "Unknown recipe key “colour”"),
        ("languages: [tongue-twister!]", "Unknown language “tongue-twister!”"),
        ("- drag", "holds no experiment"),
        ("modes: [drag", "is not YAML at line"),
        ("a: &x 1\nb: *x", "aliases"),
        ("1: 2", "holds no experiment"),
    ],
)
def test_what_is_wrong_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        experiment_from_yaml(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["modes", "datasets", "languages", "scopes", "prompts", "models", "k", "metrics"])
@pytest.mark.parametrize("value", ["[[multirag]]", "[{a: b}]", "{a: [b]}", "[null]", "[2024-01-01]"])
def test_a_list_in_a_list_is_one_sentence(field: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        experiment_from_yaml(f"{field}: {value}")
    assert "\n" not in str(caught.value)


def test_no_retrieval_is_run_once_however_many_scopes_there_are() -> None:
    experiment = make_experiment({"modes": ["baseline", "trag"], "scopes": ["own", "en", "all"]})
    assert [(run.recipe.mode, run.recipe.scope) for run in runs_of(experiment, str)] == [
        ("baseline", "all"),
        ("trag", "en"),
        ("trag", "all"),
    ]
