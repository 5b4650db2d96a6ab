"""Published figures next to measured ones: all can be values, and none can be confused with a measured one."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from plotly.basedatatypes import BaseTraceType
from plotly.graph_objects import Figure

from tests.screens.charts.frames import measured
from tests.screens.charts.test_charts import FLOWS
from workbench.metrics.published.published_figures import published_figures, published_tables
from workbench.ui.dashboard import published_choices
from workbench.ui.dashboard.charts.curves import retrieval_curves
from workbench.ui.dashboard.charts.grids import (
    language_groups,
    prompt_scope,
    scope_language,
)
from workbench.ui.dashboard.charts.intervals import deltas, modes
from workbench.ui.dashboard.dashboard_state import View
from workbench.ui.dashboard.published_choices import recipe_words
from workbench.ui.dashboard.published_view import printed_table
from workbench.ui.parts.chart_style import COLOURS, GREY

TABLE_1 = "chirkova2024.1~Command-R-35B~MKQA"


def _published_traces(figure: Figure) -> list[BaseTraceType]:
    """The traces of published figures; fails where one could be taken for a measured one."""
    traces = []
    for trace in figure.data:
        if not (trace.name or "").startswith("published:"):
            continue
        assert str(trace.marker.symbol).endswith("-open")
        assert trace.marker.color == GREY
        assert trace.customdata is None
        traces.append(trace)
    return traces


def test_measured_figures_are_not_grey() -> None:
    assert GREY not in COLOURS


@pytest.mark.parametrize("key", [item.key for item in published_tables()])
def test_every_published_figure_has_a_cell_of_its_own_and_stands_there_as_printed(key: str) -> None:
    for _, rows in published_figures([key]).groupby("metric"):
        table = printed_table(rows, "language")
        printed = table[list(dict.fromkeys(rows["language"]))].to_numpy().ravel()
        assert sorted(filter(None, printed)) == sorted(rows["printed"])


def test_a_baseline_of_a_paper_is_called_what_it_is_here() -> None:
    words = recipe_words(published_figures(["ranaldi2025_crossrag.14"]))
    assert {"No retrieval", "tRAG"} <= set(words) and "baseline" not in set(words)


def test_table_1_is_below_the_measured_scopes_and_named_in_the_legend() -> None:
    results = measured({"scope": "en", "language": "sv"})
    rows = published_choices.rows("languages", TABLE_1, "char3_recall_paper")
    figure = scope_language(results, "char3_recall_paper", rows)
    (trace,) = _published_traces(figure)
    name = trace.name.replace("<br>", " ")
    assert name == "published: Chirkova et al. (2024), Table 1, Command-R-35B, MKQA"
    assert len(trace.y) == 13 * 5 - 2  # English has no UL of its own
    assert set(trace.y) >= {"published · no retrieval", "published · all languages"}
    assert figure.layout.yaxis.categoryarray[0] == "English"


def test_published_figures_are_restricted_to_the_measured_columns_where_they_have_any() -> None:
    results = measured({"scope": "en", "language": "ko"}, {"scope": "en", "language": "fi"})
    figure = scope_language(
        results, "char3_recall_paper", published_choices.rows("languages", TABLE_1, "char3_recall_paper")
    )
    assert figure.layout.xaxis.categoryarray == ("Finnish<br>fi", "Korean<br>ko")
    assert set(figure.data[2].x) == {"Finnish<br>fi", "Korean<br>ko"}


def test_the_title_cites_what_no_legend_does() -> None:
    results = measured({"series": "trag", "at": 5})
    rows = published_choices.rows(
        "retrieval", published_choices.default_choice("retrieval", published_choices.choices("retrieval", "hit")), "hit"
    )
    assert "hollow: published: Singh" in retrieval_curves(results, "hit", rows).layout.title.text


def test_a_nearly_equal_metric_is_named_on_the_figure() -> None:
    rows = published_choices.rows("languages", TABLE_1, "char3_recall")
    assert rows is not None
    assert set(rows["citation"]) == {"Chirkova et al. (2024) (char3_recall_paper)"}


def test_every_view_with_a_paper_s_figure_draws_it() -> None:
    plain = {"title": "t", "scope": "en", "language": "ko", "prompt": "reply-short-en", "dataset": "d", "mode": "trag"}
    results = measured(
        plain
        | {
            "group": "avg",
            "series": "trag",
            "at": 5,
            "label": "trag",
            "rank": 1,
            "answered": 3,
            "partial": False,
            "differing": 3,
            "family": 1,
            "name": "x",
            "p": 0.5,
            "questions": 3,
            "left_out": 0,
            "detectable": 1,
        }
    )
    figures: dict[tuple[View, str], Callable[[pd.DataFrame], Figure]] = {
        ("languages", "char3_recall_paper"): lambda rows: scope_language(results, "char3_recall_paper", rows),
        ("prompts", "clr"): lambda rows: prompt_scope(results, "clr", rows),
        ("modes", "char3_recall_paper"): lambda rows: modes(results, "char3_recall_paper", rows),
        ("retrieval", "hit"): lambda rows: retrieval_curves(results, "hit", rows),
        ("documents", "documents"): lambda rows: language_groups(FLOWS, rows),
        ("deltas", "flexible_em"): lambda rows: deltas(results, "t", "flexible_em", rows),
    }
    for (view, metric), draw in figures.items():
        usual = published_choices.default_choice(view, published_choices.choices(view, metric))
        rows = published_choices.rows(view, usual, metric)
        assert rows is not None, view
        assert _published_traces(draw(rows)), view


def test_a_metric_that_no_paper_has_is_shown_alone() -> None:
    assert published_choices.choices("leaderboard", "code_switch") == {}
    assert published_choices.rows("languages", TABLE_1, "code_switch") is None
