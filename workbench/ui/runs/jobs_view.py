"""Experiments running and finished: the state of each, live, what can be done about it, and its results as files.

Every figure is read from the database, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import streamlit as st

from workbench.annotation import PAPER_TAXONOMY, QueueStore, taxonomy
from workbench.core import UsageError, shorten
from workbench.experiments import (
    EXPERIMENT_NAME_LIMIT,
    EXPORTS,
    INDEXING,
    REPORT_METRICS,
    ExperimentJobs,
    ExperimentRow,
    ExperimentStatus,
    Filter,
    counted,
    ends_of,
    left_words,
    report_metrics,
    steps_of,
)
from workbench.metrics import metric_name
from workbench.ui.dashboard import dashboard_state, result_frames
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.inspect.inspect_state import SESSION as INSPECT
from workbench.ui.parts import access, downloads, job_card, job_list, outcome, permitted, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.job_list import JobRow
from workbench.ui.parts.page_state import PageSession, PageState
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined
from workbench.ui.parts.verb_button import Kind, confirmed_button, verb_button
from workbench.workspace import Job

LABELLED = 10
"""Answers of each language that are drawn to be labelled."""
REASONS = 8
"""Reasons of failed cells that are shown."""
STEPS = (("ran", "run"), ("from_cache", "from the cache"), ("failed", "failed"))
EDITED, NEW_NAME = "runs_edited", "runs_new_name"
"""The session's keys for what a button did, in a sentence, and for a name that is typed."""
CREATED_FILE = "runs_file"
"""The session's key for the last file created, with the experiment, format and state of the results it is for."""
LARGEST = 200_000_000
"""Bytes of the largest file that is sent through the browser."""
REPORTS = ("html", "pdf")


class RunsState(PageState):
    """The experiment that is shown, "" for the newest."""

    PAGE: ClassVar[str] = "runs"

    experiment: str = ""


SESSION = PageSession(RunsState)


def experiment_names() -> dict[str, str]:
    """The names of all experiments by id, the newest first."""
    return {row.id: row.name for row in result_frames.store().experiment_names()}


def experiment_list() -> None:
    """All experiments, with the card of the one that is open."""
    job_list.draw(SESSION, "experiment", _jobs(), list(experiment_names()), _row, _opened)


def _row(experiment_id: str) -> JobRow:
    status = _jobs().experiment_status(experiment_id)
    row = status.experiment
    share = (row.answered / row.cells) if row.cells else 0.0
    return JobRow(row.id, row.name, _state(status), share, _answered(row), row.created)


def _answered(row: ExperimentRow) -> str:
    return f"{row.answered:,} of {row.cells:,} answers{f', {row.failed:,} failed' if row.failed else ''}"


def _opened(experiment_id: str) -> None:
    detail(experiment_id)
    export_form(experiment_id)


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
        if job and job.active:
            st.progress(job.share, text=stage_words(job))
        if job and job.error:
            safe_html.message(job.error, "error")
        if state == "interrupted":
            safe_html.message("The process was killed. Resume continues where it ended: nothing is lost or done twice.")
        outcome.show(row.id)
        if row.answered:
            _ways_on(row)
        _buttons(row, job)
        _failures(row)
        if job:
            with st.expander("Steps", icon=":material/schema:", key="runs_steps", on_change="rerun") as fold:
                if fold.open:
                    safe_html.show(_steps(job))


def _ways_on(row: ExperimentRow) -> None:
    """What answers are for: to be read, labelled and compared."""
    query = {"experiment": row.id}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(
            "pages/inspect.py",
            label="Read the answers",
            icon=":material/fact_check:",
            query_params=query,
            width="content",
        )
        labels = verb_button(
            "Label answers",
            "queues.create",
            key="runs_label",
            icon="label",
            help=f"Draws {LABELLED} answers of each language into a queue, once, and opens the first one.",
        )
        st.page_link(
            "pages/dashboard.py",
            label="Open dashboard",
            icon=":material/leaderboard:",
            query_params=query,
            width="content",
        )
    if labels:
        person = {} if signed_in.is_on() else {"annotator": _annotator()}
        st.switch_page("pages/inspect.py", query_params={"view": "annotate", "queue": _queue_of(row), **person})


def _annotator() -> str:
    """Who labels where nobody signs in: the person who labelled last in this tab, else a name that can be changed."""
    return INSPECT.current.annotator or "Analyst"


