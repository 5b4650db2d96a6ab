"""The Dashboard's figures, one function per view: it gets the frame, draws the chart and shows the figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import COVERAGE, choice_name, choice_title, reach_finding, varied_fields
from workbench.metrics import Scale, metric_help, metric_name
from workbench.pipeline import SCOPES
from workbench.ui.dashboard import (
    difference_view,
    finding_frames,
    leaderboard_view,
    published_choices,
    published_view,
    result_frames,
    territory_view,
)
from workbench.ui.dashboard.charts.curves import NAMES, Cost, frontier, retrieval_curves
from workbench.ui.dashboard.charts.grids import (
    POOLED,
    correlation,
    language_groups,
    language_map,
    prompt_scope,
    scope_language,
)
from workbench.ui.dashboard.charts.intervals import modes
from workbench.ui.dashboard.charts.sankey import sankey
from workbench.ui.dashboard.dashboard_state import SERIES, SESSION, DashboardState, View
from workbench.ui.dashboard.leaderboard_view import standing, track
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_controls import DESCRIPTIONS
from workbench.ui.dashboard.view_parts import choose_published, show_figure, show_findings, show_note
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline

if TYPE_CHECKING:
    from pandas import DataFrame

PROMPT_TABLE_LANGUAGES = ("ko", "fr", "ru")
"""The languages of Chirkova et al. (2024), Tables 5 and 9."""
WITH_INTERVALS: tuple[View, ...] = (
    "leaderboard",
    "languages",
    "prompts",
    "modes",
    "retrieval",
    "deltas",
    "published",
    "territories",
)
"""Views whose figures have intervals."""
LANGUAGES_LIMIT = 4
"""Languages that are shown next to each other in one figure of prompts."""
COLUMNS_LIMIT = 12
"""Columns of that figure; with more, languages are separate only where the filter names them."""


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The description and figures of the view, with its own controls."""
    st.markdown(DESCRIPTIONS[dashboard.view])
    DRAWERS[dashboard.view](dashboard, state)
    if dashboard.view in WITH_INTERVALS:
        st.caption(
            "Intervals are 95 % intervals over questions: all answers to one question, in any language and with any "
            "recipe, count as one draw. With 30 or more questions they are bootstrap intervals, with fewer Wilson "
            "intervals."
        )


def _leaderboard(dashboard: DashboardState, state: ResultsState) -> None:
    st.toggle(
        "On common questions",
        help="Runs are compared on the questions that each of them has a score for. Otherwise each run has the mean of "
        "the questions that it answered.",
        **SESSION.control("common"),
    )
    dashboard, published = choose_published(dashboard, dashboard.metric, state)
    filter_, metric = dashboard.filter_, dashboard.metric
    frame, count = result_frames.leaderboard(state, filter_, metric, dashboard.common)
    # The tests behind the sentence take longer than the figure, which is not kept waiting.
    above = st.container()
    leaderboard_view.draw(frame, metric, published)
    figure.rows_below(frame, "leaderboard", (filter_, metric, dashboard.common, state))
    with above:
        elsewhere = finding_frames.elsewhere(state, filter_, metric)
        show_findings(*finding_frames.of_runs(state, filter_, metric, dashboard.common), elsewhere)
    if count > len(frame):
        safe_html.message(f"The {len(frame)} best of {count:,} runs. Use the filters to see the others.")
    for note in (*_leaderboard_notes(frame), *finding_frames.alike(state, filter_)):
        show_note(note)
    _unscored(dashboard, state, frame)


def _leaderboard_notes(frame: DataFrame) -> list[str]:
    """What the ranks rest on: common questions, coverage and datasets."""
    notes, ranked = [], frame[frame["rank"].notna()]
    if len(ranked) and ranked["common"].all():
        notes.append("Means are over the questions for which every ranked run has a score. Equal means share a rank.")
    elif len(ranked) > 1:
        notes.append("Each mean is over the run's questions, which may not be the same ones. Equal means share a rank.")
    if frame["partial"].any():
        notes.append(
            f"Not ranked: the run answered less than {COVERAGE:.0%} of the questions. Its mean is over "
            "those. Filter by language, or deselect other experiments, to rank it among runs that answered the same."
        )
    if frame["dataset"].nunique() > 1:
        notes.append("Runs over different datasets are ranked separately.")
    return notes


def _languages(dashboard: DashboardState, state: ResultsState) -> None:
    dashboard, published = choose_published(dashboard, dashboard.metric, state)
    filter_, metric = dashboard.filter_, dashboard.metric
    frame = result_frames.by_scope(state, filter_, metric, ("scope", "language"))
    above = st.container()
    show_figure(scope_language(frame, metric, published), frame, "scope-language", dashboard, state)
    by_scope = finding_frames.of_choice(state, filter_, metric, "scope")
    with above:
        show_findings(by_scope, finding_frames.of_languages(state, filter_, metric))
    show_note(finding_frames.pooled(state, filter_, ("scope",)))
    _unscored(dashboard, state, frame)


