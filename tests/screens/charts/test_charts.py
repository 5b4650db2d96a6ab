"""Every chart on its data: what is drawn, what its texts state, and what a click opens."""

from __future__ import annotations

from html import unescape
from math import nan

import pandas as pd
import pytest
from plotly.graph_objects import Figure

from tests.screens.charts.frames import NOTHING, measured, ranked
from workbench.metrics.catalogue import Scale
from workbench.ui.dashboard import published_choices
from workbench.ui.dashboard.charts.curves import APART, frontier, retrieval_curves, undominated
from workbench.ui.dashboard.charts.grids import (
    BLUES,
    CROWDED,
    POOLED,
    correlation,
    language_groups,
    language_map,
    prompt_scope,
    scope_language,
)
from workbench.ui.dashboard.charts.intervals import (
    BETTER,
    NOT_SIGNIFICANT,
    WORSE,
    deltas,
    modes,
)
from workbench.ui.dashboard.charts.sankey import sankey
from workbench.ui.dashboard.leaderboard_view import _cited, _row

FLOWS = pd.DataFrame(
    [("fi", "en", "fi", 3, "language=fi&document=en"), ("fi", "fi", "", 1, "language=fi&document=fi")],
    columns=["language", "document_language", "answer_language", "documents", "mark"],
)


def row_names(figure: Figure) -> tuple[str, ...]:
    """The names that an interval chart writes above its marks."""
    return tuple(figure.data[-1].text)


def rows_of_groups(figure: Figure) -> dict[str, list[str]]:
    """The names of the rows in which each group of an interval chart has a mark."""
    return {
        unescape(trace.name.replace("<br>", " ")): [row_names(figure)[int(y)] for y in trace.y]
        for trace in figure.data[:-1]
    }


def test_the_leaderboard_states_rank_interval_n_and_why_a_run_has_no_rank() -> None:
    part = {"title": "<b>mine</b>", "rank": nan, "answered": 4, "questions": 104, "n": 4, "partial": True}
    ranked_row, partial = (_row(row, Scale()) for row in ranked({"title": "best"}, part).to_dict("records"))
    assert ">1</span>" in ranked_row and "0.40–0.60, n = 10" in ranked_row and "--share:50.0%" in ranked_row
    assert "not ranked: 4 of 104 questions answered" in partial and "wb-hollow" in partial
    assert "&lt;b&gt;mine&lt;/b&gt;" in partial


def test_a_run_without_scores_states_it() -> None:
    (row,) = ranked({"title": "silent", **NOTHING, "rank": nan}).to_dict("records")
    assert "nothing scored" in _row(row, Scale())


def test_published_figures_stand_below_the_runs_with_their_source() -> None:
    rows = published_choices.rows("leaderboard", "ranaldi2025_crossrag.14~GPT-4o~MKQA", "char3_recall_paper")
    assert rows is not None
    shown = _cited(rows, Scale())
    assert "published: Ranaldi et al. (2025, CrossRAG), Table 14" in shown and "as printed" in shown


def test_scopes_are_in_the_paper_s_order_and_every_cell_can_be_clicked() -> None:
    rows = measured(
        {"scope": "all", "language": "fi", "mean": 0.75, "mark": "scope=all&language=fi"},
        {"scope": "none", "language": "en", "mean": 0.25, "mark": "mode=baseline&language=en"},
    )
    figure = scope_language(rows, "clr")
    assert figure.layout.yaxis.categoryarray == ("no retrieval", "all languages")
    assert figure.data[0].z == (0.75, 0.25)
    assert [item[0] for item in figure.data[1].customdata] == ["scope=all&language=fi", "mode=baseline&language=en"]
    assert figure.data[1].text[0].startswith("75.0")


def test_a_cell_shows_both_ends_of_its_interval() -> None:
    rows = measured({"scope": "all", "language": "fi", "mean": 0.0, "low": 0.0, "high": 0.24})
    assert ">0–24<" in scope_language(rows, "clr").data[1].text[0]


def test_prompts_are_in_the_paper_s_order_and_n_is_counted_once() -> None:
    rows = measured(
        {"prompt": "reply-short-ul", "scope": "en", "language": POOLED},
        {"prompt": "reply-short-en", "scope": "en", "language": POOLED},
        {"prompt": "reply-short-en", "scope": "en", "language": "ko"},
    )
    figure = prompt_scope(rows, "clr")
    assert figure.layout.yaxis.categoryarray == (
        "Short answer (English prompt)",
        "Short answer",
    )
    assert figure.layout.xaxis.categoryarray == (f"English<br>{POOLED}", "English<br>ko")
    assert "n = 20 scored" in figure.layout.title.text


