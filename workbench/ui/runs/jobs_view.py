"""Experiments running and finished: the state of each, live, and what can be done about it.

Every figure is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import streamlit as st

from workbench.experiments import (
    INDEXING,
    ExperimentJobs,
    ExperimentRow,
    ExperimentStatus,
    Filter,
    ends_of,
    left_words,
    steps_of,
)
from workbench.ui.dashboard import dashboard_state, result_frames
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.parts import access, job_card, permitted, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table
from workbench.ui.runs import editing_view
from workbench.workspace import Job

LISTED = 30
"""Experiments in the list."""
REASONS = 8
"""Reasons of failed cells that are shown."""
STEPS = (("ran", "run"), ("from_cache", "from the cache"), ("failed", "failed"))


def overview(rows: Sequence[ExperimentStatus]) -> Html:
    """A table with one row per experiment, the newest first, at most `LISTED`."""
    body = [
        [
            inline(row.experiment.name, css="wb-title"),
            job_card.badge(_state(row)),
            escaped(f"{row.experiment.answered:,} of {row.experiment.cells:,}"),
            escaped(f"{row.experiment.failed:,}"),
            element("span", escaped(job_card.time_words(row.experiment.created)), css="wb-once"),
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
    job_card.live(
        lambda: any(row.active for row in _jobs().statuses()[:LISTED]),
        lambda: safe_html.show(overview(_jobs().statuses())),
    )


def detail(experiment_id: str) -> None:
    """One experiment, updated while a job is at work on it."""
    job_card.live(lambda: _jobs().is_active(experiment_id), lambda: _draw(_jobs().experiment_status(experiment_id)))


def stage_words(job: Job, *, with_end: bool = True) -> str:
    """The stage of a job at work, the batch that it is at, and what is left; the label of a progress bar."""
    stage = job.phase if job.phase.replace(" ", "").isalpha() else "working"
    unit, at = ("passage", job.done) if job.phase == INDEXING else ("batch", job.done + 1)
    batch = f": {unit} {min(at, job.total):,} of {job.total:,}" if job.total else ""
    left = left_words(job.phase, ends_of(job), time.time()) if with_end else ""
    return f"{stage.capitalize()}{batch}{f', {left}' if left else ''}"


def _draw(status: ExperimentStatus) -> None:
    row, job, state = status.experiment, status.job, _state(status)
    with st.container(border=True, key="experiment"):
        safe_html.show(
            element(
                "div",
                element("b", inline(row.name), css="wb-ask"),
                job_card.badge(state),
                chip("ID", row.id),
                css="wb-row",
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
        job_card.problem(row.id)
        if state == "done" and row.answered and row.kind == "matrix":
            st.markdown("Finished. Next, compare the runs in the Dashboard, or read single answers there.")
        _buttons(row, job)
        _failures(row)


def _buttons(row: ExperimentRow, job: Job | None) -> None:
    active = job is not None and job.active
    jobs = _jobs()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if active:
            st.button(
                "Stop",
                key="runs_stop",
                icon=":material/stop_circle:",
                on_click=job_card.press,
                args=(row.id, partial(jobs.stop, row.id)),
                **permitted.control("runs.stop"),
            )
        elif row.kind == "matrix" and (job is None or job.state != "done"):
            label = "Resume" if job else "Start"
            st.button(
                label,
                key="runs_resume",
                type="primary",
                icon=":material/play_circle:",
                on_click=job_card.press,
                args=(row.id, partial(jobs.start, row.id)),
                **permitted.control("runs.start"),
            )
        if row.failed and not active and row.kind == "matrix":
            st.button(
                f"Retry failed cells ({row.failed:,})",
                key="runs_retry",
                icon=":material/replay:",
                on_click=job_card.press,
                args=(row.id, partial(jobs.retry_failed, row.id)),
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


def _steps(job: Job) -> Html:
    """Numbers of steps by stage: run, read from the cache, failed."""
    counts = [(steps_of(job, name), title) for name, title in STEPS]
    names = list(dict.fromkeys(name for by_stage, _ in counts for name in by_stage))
    chips = []
    for name in names:
        if count_words := ", ".join(f"{by_stage[name]:,} {title}" for by_stage, title in counts if by_stage.get(name)):
            chips.append(chip(name, count_words))
    return element("div", joined(chips), css="wb-row")


def _state(row: ExperimentStatus) -> str:
    if row.job is not None:
        return row.job.state
    return "done" if row.experiment.kind == "predictions" else ""


def _jobs() -> ExperimentJobs:
    return ExperimentJobs(access.workbench().settings)
