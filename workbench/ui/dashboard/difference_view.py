"""Differences on the Dashboard: which run or value of a choice is better, over all languages and in each."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from workbench.experiments import COMPARISONS, Comparison, comparisons
from workbench.ui.dashboard import difference_frames, result_frames
from workbench.ui.dashboard.charts.intervals import deltas
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_parts import choose_published, show_figure, show_findings, show_note
from workbench.ui.parts.chart_style import plain_text

TITLES: Mapping[Comparison, str] = {
    "run": "Runs",
    "mode": "Modes",
    "scope": "Scopes",
    "prompt": "Prompts",
    "model": "Models",
    "k": "k",
    "perturbation": "Perturbations",
    "corpus": "Corpora",
}
TITLE_LIMIT = 60
"""Characters of a run's title in the title of a figure."""


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The controls and the figures."""
    dashboard = _choose_comparison(dashboard, state)
    titles = difference_frames.candidates(state, dashboard.filter_, dashboard.metric, dashboard.what)
    first = _select("Compare with", "against", titles, "All others are compared with this one, per question.")
    dashboard, published = choose_published(dashboard, dashboard.metric)
    with st.spinner("Comparing question by question"):
        frame = difference_frames.differences(state, dashboard.filter_, dashboard.metric, dashboard.what, first)
    note = " (the best)" if difference_frames.is_best(first, titles) else ""
    show_findings(difference_frames.finding(state, dashboard.filter_, dashboard.metric, dashboard.what, first))
    title = f"Difference from “{plain_text(titles[first], TITLE_LIMIT)}”{note}: {dashboard.metric}"
    show_figure(deltas(frame, title, dashboard.metric, published), frame, "differences", dashboard, state)
    if difference_frames.is_best(first, titles) and len(frame) > 1:
        show_note(
            "The base is the best by its score, so all pairs have been looked at, and p is corrected for all of them "
            "(Holm). With another base, p is corrected for the pairs with it alone."
        )
    if dashboard.what != "run":
        st.caption(
            "Runs are paired if they differ in nothing else. Modes that share no scope are paired in the scopes that "
            "their papers define."
        )
    others = {name: titles[name] for name in frame[dashboard.what]}
    _by_language(dashboard, state, others, first, titles[first])


def _choose_comparison(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    """The control for what is compared, where runs differ in some choice."""
    runs = result_frames.runs(state, dashboard.filter_)
    options = [
        name
        for name in comparisons(runs)
        if name == "run" or name not in COMPARISONS or len({getattr(run, name) for run in runs}) > 1
    ]
    what = dashboard.what if dashboard.what in options else options[0]
    if len(options) == 1:
        return dashboard.with_(what=what)
    st.segmented_control(
        "Compare",
        options,
        required=True,
        format_func=lambda name: TITLES.get(name, name),
        help="Single runs, or all runs with one mode (scope, prompt …) and those with another that differ in nothing "
        "else.",
        **SESSION.control("what", shown=what),
    )
    return dashboard.with_(what=what)


def _by_language(
    dashboard: DashboardState, state: ResultsState, others: Mapping[str, str], first: str, title: str
) -> None:
    """One of the others in each language."""
    languages = dashboard.filter_.languages or result_frames.languages(state, dashboard.filter_)
    if not others or len(languages) < 2:
        return
    second = _select(
        "Show by language", "closer", others, "Its difference in each language; p is corrected over the languages."
    )
    with st.spinner("Comparing in each language"):
        frame = difference_frames.by_languages(
            state, dashboard.filter_, dashboard.metric, dashboard.what, first, second
        )
    pair = f"“{plain_text(others[second], TITLE_LIMIT)}” minus “{plain_text(title, TITLE_LIMIT)}”"
    figure = deltas(frame, f"{pair}, by language: {dashboard.metric}", dashboard.metric)
    show_figure(figure, frame, "differences-by-language", dashboard, state)


def _select(label: str, field: str, titles: Mapping[str, str], help_text: str) -> str:
    """The box of a field whose default is the first of `titles`."""
    value: str = SESSION.current.at(field)
    name = value if value in titles else next(iter(titles))
    st.selectbox(
        label, list(titles), format_func=titles.__getitem__, help=help_text, **SESSION.control(field, shown=name)
    )
    return name
