"""Pilots on the Runs screen: those at work, live, and what the pilot of the experiment in the form has found.

All of it is read from the database, so it is the same in every tab, and after coming back.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from workbench.errors import UsageError
from workbench.experiments.jobs.control import Jobs
from workbench.experiments.jobs.pilot_jobs import Pilots
from workbench.experiments.pilot import estimate
from workbench.ui.runs import matrix_form
from workbench.ui.shared import access, safe_html
from workbench.ui.shared.safe_html import element, escaped, inline

if TYPE_CHECKING:
    from workbench.experiments.experiment import Experiment
    from workbench.experiments.jobs.pilot_jobs import Pilot
    from workbench.experiments.plan import ExperimentPlan

PILOTED = 2
"""Questions of each language that a pilot asks."""
EVERY = 1.0
"""Seconds between looks at the pilots that are at work."""
ENDED = {
    "stopped": "The pilot was stopped. What it computed is kept, so another one is done sooner.",
    "interrupted": "The pilot's process was killed. What it computed is kept, so another one is done sooner.",
}


def button(made: Experiment, barred: bool) -> None:
    """Starts the pilot of an experiment; barred while it is at work too."""
    found = _pilots().find(made, PILOTED)
    pressed = st.button(
        f"Pilot of {PILOTED} questions a language",
        key="runs_pilot",
        icon=":material/timer:",
        disabled=barred or (found is not None and found.active),
        help="Runs a small part now and estimates the whole; what it computes is kept.",
    )
    if pressed:
        _pilots().start(made, PILOTED)
        st.rerun()


def draw(made: Experiment, whole: ExperimentPlan) -> None:
    """The pilots at work, and the estimate of the experiment whose plan is `whole`."""
    if working := tuple(one.id for one in _pilots().at_work()):
        st.fragment(_live, run_every=EVERY)(working)
    found = _pilots().find(made, PILOTED)
    if found is not None and not found.active:
        _ended(found, whole)


def _live(working: tuple[str, ...]) -> None:
    """Drawn anew by itself until a pilot begins or ends; then the whole page is."""
    now = _pilots().at_work()
    if tuple(one.id for one in now) != working:
        st.rerun()
    for one in now:
        _progress(one)


def _progress(one: Pilot) -> None:
    now = one.status
    if now is None:
        return
    with st.container(border=True, key=f"pilot_{one.id}"):
        safe_html.show(element("div", escaped("Pilot of "), inline(one.name), css="wb-title"))
        counted = f": {now.done:,} of {now.total:,} batches" if now.total else ""
        share = min(1.0, now.done / now.total) if now.total else 0.0
        st.progress(share, text=f"Stage under way, {now.stage}{counted}")
        st.button(
            "Stop the pilot",
            key=f"pilot_stop_{one.id}",
            icon=":material/stop_circle:",
            on_click=_stop,
            args=(one.id,),
        )


def _stop(identity: str) -> None:
    # One that has ended and been swept meanwhile is as stopped as can be.
    with suppress(UsageError):
        Jobs(access.workbench().settings).stop(identity)


def _ended(found: Pilot, whole: ExperimentPlan) -> None:
    if found.measured is not None:
        made = estimate(whole, found.measured)
        safe_html.message(matrix_form.estimated(made))
        for reason, count in made.reasons.items():
            safe_html.message(f"{count:,} of the pilot's cells failed: {reason}", "error")
    elif found.status is not None:
        stopped = found.status.state == "stopped"
        safe_html.message(ENDED.get(found.status.state) or found.status.error, "note" if stopped else "error")


def _pilots() -> Pilots:
    return Pilots(access.workbench().settings)
