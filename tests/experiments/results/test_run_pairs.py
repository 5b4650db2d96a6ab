"""Runs are set beside each other where they differ in one choice alone."""

from __future__ import annotations

from itertools import count, product

from workbench.experiments.results.queries.run_list import StoredRun
from workbench.experiments.results.run_pairs import COMPARISONS, comparisons, pair_runs
from workbench.pipeline.recipe import make_recipe

NUMBERS = count(1)


def _run(mode: str, scope: str, prompt: str = "p", experiment_id: str = "e") -> StoredRun:
    number = next(NUMBERS)
    return StoredRun(
        number, "", "d", "c", mode, scope, prompt, "m", 5, "none", "", "", id=number, experiment_id=experiment_id
    )


def test_two_modes_are_paired_where_scope_and_prompt_are_alike() -> None:
    runs = [_run(*choices) for choices in product(("multirag", "crossrag", "drag"), ("en", "all"), ("p", "q"))]
    by_id = {run.id: run for run in runs}
    pairs = pair_runs(runs, "mode", "multirag", "crossrag")
    assert len(pairs) == 4
    for one, other in pairs:
        assert (by_id[one].mode, by_id[other].mode) == ("multirag", "crossrag")
        assert (by_id[one].scope, by_id[one].prompt) == (by_id[other].scope, by_id[other].prompt)


def test_modes_without_a_scope_in_common_are_paired_in_that_of_their_paper() -> None:
    trag, elsewhere, crossrag = _run("trag", "en"), _run("trag", "ul"), _run("crossrag", "all")
    assert pair_runs([trag, elsewhere, crossrag], "mode", "trag", "crossrag") == [(trag.id, crossrag.id)]


def test_scopes_are_never_paired_across_modes() -> None:
    assert pair_runs([_run("trag", "en"), _run("crossrag", "all")], "scope", "en", "all") == []


def test_runs_of_two_experiments_are_never_paired() -> None:
    assert pair_runs([_run("trag", "en"), _run("drag", "en", experiment_id="f")], "mode", "trag", "drag") == []


def test_a_run_without_counterpart_is_left_out() -> None:
    one, other = _run("trag", "en", "p"), _run("drag", "en", "p")
    assert pair_runs([one, _run("trag", "en", "q"), other], "mode", "trag", "drag") == [(one.id, other.id)]


def _varied(number: int, mode: str = "multirag", **choices: object) -> StoredRun:
    recipe = make_recipe({"mode": mode, **choices})
    values = (recipe.corpus, mode, "all", "p", "m", 5, "none", recipe.model_dump_json(), recipe.fingerprint)
    return StoredRun(number, "", "d", *values, id=number, experiment_id="e")


def test_runs_are_paired_by_a_varied_field_where_all_other_fields_are_alike() -> None:
    runs = [
        _varied(1, reranker="pass", rrf_k=10),
        _varied(2, reranker="x", rrf_k=10),
        _varied(3, reranker="pass"),
        _varied(4, reranker="x"),
    ]
    assert pair_runs(runs, "reranker", "pass", "x") == [(1, 2), (3, 4)]
    assert pair_runs(runs, "rrf_k", "default", "10") == [(3, 1), (4, 2)]


def test_modes_are_never_paired_across_varied_fields() -> None:
    runs = [_varied(1, reranker="x"), _varied(2, "crossrag", reranker="pass"), _varied(3, "crossrag", reranker="x")]
    assert pair_runs(runs, "mode", "multirag", "crossrag") == [(1, 3)]


def test_corpora_are_compared_where_one_dataset_was_searched_in_several() -> None:
    runs = [_varied(1, corpus="c"), _varied(2, corpus="c-words-20")]
    assert comparisons(runs)[-1] == "corpus"
    assert pair_runs(runs, "corpus", "c", "c-words-20") == [(1, 2)]


def test_what_no_experiment_varied_is_not_compared() -> None:
    assert comparisons([_varied(1), _varied(2, "crossrag")]) == COMPARISONS