def _queue_of(row: ExperimentRow) -> str:
    """The experiment's queue that was open last, else the one that this button made, else its newest, or a new one."""
    store, name = QueueStore(result_frames.store()), f"{shorten(row.name, 50)} ({row.id})"
    queues = [item for item in store.queues() if {run.partition("/")[0] for run in item.runs} == {row.id}]
    if queues:
        queue = max(queues, key=lambda item: (item.id == INSPECT.current.queue, item.name == name))
    else:
        runs = [run.id for run in result_frames.store().of(row.id).runs()]
        kind = taxonomy(PAPER_TAXONOMY, access.workbench().settings.home)
        queue = store.create(name, kind, runs, per_language=LABELLED)
    return queue.id


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
    answers = counted(row.answered, "answer")
    what = f"with {answers} and their scores. Cached steps stay, so that the same experiment is quick to run again."
    effect = f"“{row.name}” will be deleted for good, {what}"
    confirmed_button("Delete", effect, "runs.delete", _delete, row.id, row.name, key="runs_delete")


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
    st.markdown(f"**{counted(row.failed, 'cell')} failed.** The other cells are unaffected.")
    body = [[escaped(f"{count:,}"), inline(reason)] for reason, count in reasons[:REASONS]]
    safe_html.show(safe_html.table(["Cells", "Reason"], body))
    dashboard = DashboardState(filter_=filter_, mark=dashboard_state.mark(failed=1))
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


def _file_stem(experiment_id: str) -> str:
    """The experiment's name in letters and digits that every system takes in a file's name; else its id."""
    name = result_frames.store().experiment(experiment_id).name
    return "-".join(re.findall(r"[a-z0-9]+", name.lower())) or experiment_id


def export_form(experiment_id: str) -> None:
    """The form that creates a file of an experiment's results and offers it for download."""
    fold = st.expander("Export results", icon=":material/download:", key="runs_export", on_change="rerun")
    if not fold.open:
        return
    with fold, access.guarded():
        kind = st.selectbox("Format", list(EXPORTS), key="runs_format", format_func=lambda name: EXPORTS[name][0])
        metrics: tuple[str, ...] = ()
        if kind in REPORTS:
            known = result_frames.result_view(Filter(experiments=(experiment_id,))).metrics()
            metrics = tuple(
                st.multiselect(
                    "Metrics of the report",
                    known,
                    report_metrics(known),
                    key=f"runs_report_{experiment_id}",
                    format_func=metric_name,
                    max_selections=REPORT_METRICS,
                    help="The first one orders the runs and is drawn; all have a column of means.",
                )
            )
        request = (experiment_id, kind, metrics, result_frames.current_state())
        if st.button("Create file", key="runs_make", icon=":material/description:"):
            st.session_state.pop(CREATED_FILE, None)
            with st.spinner("Creating the file"):
                st.session_state[CREATED_FILE] = (*request, _file_content(experiment_id, kind, metrics))
        *last_request, content = st.session_state.get(CREATED_FILE, (None, b""))
        if tuple(last_request) == request:
            downloads.button(
                f"Download ({len(content) / 1e6:,.1f} MB)",
                content,
                f"{_file_stem(experiment_id)}{EXPORTS[kind][1]}",
                "runs_download",
                type="primary",
            )


def report_buttons(experiment_id: str, metric: str) -> None:
    """The report of an experiment's complete results as files, with a metric first."""
    known = result_frames.result_view(Filter(experiments=(experiment_id,))).metrics()
    metrics = tuple(dict.fromkeys([metric, *report_metrics(known)]))[:REPORT_METRICS]
    stem = _file_stem(experiment_id)
    with st.container(horizontal=True, gap="small", key="dash_reports"):
        for kind in REPORTS:
            downloads.button(
                f"Report ({kind.upper()})",
                partial(_file_content, experiment_id, kind, metrics),
                f"{stem}{EXPORTS[kind][1]}",
                f"dash_report_{kind}",
                help="Findings, charts and figures of the complete experiment, to print; filters do not apply.",
            )


def _file_content(experiment_id: str, kind: str, metrics: Sequence[str]) -> bytes:
    """The file; raises UsageError for one that is too large for a browser, as the server keeps it in memory."""
    from workbench.experiments import export

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        export(access.workbench(), result_frames.store().of(experiment_id), kind, path, metrics)
        size = path.stat().st_size
        if size > LARGEST:
            raise UsageError(
                f"The file would have {size / 1e6:,.0f} MB; a browser can download up to {LARGEST / 1e6:,.0f} MB. "
                "Choose Parquet, the smallest format, or write the file in a terminal with the command `runs export`."
            )
        return path.read_bytes()


def _jobs() -> ExperimentJobs:
    return ExperimentJobs(access.workbench().settings)
