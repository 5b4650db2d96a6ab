"""Pilots on the Runs screen: those at work, live, and the estimate from the pilot of the experiment in the form.

All of it is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import Pilots, estimate
from workbench.ui.parts import access, job_card, permitted, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.ui.runs import jobs_view, matrix_form

if TYPE_CHECKING:
    from workbench.experiments import Experiment, ExperimentPlan, Pilot

PILOT_QUESTIONS = 2
"""Questions per language that a pilot runs."""
ENDED = {
    "stopped": "The pilot was stopped. What it computed is cached, so the next pilot takes less time.",
    "interrupted": "The pilot's process was killed. What it computed is cached, so the next pilot takes less time.",
}


def button(experiment: Experiment, disabled: bool) -> None:
    """The button that starts an experiment's pilot; also disabled while that pilot is at work."""
    pilot = _pilots().find(experiment, PILOT_QUESTIONS)
    pressed = st.button(
        f"Run a pilot ({PILOT_QUESTIONS} questions per language)",
        key="runs_pilot",
        icon=":material/timer:",
        **permitted.control(
            "runs.start",
            disabled=disabled or (pilot is not None and pilot.active),
            help="Runs a small part now and estimates the complete experiment. What it computes is cached.",
        ),
    )
    if pressed:
        _pilots().start(experiment, PILOT_QUESTIONS)
        st.rerun()


def draw(experiment: Experiment, plan: ExperimentPlan) -> None:
    """The pilots at work, and how the pilot of the experiment with this plan ended."""
    if working := _working():
        job_card.live(lambda: _working() == working, _draw_working)
    pilot = _pilots().find(experiment, PILOT_QUESTIONS)
    if pilot is not None and not pilot.active:
        _ended(pilot, plan)


def _draw_working() -> None:
    for pilot in _pilots().at_work():
        _progress(pilot)


def _working() -> tuple[str, ...]:
    return tuple(pilot.id for pilot in _pilots().at_work())


def _progress(pilot: Pilot) -> None:
    status = pilot.status
    if status is None:
        return
    with st.container(border=True, key=f"pilot_{pilot.id}"):
        safe_html.show(element("div", escaped("Pilot of "), inline(pilot.name), css="wb-title"))
        st.progress(status.share, text=jobs_view.stage_words(status, with_end=False))
        st.button(
            "Stop pilot",
            key=f"pilot_stop_{pilot.id}",
            icon=":material/stop_circle:",
            on_click=job_card.press,
            args=(pilot.id, partial(_pilots().stop, pilot.id)),
            **permitted.control("runs.stop"),
        )


def _ended(pilot: Pilot, plan: ExperimentPlan) -> None:
    if pilot.measured is not None:
        result = estimate(plan, pilot.measured)
        safe_html.message(matrix_form.estimate_words(result))
        for reason, count in result.reasons.items():
            safe_html.message(f"{count:,} of the pilot's cells failed: {reason}", "error")
    elif pilot.status is not None:
        stopped = pilot.status.state == "stopped"
        safe_html.message(ENDED.get(pilot.status.state) or pilot.status.error, "note" if stopped else "error")


def _pilots() -> Pilots:
    return Pilots(access.workbench().settings)
