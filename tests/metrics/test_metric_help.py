"""The line of help of each metric: what, range and source."""

import pytest

from workbench.metrics.catalogue import MEASURES, metric_help, metric_name, scale_of, well_formed_name
from workbench.metrics.judged.judge import NAMES, judged_name
from workbench.metrics.ranking import RANKING_MEASURES as RANKINGS


@pytest.mark.parametrize(
    "name", [*MEASURES, *RANKINGS, *NAMES, "semscore@bge-m3", "format_failure", "mrr_reranked", "f1_well_formed"]
)
def test_every_metric_has_a_line_with_its_range_and_source(name: str) -> None:
    line = metric_help(name)
    assert " to " in line
    assert "Source: " in line


@pytest.mark.parametrize("name", [*MEASURES, *RANKINGS, *NAMES, "format_failure"])
def test_every_metric_has_a_name_in_words_and_its_key_is_in_its_help(name: str) -> None:
    assert metric_name(name) != name and "_" not in metric_name(name)
    assert metric_help(name).endswith(f"Key: {name}.")


def test_the_name_of_a_judged_metric_states_its_judge_and_an_unknown_one_stays() -> None:
    assert metric_name("correctness@openai-like:m+ul") == "Answer is right, judged, by openai-like:m"
    assert metric_name("<b>x</b>") == "<b>x</b>"


def test_the_depth_of_a_ranking_metric_is_in_its_line() -> None:
    assert metric_help("hit@5").startswith("Whether a gold passage is in the top 5 of the retrieved passages.")


def test_the_line_of_a_judged_metric_states_the_language_of_its_prompts() -> None:
    words = "asked in the language of the answer"
    assert words in metric_help("g_eval@openai-like:m+ul") and words not in metric_help("g_eval@openai-like:m")


def test_the_figure_over_well_formed_outputs_is_said_to_be_that() -> None:
    assert ", over outputs with a labelled answer. 0 to 1." in metric_help("flexible_em_well_formed")
    assert str(scale_of("hallucination_well_formed")) == "0 to 1, lower is better"
    assert str(scale_of("semscore_well_formed@bge-m3")) == "-1 to 1"
    assert len(well_formed_name(judged_name("semscore", "m" * 99))) <= 64  # the database's column


def test_a_name_that_is_no_metric_s_has_no_help() -> None:
    assert metric_help("<b>x</b>") == ""
