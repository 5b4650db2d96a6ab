"""Experiments running and finished: the state of each, live, what can be done about it, and its results as files.

Every figure is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import streamlit as st

from workbench.core import UsageError, shorten
from workbench.experiments import (
    EXPERIMENT_NAME_LIMIT,
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
from workbench.ui.parts import access, downloads, job_card, permitted, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.page_state import PageSession, PageState
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined
from workbench.ui.parts.verb_button import Kind, verb_button
from workbench.workspace import STATE_TITLES, Job

if TYPE_CHECKING:
    from pandas import DataFrame

REASONS = 8
"""Reasons of failed cells that are shown."""
STEPS = (("ran", "run"), ("from_cache", "from the cache"), ("failed", "failed"))
EDITED, NEW_NAME = "runs_edited", "runs_new_name"
"""The session's keys for what a button did, in a sentence, and for a name that is typed."""
CREATED_FILE = "runs_file"
"""The session's key for the last file created, with the experiment, format and state of the results it is for."""
LARGEST = 200_000_000
"""Bytes of the largest file that is sent through the browser."""
FORMATS = {
    "csv": "CSV",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "trec-run": "TREC run",
    "trec-qrels": "TREC qrels",
    "inspectorraget": "InspectorRAGet",
    "html": "HTML report",
}


class RunsState(PageState):
    """The experiment that is shown, "" for the newest."""

    PAGE: ClassVar[str] = "runs"

    experiment: str = ""


SESSION = PageSession(RunsState)


def experiment_names() -> dict[str, str]:
    """The names of all experiments by id, the newest first."""
    return {row.id: row.name for row in result_frames.store().experiment_names()}


def record_box(session: PageSession[Any], noun: str, titles: Mapping[str, str], help_: str) -> str:
    """The box for the record that is shown, which the field `noun` of the page's state names; its id.

    `titles` are names by id, the newest first, at least one. A link to another record is reported.
    """
    linked = session.current.at(noun)
    if linked and linked not in titles:
        safe_html.message(
            f"The link names the {noun} “{shorten(linked)}”, which is not in this workspace; another one is shown.",
            "error",
        )
    shown: str = linked if linked in titles else next(iter(titles))
    st.selectbox(
        noun.capitalize(),
        list(titles),
        format_func=lambda item: f"{titles[item]} ({item})",
        help=help_,
        **session.control(noun, shown=shown),
    )
    return shown


def experiment_list() -> None:
    """All experiments, updated while any job is at work."""
    job_card.live(lambda: any(row.active for row in _jobs().statuses()), _draw_list)


def experiments_frame(rows: Sequence[ExperimentStatus]) -> DataFrame:
    """One row per experiment, the newest first."""
    from pandas import DataFrame

    return DataFrame(
        [
            {
                "Experiment": row.experiment.name,
                "State": STATE_TITLES[_state(row)],
                "Answers": row.experiment.answered,
                "Cells": row.experiment.cells,
                "Failed": row.experiment.failed,
                "Created": job_card.time_words(row.experiment.created),
                "ID": row.experiment.id,
            }
            for row in rows
        ]
    )


def _draw_list() -> None:
    data_table(experiments_frame(_jobs().statuses()), hide_index=True, key="runs_list", alt="All experiments")


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
        name = element("b", inline(row.name), css="wb-ask")
        safe_html.show(element("div", name, job_card.badge(state), chip("ID", row.id), css="wb-row"))
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
            st.markdown("Finished. Next, compare the runs on the Dashboard, and open single answers from there.")
        _buttons(row, job)
        _failures(row)


def _buttons(row: ExperimentRow, job: Job | None) -> None:
    jobs, active, is_matrix = _jobs(), job is not None and job.active, row.kind == "matrix"

    def action(
        label: str, name: str, icon: str, act: Callable[[str], object], verb: str, kind: Kind = "secondary"
    ) -> None:
        verb_button(label, verb, job_card.press, row.id, partial(act, row.id), key=f"runs_{name}", icon=icon, kind=kind)

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if active:
            action("Stop", "stop", "stop_circle", jobs.stop, "runs.stop")
        elif is_matrix and (job is None or job.state != "done"):
            action("Resume" if job else "Start", "resume", "play_circle", jobs.start, "runs.start", "primary")
        if row.failed and not active and is_matrix:
            action(f"Retry failed cells ({row.failed:,})", "retry", "replay", jobs.retry_failed, "runs.start")
        if row.answered:
            st.page_link(
                "pages/dashboard.py",
                label="Open in the Dashboard",
                icon=":material/leaderboard:",
                query_params={"experiment": row.id},
            )
        if not active:
            _edit_buttons(row)


