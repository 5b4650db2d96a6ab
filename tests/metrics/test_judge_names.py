"""Names of judged metrics: they fit everywhere a metric is named, and no two judges share one."""

from __future__ import annotations

import pytest
from sqlalchemy import String

from workbench.metrics.judged.judge import NAMES
from workbench.metrics.judged.judge_names import judged_name, metric_in
from workbench.storage.result_tables import metrics

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