def _prompts(dashboard: DashboardState, state: ResultsState) -> None:
    from pandas import concat

    languages = dashboard.filter_.languages or tuple(result_frames.languages(state, dashboard.filter_))
    separate = languages
    scopes = result_frames.by_scope(state, dashboard.filter_, dashboard.metric, ("prompt", "scope"))["scope"].nunique()
    crowded = not dashboard.filter_.languages and scopes * (len(languages) + 1) > COLUMNS_LIMIT
    if len(languages) > LANGUAGES_LIMIT or (crowded and len(languages) > 1):
        separate = tuple(code for code in PROMPT_TABLE_LANGUAGES if code in languages)
    # Measured with another identifier than the built-in one, the rate has that one's name.
    rates = [name for name in result_frames.metrics(state, dashboard.filter_) if name.partition("@")[0] == "clr"]
    dashboard, _ = choose_published(dashboard, dashboard.metric, state)
    for metric in dict.fromkeys([dashboard.metric, *rates]):
        pooled = result_frames.by_scope(state, dashboard.filter_, metric, ("prompt", "scope")).assign(language=POOLED)
        frames = [pooled] if len(languages) > 1 else []
        if separate:
            alone = replace(dashboard.filter_, languages=separate)
            frames.append(result_frames.by_scope(state, alone, metric, ("prompt", "scope", "language")))
        frame = concat(frames or [pooled], ignore_index=True)
        published = published_choices.rows("prompts", dashboard.reference, metric)
        above = st.container()
        show_figure(prompt_scope(frame, metric, published), frame, f"prompt-scope-{metric}", dashboard, state)
        best = finding_frames.of_choice(state, dashboard.filter_, metric, "prompt")
        with above:
            show_findings(f"{metric_name(metric)}: {best}")
    show_note(finding_frames.pooled(state, dashboard.filter_, ("prompt", "scope")))
    if len(separate) < len(languages):
        safe_html.message(
            f"“{POOLED}” covers all {len(languages)} languages. Filter by up to {LANGUAGES_LIMIT} languages to see "
            "them separately."
        )


def _modes(dashboard: DashboardState, state: ResultsState) -> None:
    dashboard, published = choose_published(dashboard, dashboard.metric, state)
    filter_, metric = dashboard.filter_, dashboard.metric
    frame = result_frames.by_mode(state, filter_, metric)
    above = st.container()
    show_figure(modes(frame, metric, published), frame, "modes", dashboard, state)
    with above:
        show_findings(finding_frames.of_choice(state, filter_, metric, "mode"))
    in_scope = result_frames.in_paper_scope(state, filter_)
    if in_scope != filter_:
        show_note(
            "Each mode is shown in the scope that its paper defines; a row that names a scope is in that one. Filter "
            "by scope to see others."
        )
    show_note(finding_frames.pooled(state, in_scope, ("dataset", "mode", "scope")))
    st.caption(
        "High resource: en, de, es, fr, it, ja, pt, ru, zh. Low resource: ar, fi, ko, th, hi, vi, bn, te. Grouped as "
        "in Ranaldi et al. (2025, CrossRAG), derived from its Table 10."
    )
    _unscored(dashboard, state, frame)


def _documents(dashboard: DashboardState, state: ResultsState) -> None:
    dashboard, published = choose_published(dashboard, "documents", state)
    dashboard = _choose_scope(dashboard, state)
    scope = dashboard.scope
    filter_ = replace(dashboard.filter_, scopes=(scope,)) if scope else dashboard.filter_
    frame = result_frames.flows(state, filter_)
    show_findings(finding_frames.of_documents(state, filter_))
    show_figure(language_map(frame, scope), frame, "document-languages", dashboard, state)
    show_figure(language_groups(frame, published, scope), frame, "document-groups", dashboard, state)
    show_figure(sankey(frame, scope), frame, "language-flow", dashboard, state)
    show_note(finding_frames.pooled(state, filter_, ("scope",)))


