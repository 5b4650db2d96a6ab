"""The Dashboard's figures, a function a view: it asks for the frame, draws the chart and shows the figure."""

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
from workbench.ui.dashboard.result_frames import State
from workbench.ui.dashboard.view_controls import EXPLAINED
from workbench.ui.dashboard.view_parts import published_beside, show
from workbench.ui.shared import figure, safe_html

if TYPE_CHECKING:
    from pandas import DataFrame

FAMILY, SERIES, TABLE = "dash_family", "dash_series", "dash_table"
S1_PROMPT_LANGUAGES = ("ko", "fr", "ru")
"""The languages of Tables 5 and 9 of Chirkova et al. 2024."""
BOUNDED: tuple[View, ...] = ("leaderboard", "languages", "prompts", "modes", "retrieval", "deltas", "published")
"""Views whose figures have intervals."""
APART = 4
"""Languages that stand side by side in one figure of prompts."""


def draw(look: DashboardState, state: State) -> DashboardState:
    """The look's figure; the look with what was chosen beside it."""
    st.markdown(EXPLAINED[look.view])
    made = VIEWS[look.view](look, state)
    if look.view in BOUNDED:
        st.caption(
            "Intervals are 95 % intervals over questions: the answers to one question, in whatever language or "
            "recipe, are one draw. They are the bootstrap's from 30 questions on, and Wilson's of fewer."
        )
    return made


