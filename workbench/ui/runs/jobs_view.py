"""Experiments at work and done: how each stands, live, and what can be done about it.

Every figure is read from the database, so it is the same in every tab, and after coming back.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from workbench.experiments.jobs import control
from workbench.experiments.jobs.control import Status
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.result_store import ExperimentRow
from workbench.ui.dashboard import dashboard_state, result_frames
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.shared import access, safe_html
from workbench.ui.shared.badges import chip
from workbench.ui.shared.safe_html import Html, element, escaped, inline, joined, table

EVERY = 1.0
"""Seconds between looks at a job that is at work."""
LISTED = 30
REASONS = 8
SAID = "runs_said"
GOOD = ("running", "done")
STATES = {
    "waiting": "starting",
    "running": "running",
    "done": "finished",
    "stopped": "stopped",
    "failed": "failed",
    "interrupted": "interrupted",
    "": "not started",
}


def overview(rows: list[ExperimentRow]) -> Html:
    """A row an experiment, the newest first."""
    body = [
        [
            inline(row.name, css="wb-title"),
            _badge(_state(row)),
            escaped(f"{row.answered:,} of {row.cells:,}"),
            escaped(f"{row.failed:,}"),
            element("span", escaped(time.strftime("%Y-%m-%d %H:%M", time.localtime(row.created))), css="wb-once"),
            inline(row.id, css="wb-muted"),
        ]
        for row in rows[:LISTED]
    ]
    return table(["Experiment", "State", "Answers", "Failed", "Made", "Id"], body)


def listed() -> None:
    """All experiments: live while some job is at work."""
    if any(_active(row.id) for row in _rows()[:LISTED]):
        st.fragment(_listed, run_every=EVERY)()
    else:
        _listed()


def _listed() -> None:
    safe_html.show(overview(_rows()))


def _rows() -> list[ExperimentRow]:
    return result_store.experiments(result_frames.engine())


def detail(identity: str) -> None:
    """One experiment: live while a job is at work on it."""
    if _status(identity) is not None and _active(identity):
        st.fragment(_live, run_every=EVERY)(identity)
    else:
        _stands(identity)


def _live(identity: str) -> None:
    """Drawn anew by itself until the job ends; then the whole page is."""
    if not _active(identity):
        st.rerun()
    _stands(identity)


def _stands(identity: str) -> None:
    engine = result_frames.engine()
    row = result_store.experiment(engine, identity)
    now = _status(identity)
    state = now.state if now else ("done" if row.kind == "predictions" else "")
    with st.container(border=True, key="experiment"):
        safe_html.show(
            element(
                "div", element("b", inline(row.name), css="wb-ask"), _badge(state), chip("id", row.id), css="wb-row"
            )
        )
        written = row.answered + row.failed
        failed = f", {row.failed:,} failed" if row.failed else ""
        st.progress(
            min(1.0, written / row.cells) if row.cells else 0.0,
            text=f"{row.answered:,} of {row.cells:,} answers{failed}",
        )
        if now and now.active:
            share = min(1.0, now.done / now.total) if now.total else 0.0
            counted = f": {now.done:,} of {now.total:,} batches" if now.total else ""
            st.progress(share, text=f"Stage under way, {_words(now.stage)}{counted}")
        if now:
            safe_html.show(_steps(now))
            if now.error:
                safe_html.message(now.error, "error")
            if now.state == "interrupted":
                safe_html.message("The process was killed. Resume goes on where it was: nothing is lost or done twice.")
        if said := st.session_state.pop(SAID, ""):
            safe_html.message(said, "error")
        _buttons(row, now)
        _failures(identity, row)


def _buttons(row: ExperimentRow, now: Status | None) -> None:
    active = now is not None and now.active
    chosen = access.workbench().settings
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if active:
            st.button(
                "Stop",
                key="runs_stop",
                icon=":material/stop_circle:",
                on_click=_try,
                args=(control.stop, chosen, row.id),
            )
        elif row.kind == "matrix" and (now is None or now.state != "done"):
            label = "Resume" if now else "Start"
            st.button(
                label, key="runs_resume", type="primary", icon=":material/play_circle:",
                on_click=_try, args=(control.start, chosen, row.id),
            )  # fmt: skip
        if row.failed and not active and row.kind == "matrix":
            st.button(
                f"Retry the failed ({row.failed:,})", key="runs_retry", icon=":material/replay:",
                on_click=_try, args=(control.retry_failed, chosen, row.id),
            )  # fmt: skip
        if row.answered:
            st.page_link(
                "pages/dashboard.py",
                label="Open in the Dashboard",
                icon=":material/leaderboard:",
                query_params={"experiment": row.id},
            )


def _failures(identity: str, row: ExperimentRow) -> None:
    if not row.failed:
        return
    reasons = result_store.failures(result_frames.engine(), Filter(experiments=(identity,)))
    body = [[escaped(f"{count:,}"), inline(reason)] for reason, count in reasons[:REASONS]]
    cells = "1 cell" if row.failed == 1 else f"{row.failed:,} cells"
    st.markdown(f"**{cells} failed**, each for its own reason; the others are not concerned.")
    safe_html.show(table(["Cells", "Reason"], body))
    look = DashboardState(chosen=Filter(experiments=(identity,)), mark=dashboard_state.mark(failed=True))
    st.page_link(
        "pages/dashboard.py",
        label="Open the failed cells",
        icon=":material/error:",
        query_params=dict(dashboard_state.to_params(look)),
    )


def _steps(now: Status) -> Html:
    """Steps by stage: run, found in the cache, failed."""
    names = list(dict.fromkeys([*now.run, *now.found, *now.failed]))
    chips = []
    for name in names:
        run, found, failed = (counts.get(name, 0) for counts in (now.run, now.found, now.failed))
        told = [(run, "run"), (found, "from the cache"), (failed, "failed")]
        if counted := ", ".join(f"{count:,} {what}" for count, what in told if count):
            chips.append(chip(name, counted))
    return element("div", joined(chips), css="wb-row")


def _try(verb: Callable[..., object], *given: object) -> None:
    try:
        verb(*given)
    except Exception as error:
        st.session_state[SAID] = access.sentence(error)


def _badge(state: str) -> Html:
    css = "wb-missing" if state in ("failed", "interrupted") else "wb-ready" if state in GOOD else "wb-idle"
    return element("span", escaped(STATES[state]), css=css)


def _words(stage: str) -> str:
    return stage if stage.replace(" ", "").isalpha() else "working"


def _state(row: ExperimentRow) -> str:
    now = _status(row.id)
    return now.state if now else ("done" if row.kind == "predictions" else "")


def _status(identity: str) -> Status | None:
    return control.status(access.workbench().settings, identity)


def _active(identity: str) -> bool:
    now = _status(identity)
    return now is not None and now.active
