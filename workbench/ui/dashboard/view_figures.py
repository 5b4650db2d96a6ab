"""The Dashboard's figures, one function per view: it gets the frame, draws the chart and shows the figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.published import published_figures, published_tables
from workbench.published.terms import MEASURES
from workbench.results.filters import Dimension
from workbench.ui.dashboard import difference_view, published_choices, result_frames
from workbench.ui.dashboard.charts.chart_style import GROUPS
from workbench.ui.dashboard.dashboard_state import DashboardState, View
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_controls import DESCRIPTIONS
from workbench.ui.dashboard.view_parts import choose_published, show_figure
from workbench.ui.shared import figure, safe_html

if TYPE_CHECKING:
    from pandas import DataFrame

FAMILY, SERIES, TABLE = "dash_family", "dash_series", "dash_table"
PROMPT_TABLE_LANGUAGES = ("ko", "fr", "ru")
"""The languages of Chirkova et al. (2024), Tables 5 and 9."""
WITH_INTERVALS: tuple[View, ...] = ("leaderboard", "languages", "prompts", "modes", "retrieval", "deltas", "published")
"""Views whose figures have intervals."""
LANGUAGES_LIMIT = 4
"""Languages that are shown next to each other in one figure of prompts."""


def draw(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    """The description and figures of the view; returns the state with what was chosen there."""
    st.markdown(DESCRIPTIONS[dashboard.view])
    dashboard = DRAWERS[dashboard.view](dashboard, state)
    if dashboard.view in WITH_INTERVALS:
        st.caption(
            "Intervals are 95 % intervals over questions: all answers to one question, in any language and with any "
            "recipe, count as one draw. From 30 questions on they are bootstrap intervals, below that Wilson intervals."
        )
    return dashboard


def _leaderboard(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.leaderboard import leaderboard

    dashboard, published = choose_published(dashboard, dashboard.metric)
    frame, count = result_frames.leaderboard(state, dashboard.filter_, dashboard.metric)
    show_figure(leaderboard(frame, dashboard.metric, published), frame, "leaderboard", dashboard, state)
    if count > len(frame):
        safe_html.message(f"The {len(frame)} best of {count:,} runs. Use the filters to see the others.")
    _unscored(dashboard, state, frame)
    return dashboard


def _languages(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.scope_grids import scope_language

    dashboard, published = choose_published(dashboard, dashboard.metric)
    frame = result_frames.by_scope(state, dashboard.filter_, dashboard.metric, ("scope", "language"))
    show_figure(scope_language(frame, dashboard.metric, published), frame, "scope-language", dashboard, state)
    _unscored(dashboard, state, frame)
    return dashboard


def _prompts(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from pandas import concat

    from workbench.ui.dashboard.charts.scope_grids import POOLED, prompt_scope

    languages = dashboard.filter_.languages or tuple(result_frames.languages(state, dashboard.filter_))
    separate = languages
    if len(languages) > LANGUAGES_LIMIT:
        separate = tuple(code for code in PROMPT_TABLE_LANGUAGES if code in languages)
    # Measured with another identifier than the built-in one, the rate has that one's name.
    rates = [name for name in result_frames.metrics(state, dashboard.filter_) if name.partition("@")[0] == "clr"]
    dashboard, _ = choose_published(dashboard, dashboard.metric)
    for metric in dict.fromkeys([dashboard.metric, *rates]):
        pooled = result_frames.by_scope(state, dashboard.filter_, metric, ("prompt", "scope")).assign(language=POOLED)
        by_language = result_frames.by_scope(
            state, replace(dashboard.filter_, languages=separate), metric, ("prompt", "scope", "language")
        )
        frame = concat([pooled, by_language], ignore_index=True) if len(languages) > 1 else by_language
        published = published_choices.rows("prompts", _reference(dashboard), metric)
        show_figure(prompt_scope(frame, metric, published), frame, f"prompt-scope-{metric}", dashboard, state)
    if len(separate) < len(languages):
        safe_html.message(
            f"“{POOLED}” covers all {len(languages)} languages. Filter by up to {LANGUAGES_LIMIT} languages to see "
            "them separately."
        )
    return dashboard


def _modes(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.modes_by_dataset import modes

    dashboard, published = choose_published(dashboard, dashboard.metric)
    frame = result_frames.by_mode(state, dashboard.filter_, dashboard.metric)
    show_figure(modes(frame, dashboard.metric, published), frame, "modes", dashboard, state)
    st.caption(
        "High resource: en, de, es, fr, it, ja, pt, ru, zh. Low resource: ar, fi, ko, th, hi, vi, bn, te. Grouped as "
        "in Ranaldi et al. (2025, CrossRAG), derived from its Table 10."
    )
    return dashboard


def _documents(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.language_groups import language_groups
    from workbench.ui.dashboard.charts.language_map import language_map
    from workbench.ui.dashboard.charts.sankey import sankey

    frame = result_frames.flows(state, dashboard.filter_)
    show_figure(language_map(frame), frame, "document-languages", dashboard, state)
    dashboard, published = choose_published(dashboard, "documents")
    show_figure(language_groups(frame, published), frame, "document-groups", dashboard, state)
    show_figure(sankey(frame), frame, "language-flow", dashboard, state)
    return dashboard


def _retrieval(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.retrieval_curves import NAMES, retrieval_curves

    left, right = st.columns(2, gap="medium")
    with left:
        family = st.segmented_control(
            "Measure", list(NAMES), key=FAMILY, default="hit", format_func=NAMES.__getitem__, required=True
        )
    with right:
        series: Dimension = st.segmented_control(
            "One line per", ["mode", "scope", "language", "k"], key=SERIES, default="mode", required=True
        )
    dashboard, published = choose_published(dashboard, family)
    frame = result_frames.curves(state, dashboard.filter_, family, series)
    show_figure(retrieval_curves(frame, family, published), frame, f"retrieval-{family}", dashboard, state)
    return dashboard


def _cost(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.frontier import frontier

    frame = result_frames.costs(state, dashboard.filter_, dashboard.metric)
    show_figure(frontier(frame, dashboard.metric), frame, "latency", dashboard, state)
    if frame["tokens"].notna().any():
        show_figure(frontier(frame, dashboard.metric, "tokens"), frame, "tokens", dashboard, state)
    st.caption("Seconds are those that the steps took when they ran, whether or not other cells share them.")
    return dashboard


def _metrics(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.metric_correlation import correlation

    frame = result_frames.agreement(state, dashboard.filter_)
    show_figure(correlation(frame), frame, "metric-correlation", dashboard, state)
    return dashboard


def _published(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    from workbench.ui.dashboard.charts.published_table import published_table

    titles = {table.key: table.title for table in published_tables()}
    key = dashboard.reference if dashboard.reference in titles else next(iter(titles))
    if st.session_state.get(TABLE) not in titles:
        st.session_state[TABLE] = key
    key = st.selectbox("Table", list(titles), key=TABLE, format_func=titles.__getitem__)
    for number, (metric, published) in enumerate(published_figures([key]).groupby("metric", sort=False)):
        frame = _comparable_results(dashboard, state, str(metric))
        name = f"published-{key}-{number}"
        chart = published_table(published, frame, str(metric))
        show_figure(chart, published if frame is None else frame, name, dashboard, state)
        if frame is not None:
            figure.rows(published, name)
        else:
            st.caption(_why_no_results(str(metric)))
    return replace(dashboard, reference=key)


def _why_no_results(metric: str) -> str:
    if measure := MEASURES.get(metric):
        return f"No matching results of yours: these runs are not scored by {measure}. Add it to an experiment."
    return "No matching results of yours: no metric of the workbench is computed in this way."


def _comparable_results(dashboard: DashboardState, state: ResultsState, metric: str) -> DataFrame | None:
    """The results in the metric that is computed as a published one, by mode and language and over all languages."""
    from pandas import concat

    measure = MEASURES.get(metric, "")
    if measure not in result_frames.metrics(state, dashboard.filter_):
        return None
    by_language = result_frames.by_dimensions(state, dashboard.filter_, measure, ("mode", "language"))
    averages = result_frames.by_dimensions(state, dashboard.filter_, measure, ("mode",))
    frame = concat([by_language, averages.assign(language=next(iter(GROUPS)))], ignore_index=True)
    return frame.assign(series=frame["mode"] + f", {measure}")


def _reference(dashboard: DashboardState) -> str:
    return dashboard.reference or published_choices.default_choice(
        dashboard.view, published_choices.choices(dashboard.view, dashboard.metric)
    )


def _unscored(dashboard: DashboardState, state: ResultsState, frame: DataFrame) -> None:
    """Why answers were not scored. Not read where all answers in the frame were: it reads every score."""
    if not frame["unscored"].any():
        return
    reasons = result_frames.unscored(state, dashboard.filter_, dashboard.metric)
    if reasons:
        counts = "; ".join(f"{count:,} × {reason.rstrip('.')}" for reason, count in reasons[:4])
        safe_html.message(f"Unscored answers, which are in no mean: {counts}.")


DRAWERS: Mapping[View, Callable[[DashboardState, ResultsState], DashboardState]] = {
    "leaderboard": _leaderboard,
    "languages": _languages,
    "prompts": _prompts,
    "modes": _modes,
    "documents": _documents,
    "retrieval": _retrieval,
    "deltas": difference_view.draw,
    "cost": _cost,
    "metrics": _metrics,
    "published": _published,
}