def test_cells_of_a_crowded_figure_show_their_means_alone() -> None:
    crowded = measured(*({"scope": "all", "language": f"x{number}"} for number in range(CROWDED + 1)))
    assert all("–" not in text for text in scope_language(crowded, "clr").data[1].text)


def test_a_column_with_nothing_scored_is_left_out() -> None:
    rows = measured(
        {"prompt": "reply-short-en", "scope": "none", "language": POOLED, **NOTHING},
        {"prompt": "reply-short-en", "scope": "en", "language": POOLED},
    )
    assert prompt_scope(rows, "clr").layout.xaxis.categoryarray == (f"English<br>{POOLED}",)


def test_the_names_of_lines_stand_at_their_ends_and_apart_in_place_of_a_legend() -> None:
    rows = measured(*({"series": name, "at": 1, "n": n} for n, name in enumerate(("trag", "drag"), start=5)))
    figure = retrieval_curves(rows, "hit")
    first, second = figure.layout.annotations
    assert "trag" in first.text and "drag" in second.text and first.y - second.y == pytest.approx(APART)
    assert not any(trace.showlegend for trace in figure.data)


def test_modes_have_a_mark_for_each_group_of_languages_in_one_row() -> None:
    rows = measured(*({"dataset": "d", "label": "trag", "group": group} for group in ("avg", "hr", "lr")))
    figure = modes(rows, "clr")
    assert rows_of_groups(figure) == {name: ["trag"] for name in ("average", "high resource", "low resource")}
    assert len({trace.y[0] for trace in figure.data[:-1]}) == 3
    assert "n = 10 scored, 2 unscored" in figure.layout.title.text


def test_datasets_are_below_each_other_with_the_modes_in_the_papers_order() -> None:
    rows = measured(
        *({"dataset": name, "label": mode, "group": "avg"} for name in ("d", "e") for mode in ("D-RAG", "tRAG"))
    )
    assert row_names(modes(rows, "clr")) == ("d · tRAG", "d · D-RAG", "e · tRAG", "e · D-RAG")


def test_each_row_of_the_language_map_sums_to_one() -> None:
    figure = language_map(FLOWS)
    assert figure.data[0].z == pytest.approx((0.75, 0.25))
    assert "n = 4 documents" in figure.layout.title.text


def test_the_sankey_keeps_the_three_steps_apart_and_loses_no_document() -> None:
    figure = sankey(FLOWS)
    assert figure.data[0].node.label == ("Finnish (fi)", "English (en)", "Finnish (fi)", "not detected", "Finnish (fi)")
    assert sum(figure.data[0].link.value) == 2 * 4


def test_retrieval_curves_have_one_line_per_series_over_k() -> None:
    rows = measured(
        *({"series": mode, "at": k, "mean": k / 10, "n": n} for mode, n in (("trag", 10), ("drag", 9)) for k in (5, 1))
    )
    figure = retrieval_curves(rows, "hit")
    assert [line.name for line in figure.data] == ["trag", "drag"]
    assert figure.data[0].x == pytest.approx((1, 5), abs=0.1)
    assert figure.data[0].y == (0.1, 0.5)


def test_points_of_two_lines_at_one_height_are_side_by_side() -> None:
    rows = measured({"series": "trag", "at": 5, "n": 10}, {"series": "drag", "at": 5, "n": 9})
    first, second = retrieval_curves(rows, "hit").data
    assert first.x[0] < 5 < second.x[0]


def test_series_that_retrieve_alike_are_one_line_that_names_them_and_opens_them_all() -> None:
    rows = measured(
        {"series": "multirag", "at": 5, "mark": "mode=multirag"}, {"series": "drag", "at": 5, "mark": "mode=drag"}
    )
    (line,) = retrieval_curves(rows, "hit").data
    assert line.name == "multirag, drag"
    assert [list(item) for item in line.customdata] == [["mode=multirag&mode=drag"]]