def _leaderboard(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.leaderboard import leaderboard

    look, rows = published_beside(look, look.metric)
    frame, count = result_frames.leaderboard(state, look.chosen, look.metric)
    show(leaderboard(frame, look.metric, rows), frame, "leaderboard", look, state)
    if count > len(frame):
        safe_html.message(f"The {len(frame)} best of {count:,} runs. Filters bring the others up.")
    _unscored(look, state, frame)
    return look


def _languages(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.scope_language import scope_language

    look, rows = published_beside(look, look.metric)
    frame = result_frames.by_scope(state, look.chosen, look.metric, ("scope", "language"))
    show(scope_language(frame, look.metric, rows), frame, "scope-language", look, state)
    _unscored(look, state, frame)
    return look


def _prompts(look: DashboardState, state: State) -> DashboardState:
    from pandas import concat

    from workbench.ui.dashboard.charts.prompt_scope import POOLED, prompt_scope

    there = look.chosen.languages or tuple(result_frames.languages(state, look.chosen))
    codes = there if len(there) <= APART else tuple(code for code in S1_PROMPT_LANGUAGES if code in there)
    # Told by another identifier than the built-in one, the rate has that one's name.
    rates = [name for name in result_frames.metrics(state, look.chosen) if name.partition("@")[0] == "clr"]
    look, _ = published_beside(look, look.metric)
    for metric in dict.fromkeys([look.metric, *rates]):
        whole = result_frames.by_scope(state, look.chosen, metric, ("prompt", "scope")).assign(language=POOLED)
        apart = result_frames.by_scope(
            state, replace(look.chosen, languages=codes), metric, ("prompt", "scope", "language")
        )
        frame = concat([whole, apart], ignore_index=True) if len(there) > 1 else apart
        rows = published_choices.rows("prompts", _chosen_reference(look), metric)
        show(prompt_scope(frame, metric, rows), frame, f"prompt-scope-{metric}", look, state)
    if len(codes) < len(there):
        safe_html.message(f"“{POOLED}” is of all {len(there)} languages. Filter by up to {APART} to see those apart.")
    return look


def _modes(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.modes_by_dataset import modes

    look, rows = published_beside(look, look.metric)
    frame = result_frames.by_mode(state, look.chosen, look.metric)
    show(modes(frame, look.metric, rows), frame, "modes", look, state)
    st.caption(
        "High resource: en, de, es, fr, it, ja, pt, ru, zh. Low resource: ar, fi, ko, th, hi, vi, bn, te. Grouped as "
        "in Ranaldi et al. 2025 (CrossRAG), derived from its Table 10."
    )
    return look


def _documents(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.language_groups import language_groups
    from workbench.ui.dashboard.charts.language_map import language_map
    from workbench.ui.dashboard.charts.sankey import sankey

    frame = result_frames.flows(state, look.chosen)
    show(language_map(frame), frame, "document-languages", look, state)
    look, rows = published_beside(look, "documents")
    show(language_groups(frame, rows), frame, "document-groups", look, state)
    show(sankey(frame), frame, "language-flow", look, state)
    return look


def _retrieval(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.retrieval_curves import NAMES, retrieval_curves

    left, right = st.columns(2, gap="medium")
    with left:
        family = st.segmented_control(
            "Measure", list(NAMES), key=FAMILY, default="hit", format_func=NAMES.__getitem__, required=True
        )
    with right:
        series: Dimension = st.segmented_control(
            "A line for each", ["mode", "scope", "language", "k"], key=SERIES, default="mode", required=True
        )
    look, rows = published_beside(look, family)
    frame = result_frames.curves(state, look.chosen, family, series)
    show(retrieval_curves(frame, family, rows), frame, f"retrieval-{family}", look, state)
    return look


def _cost(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.frontier import frontier

    frame = result_frames.costs(state, look.chosen, look.metric)
    show(frontier(frame, look.metric), frame, "latency", look, state)
    if frame["tokens"].notna().any():
        show(frontier(frame, look.metric, "tokens"), frame, "tokens", look, state)
    st.caption("Seconds are those of the steps when they ran, shared with other cells or not.")
    return look


def _metrics(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.metric_correlation import correlation

    frame = result_frames.agreement(state, look.chosen)
    show(correlation(frame), frame, "metric-correlation", look, state)
    return look


def _published(look: DashboardState, state: State) -> DashboardState:
    from workbench.ui.dashboard.charts.published_table import published_table

    titles = {table.key: table.title for table in published_tables()}
    key = look.reference if look.reference in titles else next(iter(titles))
    if st.session_state.get(TABLE) not in titles:
        st.session_state[TABLE] = key
    key = st.selectbox("Table", list(titles), key=TABLE, format_func=titles.__getitem__)
    for number, (metric, rows) in enumerate(published_figures([key]).groupby("metric", sort=False)):
        frame = _measured_like(look, state, str(metric))
        name = f"published-{key}-{number}"
        drawn = published_table(rows, frame, str(metric))
        show(drawn, rows if frame is None else frame, name, look, state)
        if frame is not None:
            figure.rows(rows, name)
        else:
            st.caption(_why_alone(str(metric)))
    return replace(look, reference=key)


def _why_alone(metric: str) -> str:
    if measure := MEASURES.get(metric):
        return f"Nothing of yours stands beside it: these runs are not scored by {measure}. Add it to an experiment."
    return "Nothing of yours stands beside it: no metric here is computed in this way."


def _measured_like(look: DashboardState, state: State, metric: str) -> DataFrame | None:
    """What was measured here in the way of a published metric, by mode and language and over all languages."""
    from pandas import concat

    measure = MEASURES.get(metric, "")
    if measure not in result_frames.metrics(state, look.chosen):
        return None
    apart = result_frames.by(state, look.chosen, measure, ("mode", "language"))
    whole = result_frames.by(state, look.chosen, measure, ("mode",)).assign(language=next(iter(GROUPS)))
    frame = concat([apart, whole], ignore_index=True)
    return frame.assign(series=frame["mode"] + f", {measure}")


def _chosen_reference(look: DashboardState) -> str:
    return look.reference or published_choices.usual(look.view, published_choices.choices(look.view, look.metric))


def _unscored(look: DashboardState, state: State, drawn: DataFrame) -> None:
    """Why answers were not scored. Not asked where all that is drawn was: it reads every score."""
    if not drawn["unscored"].any():
        return
    reasons = result_frames.unscored(state, look.chosen, look.metric)
    if reasons:
        told = "; ".join(f"{count:,}: {reason.rstrip('.')}" for reason, count in reasons[:4])
        safe_html.message(f"Unscored, and in no mean: {told}.")


VIEWS: Mapping[View, Callable[[DashboardState, State], DashboardState]] = {
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
