"""Experiments running and finished: the state of each, live, and what can be done about it.

Every figure is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import streamlit as st

from workbench.experiments import (
    INDEXING,
    STATE_WORDS,
    ExperimentRow,
    ExperimentStatus,
    Filter,
    Jobs,
    Status,
    left_words,
)
from workbench.ui.dashboard import dashboard_state, result_frames
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.parts import access, permitted, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table
from workbench.ui.runs import editing_view

EVERY = 1.0
"""Seconds between two updates of a job that is at work."""
LISTED = 30
"""Experiments in the list."""
REASONS = 8
"""Reasons of failed cells that are shown."""
ACTION_ERROR = "runs_said"
GOOD = ("running", "done")


def overview(rows: Sequence[ExperimentStatus]) -> Html:
    """A table with one row per experiment, the newest first, at most `LISTED`."""
    body = [
        [
            inline(row.experiment.name, css="wb-title"),
            _badge(_state(row)),
            escaped(f"{row.experiment.answered:,} of {row.experiment.cells:,}"),
            escaped(f"{row.experiment.failed:,}"),
            element("span", escaped(_time(row.experiment.created)), css="wb-once"),
            inline(row.experiment.id, css="wb-muted"),
        ]
        for row in rows[:LISTED]
    ]
    return table(["Experiment", "State", "Answers", "Failed", "Created", "ID"], body)


def experiment_names() -> dict[str, str]:
    """The names of all experiments by id, the newest first."""
    return {row.id: row.name for row in result_frames.store().experiment_names()}


def experiment_list() -> None:
    """All experiments, updated while any job is at work."""
    if any(row.active for row in _jobs().statuses()[:LISTED]):
        signed_in.refreshed(EVERY)(_draw_list)()
    else:
        _draw_list()


def _draw_list() -> None:
    safe_html.show(overview(_jobs().statuses()))


def detail(experiment_id: str) -> None:
    """One experiment, updated while a job is at work on it."""
    row = _jobs().experiment_status(experiment_id)
    if row.active:
        signed_in.refreshed(EVERY)(_live)(experiment_id)
    else:
        _draw(row)


def stage_words(job: Status) -> str:
    """The stage of a job at work, the batch that it is at, and what is left; the label of a progress bar."""
    stage = job.stage if job.stage.replace(" ", "").isalpha() else "working"
    unit, at = ("passage", job.done) if job.stage == INDEXING else ("batch", job.done + 1)
    batch = f": {unit} {min(at, job.total):,} of {job.total:,}" if job.total else ""
    left = left_words(job.stage, job.ends, time.time())
    return f"{stage.capitalize()}{batch}{f', {left}' if left else ''}"


def _live(experiment_id: str) -> None:
    """Redrawn by itself until the job ends; then the complete page is."""
    row = _jobs().experiment_status(experiment_id)
    if not row.active:
        st.rerun()
    _draw(row)


def _draw(status: ExperimentStatus) -> None:
    row, job, state = status.experiment, status.job, _state(status)
    with st.container(border=True, key="experiment"):
        safe_html.show(
            element(
                "div", element("b", inline(row.name), css="wb-ask"), _badge(state), chip("ID", row.id), css="wb-row"
            )
        )
        finished = row.answered + row.failed
        failed = f", {row.failed:,} failed" if row.failed else ""
        st.progress(
            min(1.0, finished / row.cells) if row.cells else 0.0,
            text=f"{row.answered:,} of {row.cells:,} answers{failed}",
        )
        if job and job.active:
            st.progress(min(1.0, job.done / job.total) if job.total else 0.0, text=stage_words(job))
        if job:
            safe_html.show(_steps(job))
            if job.error:
                safe_html.message(job.error, "error")
            if job.state == "interrupted":
                safe_html.message(
                    "The process was killed. Resume continues where it ended: nothing is lost or done twice."
                )
        if error := st.session_state.pop(ACTION_ERROR, ""):
            safe_html.message(error, "error")
        if state == "done" and row.answered and row.kind == "matrix":
            st.markdown("Finished. Next, compare the runs in the Dashboard, or read single answers there.")
        _buttons(row, job)
        _failures(row)


def _buttons(row: ExperimentRow, job: Status | None) -> None:
    active = job is not None and job.active
    jobs = _jobs()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if active:
            st.button(
                "Stop",
                key="runs_stop",
                icon=":material/stop_circle:",
                on_click=_try,
                args=(jobs.stop, row.id),
                **permitted.control("runs.stop"),
            )
        elif row.kind == "matrix" and (job is None or job.state != "done"):
            label = "Resume" if job else "Start"
            st.button(
                label,
                key="runs_resume",
                type="primary",
                icon=":material/play_circle:",
                on_click=_try,
                args=(jobs.start, row.id),
                **permitted.control("runs.start"),
            )
        if row.failed and not active and row.kind == "matrix":
            st.button(
                f"Retry failed cells ({row.failed:,})",
                key="runs_retry",
                icon=":material/replay:",
                on_click=_try,
                args=(jobs.retry_failed, row.id),
                **permitted.control("runs.start"),
            )
        if row.answered:
            st.page_link(
                "pages/dashboard.py",
                label="Open in the Dashboard",
                icon=":material/leaderboard:",
                query_params={"experiment": row.id},
            )
        if not active:
            editing_view.buttons(row)


def _failures(row: ExperimentRow) -> None:
    if not row.failed:
        return
    filter_ = Filter(experiments=(row.id,))
    reasons = result_frames.result_view(filter_).failures()
    body = [[escaped(f"{count:,}"), inline(reason)] for reason, count in reasons[:REASONS]]
    cells = "1 cell" if row.failed == 1 else f"{row.failed:,} cells"
    st.markdown(f"**{cells} failed.** The other cells are unaffected.")
    safe_html.show(table(["Cells", "Reason"], body))
    dashboard = DashboardState(filter_=filter_, mark=dashboard_state.mark(failed=True))
    st.page_link(
        "pages/dashboard.py",
        label="Open failed cells",
        icon=":material/error:",
        query_params=dashboard.to_params(),
    )


def _steps(job: Status) -> Html:
    """Numbers of steps by stage: run, read from the cache, failed."""
    names = list(dict.fromkeys([*job.ran, *job.from_cache, *job.failed]))
    chips = []
    for name in names:
        ran, from_cache, failed = (counts.get(name, 0) for counts in (job.ran, job.from_cache, job.failed))
        parts = [(ran, "run"), (from_cache, "from the cache"), (failed, "failed")]
        if count_words := ", ".join(f"{count:,} {what}" for count, what in parts if count):
            chips.append(chip(name, count_words))
    return element("div", joined(chips), css="wb-row")


def _try(action: Callable[..., object], *arguments: object) -> None:
    with access.caught(lambda sentence: st.session_state.update({ACTION_ERROR: sentence})):
        action(*arguments)


def _badge(state: str) -> Html:
    css = "wb-missing" if state in ("failed", "interrupted") else "wb-ready" if state in GOOD else "wb-idle"
    return element("span", escaped(STATE_WORDS[state]), css=css)


def _state(row: ExperimentStatus) -> str:
    if row.job is not None:
        return row.job.state
    return "done" if row.experiment.kind == "predictions" else ""


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _jobs() -> Jobs:
    return Jobs(access.workbench().settings)
