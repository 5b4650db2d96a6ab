"""Differences on the Dashboard: who beats whom, over all languages and in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from workbench.results.run_pairs import COMPARISONS, Comparison
from workbench.ui.dashboard import difference_frames, result_frames
from workbench.ui.dashboard.charts.chart_style import plain
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.dashboard.result_frames import State
from workbench.ui.dashboard.view_parts import published_beside, show

WHAT, AGAINST, CLOSER = "dash_what", "dash_against", "dash_closer"
TITLES: Mapping[Comparison, str] = {
    "run": "Runs",
    "mode": "Modes",
    "scope": "Scopes",
    "prompt": "Prompts",
    "model": "Models",
    "k": "k",
    "perturbation": "Perturbations",
}
LONGEST = 60


def draw(look: DashboardState, state: State) -> DashboardState:
    """The controls and the figures; the look with what was chosen."""
    from workbench.ui.dashboard.charts.differences import deltas

    look = _what(look, state)
    called = difference_frames.candidates(state, look.chosen, look.metric, look.what)
    first = _one_of(
        "Compare with", AGAINST, called, look.against, "Every other is compared with this one, question by question."
    )
    look, rows = published_beside(replace(look, against=_unless_first(first, called)), look.metric)
    with st.spinner("Comparing question by question"):
        frame = difference_frames.differences(state, look.chosen, look.metric, look.what, first)
    title = f"Difference from “{plain(called[first], LONGEST)}”: {look.metric}"
    show(deltas(frame, title, look.metric, rows), frame, "differences", look, state)
    if look.what != "run":
        st.caption(
            "Runs are paired that differ in nothing else. Modes that were run in no scope in common are paired in the "
            "scopes that their papers define."
        )
    others = {name: called[name] for name in frame[look.what]}
    return _closer(look, state, others, first, called[first])


def _what(look: DashboardState, state: State) -> DashboardState:
    """Lets one choose what is compared, where runs differ in more than which they are."""
    runs = result_frames.runs(state, look.chosen)
    there = [name for name in COMPARISONS if name == "run" or len({getattr(run, name) for run in runs}) > 1]
    if st.session_state.get(WHAT) not in there:
        st.session_state[WHAT] = look.what if look.what in there else there[0]
    if len(there) == 1:
        return replace(look, what=there[0])
    what = st.segmented_control(
        "Compare",
        there,
        key=WHAT,
        required=True,
        format_func=TITLES.__getitem__,
        help="Single runs; or all runs of one mode with those of another that are alike in everything else, and so on.",
    )
    return replace(look, what=what or there[0])


def _closer(look: DashboardState, state: State, others: Mapping[str, str], first: str, title: str) -> DashboardState:
    """One of the others in each language."""
    from workbench.ui.dashboard.charts.differences import deltas

    spoken = look.chosen.languages or result_frames.languages(state, look.chosen)
    if not others or len(spoken) < 2:
        return replace(look, closer="")
    second = _one_of(
        "Look closer, language by language, at",
        CLOSER,
        others,
        look.closer,
        "This one against the same in each language: p is corrected over the languages.",
    )
    with st.spinner("Comparing in each language"):
        frame = difference_frames.by_languages(state, look.chosen, look.metric, look.what, first, second)
    called = f"“{plain(others[second], LONGEST)}” minus “{plain(title, LONGEST)}”"
    drawn = deltas(frame, f"{called}, by language: {look.metric}", look.metric)
    show(drawn, frame, "differences-by-language", look, state)
    return replace(look, closer=_unless_first(second, others))


def _one_of(label: str, key: str, called: Mapping[str, str], wanted: str, explained: str) -> str:
    if st.session_state.get(key) not in called:
        st.session_state[key] = wanted if wanted in called else next(iter(called))
    chosen: str = st.selectbox(label, list(called), key=key, format_func=called.__getitem__, help=explained)
    return chosen


def _unless_first(name: str, called: Mapping[str, str]) -> str:
    """What the address says of a choice: nothing where it is the first."""
    return "" if name == next(iter(called)) else name
