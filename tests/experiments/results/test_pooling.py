"""What a figure pools, and which runs of a mode stand for it."""

from __future__ import annotations

from dataclasses import replace

from tests.screens.test_instances_view import RUN
from workbench.experiments.results.summaries.pooling import in_paper_scope, pooled_choices, pooled_words


def test_each_mode_is_represented_by_the_scope_of_its_paper() -> None:
    english, other = replace(RUN, id=1, mode="trag", scope="en"), replace(RUN, id=2, mode="trag", scope="all")
    assert in_paper_scope([other, english]) == [english]


def test_a_mode_that_has_no_run_in_its_scope_keeps_all_of_them() -> None:
    runs = [replace(RUN, id=1, mode="trag", scope="all"), replace(RUN, id=2, mode="trag", scope="ul")]
    assert in_paper_scope(runs) == runs


def test_what_is_pooled_is_named_with_its_values() -> None:
    runs = [replace(RUN, id=number, scope=scope) for number, scope in enumerate(("en", "all"), start=1)]
    assert pooled_choices(runs, ("mode",)) == {"scope": ["en", "all"]}
    assert pooled_words(runs, ("mode",)).startswith("Each figure pools 2 scopes (English, all languages).")


def test_a_choice_that_the_figure_shows_is_not_pooled() -> None:
    runs = [replace(RUN, id=number, scope=scope) for number, scope in enumerate(("en", "all"), start=1)]
    assert "Nothing is pooled" in pooled_words(runs, ("mode", "scope"))


def test_answers_without_retrieval_are_not_pooled_with_those_of_the_scope_stored_with_them() -> None:
    modes = ("baseline", "multirag", "drag")
    runs = [replace(RUN, id=number, mode=mode, scope="all") for number, mode in enumerate(modes, start=1)]
    assert pooled_choices(runs, ("scope",)) == {"mode": ["multirag", "drag"]}