def _edit_buttons(row: ExperimentRow) -> None:
    """The buttons Rename and Delete of an experiment that is not at work, each with what it opens."""
    with (
        st.popover("Rename", icon=":material/edit:", key="runs_rename", **permitted.control("runs.rename")),
        st.form("runs_rename_form", border=False),
    ):
        key = f"{NEW_NAME}_{row.id}"
        st.text_input("New name", row.name, key=key, max_chars=EXPERIMENT_NAME_LIMIT)
        verb_button("Rename", "runs.rename", _rename, row.id, key, kind="primary", submits=True)
    answers = "1 answer" if row.answered == 1 else f"{row.answered:,} answers"
    what = f"with {answers} and their scores. Cached steps stay, so that the same experiment is quick to run again."
    delete_popover(row.name, what, "runs", _delete, row.id, row.name)


def delete_popover(name: str, what: str, verbs: str, action: Callable[..., None], *args: str) -> None:
    """The button Delete of a record, which says what goes with it, in words to follow “for good”, and confirms.

    `verbs` begins the verb and the controls' keys.
    """
    verb = f"{verbs}.delete"
    with st.popover("Delete", icon=":material/delete:", key=f"{verbs}_delete", **permitted.control(verb)):
        safe_html.message(f"“{name}” will be deleted for good, {what}")
        verb_button("Delete it", verb, action, *args, key=f"{verbs}_delete_now", kind="primary")


def report_edits() -> None:
    """Shows once what became of the last renaming or deletion."""
    if result := st.session_state.pop(EDITED, ""):
        safe_html.message(result)
    SESSION.show_notice()


def _rename(experiment_id: str, key: str) -> None:
    with SESSION.noticed():
        name = _jobs().rename(experiment_id, str(st.session_state[key] or ""))
        st.session_state[EDITED] = f"The experiment is now called “{name}”."


def _delete(experiment_id: str, name: str) -> None:
    with SESSION.noticed():
        _jobs().discard(experiment_id)
        SESSION.change(experiment="")
        st.session_state[EDITED] = f"The experiment “{name}” was deleted."


def _failures(row: ExperimentRow) -> None:
    if not row.failed:
        return
    filter_ = Filter(experiments=(row.id,))
    reasons = result_frames.result_view(filter_).failures()
    cells = "1 cell" if row.failed == 1 else f"{row.failed:,} cells"
    st.markdown(f"**{cells} failed.** The other cells are unaffected.")
    body = [[escaped(f"{count:,}"), inline(reason)] for reason, count in reasons[:REASONS]]
    safe_html.show(safe_html.table(["Cells", "Reason"], body))
    dashboard = DashboardState(filter_=filter_, mark=dashboard_state.mark(failed=True))
    st.page_link(
        "pages/dashboard.py", label="Open failed cells", icon=":material/error:", query_params=dashboard.to_params()
    )


def _steps(job: Job) -> Html:
    """Numbers of steps by stage: run, read from the cache, failed."""
    counts = [(steps_of(job, name), title) for name, title in STEPS]
    chips = []
    for name in dict.fromkeys(name for by_stage, _ in counts for name in by_stage):
        if count_words := ", ".join(f"{by_stage[name]:,} {title}" for by_stage, title in counts if by_stage.get(name)):
            chips.append(chip(name, count_words))
    return element("div", joined(chips), css="wb-row")


def _state(row: ExperimentStatus) -> str:
    if row.job is not None:
        return row.job.state
    return "done" if row.experiment.kind == "predictions" else ""


def export_form(experiment_id: str) -> None:
    """The form that creates a file of an experiment's results and offers it for download."""
    from workbench.experiments import SUFFIXES

    with st.expander("Export results", icon=":material/download:", key="runs_export"), access.guarded():
        kind = st.selectbox("Format", list(FORMATS), key="runs_format", format_func=FORMATS.__getitem__)
        request = (experiment_id, kind, result_frames.current_state())
        if st.button("Create file", key="runs_make", icon=":material/description:"):
            st.session_state.pop(CREATED_FILE, None)
            with st.spinner("Creating the file"):
                st.session_state[CREATED_FILE] = (*request, _file_content(experiment_id, kind))
        *last_request, content = st.session_state.get(CREATED_FILE, (None, b""))
        if tuple(last_request) == request:
            downloads.button(
                f"Download ({len(content) / 1e6:,.1f} MB)",
                content,
                f"{experiment_id}{SUFFIXES[kind]}",
                "runs_download",
                type="primary",
            )


def _file_content(experiment_id: str, kind: str) -> bytes:
    """The file; raises UsageError for one that is too large for a browser, as the server keeps it in memory."""
    from workbench.experiments import export

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        export(access.workbench(), result_frames.store().of(experiment_id), kind, path)
        size = path.stat().st_size
        if size > LARGEST:
            raise UsageError(
                f"The file would have {size / 1e6:,.0f} MB; a browser can download up to {LARGEST / 1e6:,.0f} MB. "
                "Choose Parquet, the smallest format, or write the file in a terminal with the command `runs export`."
            )
        return path.read_bytes()


def _jobs() -> ExperimentJobs:
    return ExperimentJobs(access.workbench().settings)
