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
    FORMATS,
    language_groups,
    prompt_scope,
    published_table,
    row_labels,
    scope_language,
)
from workbench.ui.dashboard.charts.intervals import deltas, modes
from workbench.ui.dashboard.dashboard_state import View
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
def test_every_published_table_draws_next_to_a_measured_run_in_its_unit(key: str) -> None:
    results = measured({"series": "multirag", "language": "ko"}, {"series": "multirag", "language": "avg"})
    for metric, rows in published_figures([key]).groupby("metric"):
        share = set(rows["scale"]) == {"share"}
        figure = published_table(rows, results if share else None, str(metric))
        (cells,) = _published_traces(figure)
        written = [
            f"<i>{FORMATS[str(scale)][1](amount)}</i>"
            for scale, amount in zip(rows["scale"], rows["amount"], strict=True)
        ]
        assert list(cells.text) == written
        if share:
            assert max(figure.data[0].z) <= 1
        assert str(rows["citation"].iloc[0]) in figure.layout.title.text.replace("</b><br><b>", " ")


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


@pytest.mark.parametrize("key", [item.key for item in published_tables()])
def test_no_two_figures_of_a_table_share_a_cell(key: str) -> None:
    for _, rows in published_figures([key]).groupby("metric"):
        cells = rows.assign(label=row_labels(rows))
        assert not cells.duplicated(["label", "language"]).any()


def test_the_average_of_your_results_is_not_counted_in_addition_to_the_languages() -> None:
    results = measured(
        *({"series": "trag", "language": code, "n": n} for code, n in (("ko", 4), ("fr", 6), ("avg", 10)))
    )
    rows = published_figures(["chirkova2024.1"])
    assert "your results: n = 10 scored" in published_table(rows, results, "char3_recall").layout.title.text


def test_a_long_table_is_shown_in_parts_and_a_short_one_at_once() -> None:
    long, short = published_figures(["ranaldi2025_crossrag.3"]), published_figures(["singh_docqa.1"])
    column, values = published_choices.parts_of(long, 16)
    assert column
    assert len(values) > 1
    assert published_choices.parts_of(short, 16) == ("", [])
