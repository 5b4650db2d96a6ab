"""Names of judged metrics: they fit everywhere a metric is named, and no two judges share one."""

from __future__ import annotations

import pytest
from sqlalchemy import String

from workbench.metrics.judged.judge import NAMES, judged_name, language_pairs, metric_in
from workbench.workspace.result_tables import metrics

LONG = "openai-like:meta-llama/Llama-3.3-70B-Instruct@http://judges.example.org:8000/v1"
ODD = "huggingface:/models/<b>one, two</b>"


def test_a_judge_is_in_the_name_as_it_is_typed() -> None:
    assert judged_name("g_eval", "openai-like:gpt-4o@openai") == "g_eval@openai-like:gpt-4o@openai"


@pytest.mark.parametrize("judge", [LONG, ODD])
@pytest.mark.parametrize("metric", NAMES)
def test_every_name_fits_the_database_and_is_plain(metric: str, judge: str) -> None:
    name = judged_name(metric, judge)
    column = metrics.c.name.type
    assert isinstance(column, String) and column.length is not None
    assert len(name) <= column.length
    assert not set(name) & set("<>&,; ")
    assert metric_in(name) == metric


def test_judges_that_are_shortened_alike_have_different_names() -> None:
    assert judged_name("g_eval", LONG) != judged_name("g_eval", LONG + "2")
    assert judged_name("g_eval", ODD) != judged_name("g_eval", ODD.replace("<b>", "<i>"))
    shortened = judged_name("g_eval", ODD).partition("@")[2]
    assert judged_name("g_eval", shortened) != judged_name("g_eval", ODD)


@pytest.mark.parametrize("name", ["hit@5", "ndcg@10", "em", "elsewhere@judge", ""])
def test_other_metrics_are_not_taken_for_judged_ones(name: str) -> None:
    assert metric_in(name) == ""


@pytest.mark.parametrize("judge", [LONG, ODD, "m", "a" * 40, "a" * 42])
@pytest.mark.parametrize("metric", NAMES)
def test_a_judge_asked_in_the_answers_language_has_another_name_that_fits_and_pairs(metric: str, judge: str) -> None:
    english, marked = judged_name(metric, judge), judged_name(metric, judge, "answer")
    column = metrics.c.name.type
    assert isinstance(column, String) and column.length is not None
    assert len(marked) <= column.length and metric_in(marked) == metric and english != marked
    assert language_pairs([english, marked, "em", judged_name(metric, judge + "-2")]) == [(english, marked)]


def test_a_model_whose_name_ends_as_the_mark_is_not_taken_for_another_language() -> None:
    assert judged_name("g_eval", "m+ul") != judged_name("g_eval", "m", "answer")
    assert language_pairs([judged_name("g_eval", "m"), judged_name("g_eval", "m+ul")]) == []
