"""Ranking metrics of an experiment: those of the ranking, whatever is handed over and however it is perturbed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.experiments.experiments import small, stored
from tests.trees import copy_sample
from workbench.app.retrieval_evaluation import evaluate_retrieval
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments.experiment import make_experiment
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import settings


@pytest.fixture(scope="module")
def workbench(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """One workspace for these experiments: a ranking that one of them needed is not searched again for another."""
    return Workbench(settings.load(copy_sample(sample_home, tmp_path_factory.mktemp("rankings") / "workspace")))


METRICS = ("hit@5", "recall@10", "recall@50", "mrr", "map", "ndcg@10", "p@5")


def means(workbench: Workbench, **choices: object) -> list[dict[str, tuple[float | None, int]]]:
    """Mean and number of scored questions by metric, for each run of an experiment without prompts to compare."""
    experiment = small(**{"modes": "multirag", "prompts": "reply-short-en", "questions": 12, **choices})
    experiment_id, runner = stored(workbench, experiment)
    runner.run()
    view = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    rows: dict[object, dict[str, tuple[float | None, int]]] = {}
    for name in view.metrics():
        for item in view.means_with_intervals(name):
            rows.setdefault(item.key[0], {})[name] = (item.mean, item.n)
    return [rows[key] for key in sorted(rows, key=str)]


@pytest.mark.usefixtures("answers_unread")
def test_they_do_not_depend_on_k_or_on_a_perturbation(workbench: Workbench) -> None:
    choices = {"k": [1, 5], "perturbations": ["none", "shuffle", "hard-negatives"], "languages": "fi"}
    runs = means(workbench, metrics=METRICS, **choices)
    assert len(runs) == 6
    assert all(run == runs[0] for run in runs)
    assert runs[0]["recall@50"][0] != runs[0]["recall@10"][0]  # so the ranking goes further down than k


@pytest.mark.usefixtures("answers_unread")
def test_they_are_the_figures_of_retrieve_on_the_sample(workbench: Workbench) -> None:
    choices = {"questions": None, "languages": "fi", "k": 3, "modes": "multirag", "prompts": "reply-short-en"}
    (run,) = means(workbench, metrics=METRICS, **choices)
    retrieved = evaluate_retrieval(workbench, "sample", "fi", make_recipe({}), 50)
    for name in METRICS:
        mean, n = run[name]
        assert mean == pytest.approx(retrieved.scores.means[name], abs=1e-9), name
        assert n == retrieved.scores.n


def test_a_measure_that_looks_further_down_than_the_ranking_goes_is_unscored(workbench: Workbench) -> None:
    (run,) = means(workbench, metrics=["recall@50", "recall@10"], languages="fi", recipe={"candidates": 10})
    assert run["recall@50"] == (None, 0) and run["recall@10"][1] > 0
    retrieved = evaluate_retrieval(workbench, "sample", "fi", make_recipe({}), 10).scores
    assert retrieved.means["recall@50"] is None and retrieved.means["recall@10"] is not None


def test_without_a_reranker_both_rankings_are_one(workbench: Workbench) -> None:
    (run,) = means(workbench, metrics=["mrr", "mrr_reranked", "recall@50", "recall@50_reranked"], languages="fi")
    assert run["mrr"] == run["mrr_reranked"] and run["recall@50"] == run["recall@50_reranked"]


def test_a_reranked_metric_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown metric “clr_reranked”"):
        make_experiment({"metrics": ["clr_reranked"]})


def test_format_failures_are_recorded_for_d_rag_runs(workbench: Workbench) -> None:
    runs = means(workbench, modes=["drag", "multirag"], metrics=["flexible_em"], languages="fi", questions=2)
    assert [run.get("format_failure") for run in runs] == [(0.0, 2), None]
    assert [run.get("flexible_em_well_formed") for run in runs] == [runs[0]["flexible_em"], None]


def test_searches_that_find_nothing_are_counted(workbench: Workbench) -> None:
    experiment = small(modes=["multirag", "baseline"], prompts="reply-short-en", recipe={"retriever": "lexical"})
    experiment_id, runner = stored(workbench, experiment)
    strange = tuple(replace(item, text="Xyzzyq qwxk?") for item in runner.inputs.questions("sample", "fi"))
    runner.inputs.reader.questions = lambda _name, language: strange if language == "fi" else ()
    runner.run()
    view = ResultStore.at(workbench.settings.database_url).of(experiment_id)
    run = next(item.id for item in view.runs() if item.mode == "multirag")
    assert view.nothing_retrieved() == [(run, len(strange))]
    assert {cell.output for cell in view.all_instances() if cell.run.mode == "multirag"} == {
        nothing_retrieved_answer("fi")
    }