def _choose_scope(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    """The scope whose documents are shown: one at a time, since their languages depend on it."""
    runs = result_frames.runs(state, dashboard.filter_)
    scopes = [name for name in SCOPES if any(run.scope == name and run.mode != "baseline" for run in runs)]
    if len(scopes) < 2:
        return dashboard.with_(scope="")
    wishes = (dashboard.scope, published_choices.scope_of(dashboard.reference), "all", scopes[0])
    scope = next(name for name in wishes if name in scopes)
    titles = {name: choice_name("scope", name) for name in scopes}
    SESSION.switch("scope", "Scope", titles, scope, help="The languages that were searched; scopes are not pooled.")
    return dashboard.with_(scope=scope)


def _retrieval(dashboard: DashboardState, state: ResultsState) -> None:
    options = _series(dashboard, state)
    family, series = dashboard.family, dashboard.series if dashboard.series in options else SERIES[0]
    left, right = st.columns(2, gap="medium")
    with left:
        help_ = "Hit: a gold passage is among the first k. Recall: the share of them. P: the gold share of the k."
        SESSION.switch("family", "Measure", NAMES, help=help_)
    with right:
        titles = {name: choice_title(name) for name in options}
        SESSION.switch("series", "One line per", titles, series, help="What the lines are compared by.")
    dashboard, published = choose_published(dashboard, family, state)
    frame = result_frames.curves(state, dashboard.filter_, family, series)
    if len(frame):
        metric = f"{family}@{frame['at'].max()}"
        reached = finding_frames.reached(frame)
        best = finding_frames.of_retrieval(state, dashboard.filter_, metric, series)
        show_findings(reach_finding(reached), best)
        _reach_bars(reached)
    show_figure(retrieval_curves(frame, family, published), frame, f"retrieval-{family}", dashboard, state)
    in_scope = dashboard.filter_ if series == "scope" else result_frames.in_paper_scope(state, dashboard.filter_)
    if in_scope != dashboard.filter_:
        show_note("Each mode is taken in the scope that its paper defines. Filter by scope to see others.")
    shown = ("mode", "scope") if series == "mode" else (series,)
    show_note(finding_frames.pooled(state, in_scope, shown))


def _reach_bars(reached: Sequence[tuple[str, int, int]]) -> None:
    """For each line the share of its questions that have a gold passage in the languages searched."""
    rows = [
        standing("", [inline(name)], track([n / cells], Scale(), ""), n / cells, f"{n:,} of {cells:,}")
        for name, n, cells in reached
    ]
    title = element("div", escaped("Questions with a gold passage in the languages searched"), css="wb-title")
    safe_html.show(element("div", title, *rows))


def _series(dashboard: DashboardState, state: ResultsState) -> list[str]:
    """What may have a line of its own: also the fields that were varied."""
    fields = varied_fields(result_frames.runs(state, dashboard.filter_))
    return [*SERIES, *(name for name in fields if name not in SERIES)]


def _cost(dashboard: DashboardState, state: ResultsState) -> None:
    frame = result_frames.costs(state, dashboard.filter_, dashboard.metric)
    costs: list[tuple[Cost, str]] = [("seconds", "latency")]
    if frame["tokens"].notna().any():
        costs.append(("tokens", "tokens"))
    for cost, name in costs:
        show_findings(finding_frames.of_costs(state, dashboard.filter_, dashboard.metric, cost))
        show_figure(frontier(frame, dashboard.metric, cost), frame, name, dashboard, state)
    st.caption("Seconds are those that the steps took when they ran, whether or not other cells share them.")
    _unscored(dashboard, state, frame)


def _metrics(dashboard: DashboardState, state: ResultsState) -> None:
    frame = result_frames.agreement(state, dashboard.filter_)
    show_findings(finding_frames.of_metrics(state, dashboard.filter_))
    show_figure(correlation(frame), frame, "metric-correlation", dashboard, state)
    show_note(finding_frames.pooled(state, dashboard.filter_, ()))
    for name in result_frames.metrics(state, dashboard.filter_):
        show_note(f"{metric_name(name)}: {metric_help(name)}")


def _unscored(dashboard: DashboardState, state: ResultsState, frame: DataFrame) -> None:
    """Why answers were not scored. Not read where all answers in the frame were: it reads every score."""
    if not frame["unscored"].any():
        return
    reasons = result_frames.unscored(state, dashboard.filter_, dashboard.metric)
    if reasons:
        counts = "; ".join(f"{count:,} × {reason.rstrip('.')}" for reason, count in reasons[:4])
        total = sum(count for _, count in reasons)
        safe_html.message(f"{total:,} unscored (not in any mean), over all runs of these filters: {counts}.")


DRAWERS: Mapping[View, Callable[[DashboardState, ResultsState], None]] = {
    "leaderboard": _leaderboard,
    "languages": _languages,
    "prompts": _prompts,
    "modes": _modes,
    "documents": _documents,
    "retrieval": _retrieval,
    "deltas": difference_view.draw,
    "cost": _cost,
    "metrics": _metrics,
    "published": published_view.draw,
    "territories": territory_view.draw,
}