def test_only_significant_differences_are_coloured() -> None:
    common = {"family": 3, "questions": 3, "left_out": 1, "detectable": 0.1, "differing": 3}
    rows = measured(
        {"name": "up", "mean": 0.2, "p": 0.01, **common},
        {"name": "down", "mean": -0.2, "p": 0.04, **common},
        {"name": "who knows", "mean": 0.2, "p": 0.05, **common},
    )
    figure = deltas(rows, "Difference", "clr")
    assert rows_of_groups(figure) == {BETTER: ["up"], WORSE: ["down"], NOT_SIGNIFICANT: ["who knows"]}
    assert len({trace.marker.color for trace in figure.data[:-1]}) == 3
    assert "by Bonferroni" in figure.layout.title.text
    assert "n = 10 pairs" in figure.layout.title.text


def test_nothing_is_drawn_where_every_score_is_the_same_or_there_is_one_question() -> None:
    common = {"family": 2, "left_out": 0, "detectable": 0.1, "p": 1.0, "low": -0.07, "high": 0.07}
    rows = measured(
        {"name": "twin", "mean": 0.0, "differing": 0, "questions": 20, **common},
        {"name": "single", "mean": 0.5, "differing": 1, "questions": 1, **common},
    )
    figure = deltas(rows, "Difference", "clr")
    assert row_names(figure) == (
        "twin: same score on every question",
        "single: one question only: no difference is shown",
    )
    assert all(value != value for value in (*figure.data[0].x, *figure.data[0].error_x.array))


def test_the_frontier_has_the_runs_that_no_cheaper_one_equals() -> None:
    rows = measured(
        {"run": 104, "title": "cheap", "group": "tRAG", "mean": 0.4, "seconds": 1.0, "tokens": 1.0},
        {"run": 104, "title": "beaten", "group": "tRAG", "mean": 0.3, "seconds": 2.0, "tokens": 1.0},
        {"run": 102, "title": "best", "group": "D-RAG", "mean": 0.9, "seconds": 3.0, "tokens": 1.0},
    )
    assert list(undominated(rows, "seconds", Scale())["title"]) == ["cheap", "best"]
    figure = frontier(rows, "clr")
    assert [item.name for item in figure.data] == ["best for its cost", "tRAG", "D-RAG"]
    assert figure.data[1].text == ("cheap", "") and figure.data[2].text == ("best",)


def test_the_frontier_of_a_metric_where_lower_is_better_goes_down() -> None:
    rows = measured(
        {"run": 104, "title": "cheap", "mean": 0.4, "seconds": 1.0},
        {"run": 104, "title": "beaten", "mean": 0.5, "seconds": 2.0},
        {"run": 102, "title": "best", "mean": 0.1, "seconds": 3.0},
    )
    assert list(undominated(rows, "seconds", Scale(higher_is_better=False))["title"]) == ["cheap", "best"]


def test_colours_of_differences_are_reversed_where_lower_is_better() -> None:
    common = {"family": 2, "questions": 10, "left_out": 0, "detectable": 0.1, "differing": 3}
    rows = measured(
        {"name": "less", "mean": -0.2, "p": 0.01, **common}, {"name": "more", "mean": 0.2, "p": 0.01, **common}
    )
    assert rows_of_groups(deltas(rows, "Difference", "code_switch")) == {BETTER: ["less"], WORSE: ["more"]}


def test_a_grid_states_where_lower_is_better() -> None:
    rows = measured({"scope": "en", "language": "fi"})
    assert "lower is better, × 100 ·" in scope_language(rows, "hallucination").layout.title.text
    assert "lower is better" not in scope_language(rows, "clr").layout.title.text


def test_marks_from_1_to_5_are_shown_as_they_are() -> None:
    rows = measured({"scope": "all", "language": "fi", "mean": 3.25, "low": 3.0, "high": 3.5})
    figure = scope_language(rows, "g_eval@openai-like:m")
    assert (figure.data[0].zmin, figure.data[0].zmax) == (1, 5)
    assert figure.data[1].text[0].startswith("3.25<br>")
    assert "3.0–3.5" in figure.data[1].text[0]
    assert "1 to 5 ·" in figure.layout.title.text


