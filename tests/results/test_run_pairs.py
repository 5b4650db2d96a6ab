"""Runs are set beside each other where they differ in one choice alone."""

from __future__ import annotations

from itertools import count, product

from workbench.results.result_store import StoredRun
from workbench.results.run_pairs import pairs, values

NUMBERS = count(1)


def _run(mode: str, scope: str, prompt: str = "p", experiment: str = "e") -> StoredRun:
    number = next(NUMBERS)
    return StoredRun(
        number, "", "d", "c", mode, scope, prompt, "m", 5, "none", "", "", id=number, experiment=experiment
    )


def test_two_modes_are_paired_where_scope_and_prompt_are_alike() -> None:
    runs = [_run(*chosen) for chosen in product(("multirag", "crossrag", "drag"), ("en", "all"), ("p", "q"))]
    by_id = {run.id: run for run in runs}
    found = pairs(runs, "mode", "multirag", "crossrag")
    assert len(found) == 4
    for one, other in found:
        assert (by_id[one].mode, by_id[other].mode) == ("multirag", "crossrag")
        assert (by_id[one].scope, by_id[one].prompt) == (by_id[other].scope, by_id[other].prompt)


def test_modes_without_a_scope_in_common_are_paired_in_their_own() -> None:
    trag, elsewhere, crossrag = _run("trag", "en"), _run("trag", "ul"), _run("crossrag", "all")
    assert pairs([trag, elsewhere, crossrag], "mode", "trag", "crossrag") == [(trag.id, crossrag.id)]


def test_scopes_are_never_paired_across_modes() -> None:
    assert pairs([_run("trag", "en"), _run("crossrag", "all")], "scope", "en", "all") == []


def test_runs_of_two_experiments_are_never_paired() -> None:
    assert pairs([_run("trag", "en"), _run("drag", "en", experiment="f")], "mode", "trag", "drag") == []


def test_a_run_without_counterpart_is_left_out() -> None:
    one, other = _run("trag", "en", "p"), _run("drag", "en", "p")
    assert pairs([one, _run("trag", "en", "q"), other], "mode", "trag", "drag") == [(one.id, other.id)]


def test_the_values_of_a_choice_come_in_the_order_of_the_runs() -> None:
    assert values([_run("trag", "en"), _run("drag", "en"), _run("trag", "all")], "mode") == ["trag", "drag"]
