"""Runs are set beside each other where they differ in one choice alone."""

from __future__ import annotations

from itertools import count, product

from workbench.results.queries.run_list import StoredRun
from workbench.results.run_pairs import choice_values, pair_runs

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


def test_the_values_of_a_choice_come_in_the_order_of_the_runs() -> None:
    assert choice_values([_run("trag", "en"), _run("drag", "en"), _run("trag", "all")], "mode") == ["trag", "drag"]