def test_metrics_that_do_not_vary_have_no_correlation() -> None:
    rows = [("a", "b", 0.5, 9, "1"), ("a", "c", nan, 8, "2"), ("b", "a", 0.5, 9, "3"), ("c", "a", nan, 8, "4")]
    pairs = pd.DataFrame(rows, columns=["first", "second", "r", "n", "mark"])
    figure = correlation(pairs)
    shown = figure.data[1]
    assert list(zip(shown.y, shown.x, shown.text, strict=True)) == [("a  1", "2", "0.50"), ("b  2", "1", "0.50")]
    assert [mark for (mark,) in shown.customdata] == ["1", "3"]
    assert "n = 8 to 9 answers" in figure.layout.title.text
    assert "None of these metrics varies" in correlation(pairs[pairs["r"].isna()]).layout.annotations[0].text


def test_metrics_that_do_not_vary_are_left_out_by_name() -> None:
    rows = [("a", "b", 0.5, 9, "1"), ("a", "c", float("nan"), 8, "2"), ("b", "a", 0.5, 9, "3")]
    figure = correlation(pd.DataFrame(rows, columns=["first", "second", "r", "n", "mark"]))
    assert figure.layout.yaxis.categoryarray == ("a  1", "b  2")


def test_less_than_a_second_is_shown_in_milliseconds() -> None:
    rows = measured({"run": 118, "title": "quick", "group": "tRAG", "seconds": 0.02})
    figure = frontier(rows, "clr")
    assert figure.layout.xaxis.title.text == "ms per answer"
    assert figure.data[1].x == (20.0,)


def test_a_run_without_a_cost_is_not_the_best_at_its_cost() -> None:
    rows = measured(
        {"run": 110, "title": "elsewhere", "group": "imported", "seconds": 0.0},
        {"run": 108, "title": "here", "group": "tRAG", "seconds": 2.0},
    )
    assert [item.name for item in frontier(rows, "clr").data] == ["best for its cost", "tRAG"]


def test_the_columns_of_the_sankey_are_named() -> None:
    assert [item.text for item in sankey(FLOWS).layout.annotations] == [
        "<b>question</b>",
        "<b>documents</b>",
        "<b>answer</b>",
    ]


def test_documents_are_divided_into_english_the_question_s_language_and_others() -> None:
    rows = [("fi", "en", "fi", 3), ("fi", "fi", "", 1), ("fi", "sv", "fi", 4), ("en", "en", "en", 2)]
    flows = pd.DataFrame(rows, columns=["language", "document_language", "answer_language", "documents"])
    figure = language_groups(flows)
    shown = figure.data[1]
    assert dict(zip(zip(shown.y, shown.x, strict=True), shown.text, strict=True)) == {
        ("English", "en"): "100.0",
        ("English", "fi"): "37.5",
        ("question's language", "fi"): "12.5",
        ("other languages", "fi"): "50.0",
    }
    assert "n = 10 documents" in figure.layout.title.text


def test_a_share_of_documents_opens_the_answers_that_were_given_one() -> None:
    rows = [("fi", "fi", "fi", 1), ("fi", "sv", "fi", 1)]
    flows = pd.DataFrame(rows, columns=["language", "document_language", "answer_language", "documents"])
    assert [mark for (mark,) in language_groups(flows).data[1].customdata] == ["", "language=fi&document=fi"]


def test_the_faintest_cell_is_that_of_the_lowest_value_on_a_light_and_a_dark_page() -> None:
    alphas = [float(colour.rpartition(",")[2].rstrip(")")) for _, colour in BLUES]
    assert alphas == sorted(alphas)
    assert alphas[0] < 0.1


def test_tooltips_have_a_contrast_of_4_5_or_more() -> None:
    label = scope_language(measured({"scope": "en", "language": "fi"}), "clr").layout.hoverlabel
    assert contrast(label.bgcolor, label.font.color) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as in WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_line_between_two_rows_shows_which_mark_a_name_belongs_to() -> None:
    figure = modes(measured(*({"dataset": "d", "label": name, "group": "avg"} for name in "abc")), "clr")
    assert [shape.y0 for shape in figure.layout.shapes] == pytest.approx([15 / 44, 1 + 15 / 44])


def test_a_title_is_as_wide_as_its_figure() -> None:
    rows = measured({"scope": "all", "language": "fi"})
    title = scope_language(rows, "a_metric_with_a_rather_long_name_of_its_own").layout.title.text
    title = title.replace("</b><br><b>", " ")
    assert "Languages searched × language asked in: a_metric_with_a_rather_long_name_of_its_own</b>" in title
