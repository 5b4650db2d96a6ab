"""What one does on the Runs screen: count, estimate and start an experiment, bring a run, choose one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments.experiment import Experiment
from workbench.experiments.jobs.control import Jobs
from workbench.experiments.plan import hosts_of, judge_hosts
from workbench.results.answer_scoring import DEFAULT_METRICS
from workbench.results.judging import checked_judge
from workbench.ui.home import home_view
from workbench.ui.runs import matrix_form, pilot_view
from workbench.ui.shared import access, safe_html, uploads, widget_state

if TYPE_CHECKING:
    from workbench.experiments.plan import ExperimentPlan

SHOWN = "runs_shown"
FORM = "new_experiment"
OWN = "own_run"
MADE = "runs_made_by"
"""In the session: the form that has just made an experiment."""
ADDRESS = "experiment"


def form(*, opened: bool) -> AbstractContextManager[object]:
    """What the form of a matrix is folded into; `opened`: whether it is open at first."""
    return _folded("New experiment", FORM, ":material/add_circle:", opened)


def own_run_form() -> AbstractContextManager[object]:
    """What bringing one's own run is folded into."""
    return _folded("Bring your own run", OWN, ":material/upload:", False)


def _folded(label: str, key: str, icon: str, opened: bool) -> AbstractContextManager[object]:
    # Folded again once it has made an experiment, so that this stands where one looks.
    if st.session_state.get(MADE) == key:
        del st.session_state[MADE]
        st.session_state[key] = False
    return st.expander(label, expanded=opened, key=key, icon=icon, on_change="rerun")


@st.cache_data(show_spinner="Counting cells and steps", max_entries=64, ttl=60)
def _plan(experiment: str, database: str, _made: Experiment) -> ExperimentPlan:
    # The first two are what Streamlit keeps a plan under.
    del experiment, database
    from workbench.experiments.plan import plan

    return plan(access.workbench(), _made)


def plan_and_start(made: Experiment) -> None:
    """What the experiment will take; then a pilot, and Start."""
    counted = _plan(made.fingerprint, access.workbench().settings.database_url, made)
    safe_html.show(home_view.figures(matrix_form.figures(counted)))
    for reason, count in counted.impossible.items():
        safe_html.message(f"{count:,} cells cannot run: {reason}", "error")
    hosts = hosts_of(made, access.workbench().settings.home)
    agreed = not hosts or _agreed("runs", hosts, judged=bool(made.judge))
    barred = not (agreed and counted.cells)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        start = st.button(
            "Start",
            key="runs_start",
            type="primary",
            icon=":material/play_circle:",
            disabled=barred,
        )
        pilot_view.button(made, barred)
    if start:
        with st.spinner("Starting"):
            jobs = Jobs(access.workbench().settings)
            identity = jobs.create(access.workbench(), made)
            jobs.start(identity)
        _show(identity, FORM)
        st.rerun()
    pilot_view.draw(made, counted)


def own_run() -> None:
    """Predictions from elsewhere become a run like any other."""
    st.markdown(
        "Answers that another system gave to the questions of a dataset: JSON lines, CSV, TSV or Excel with the "
        "columns `id` (of the question), `answer` and, where there are any, `passages` and `language`."
    )
    datasets = {item.name: item for item in access.datasets()}
    left, right = st.columns(2, gap="medium")
    with left:
        file = st.file_uploader("Predictions", ["jsonl", "csv", "tsv", "xlsx"], key="own_file")
        title = st.text_input("Name of the run", key="own_title", placeholder="my-system")
    with right:
        dataset = st.selectbox("Dataset", list(datasets), key="own_dataset")
        code = st.selectbox(
            "Language of the questions",
            ["", *datasets[dataset].languages],
            key="own_language",
            format_func=lambda item: item or "As the column “language” says",
        )
        metrics = st.multiselect("Metrics", matrix_form.ALL_METRICS, default=list(DEFAULT_METRICS), key="own_metrics")
        judge = matrix_form.judge("own_judge") if matrix_form.wants_judge(metrics) else ""
    hosts = judge_hosts(checked_judge(judge), access.workbench().settings.home)
    agreed = not hosts or _agreed("own", hosts, judged=True)
    barred = file is None or not agreed
    if st.button("Take it in", key="own_take", icon=":material/upload:", disabled=barred) and file is not None:
        from workbench.results.predictions import import_predictions

        with uploads.files_on_disk([file]) as paths, st.spinner("Scoring"):
            taken = import_predictions(
                access.workbench(),
                paths[0],
                dataset,
                title=title,
                language=code,
                metrics=tuple(metrics),
                judge=judge,
            )
        _show(taken.experiment_id, OWN)
        st.rerun()


def chosen(titles: Mapping[str, str]) -> str:
    """The experiment that is looked at, of those with these names by id, the newest first."""
    return widget_state.url_selectbox(
        "Experiment", list(titles), SHOWN, ADDRESS, format_func=lambda item: f"{titles[item]} ({item})"
    )


def _show(identity: str, form: str) -> None:
    """Makes an experiment that a form has made the one that is looked at; before its box is drawn."""
    st.session_state[MADE] = form
    widget_state.put_in_url(SHOWN, ADDRESS, identity)


def _agreed(form: str, hosts: Sequence[str], *, judged: bool) -> bool:
    """`form` tells apart the forms of one page that ask."""
    sent = "questions, documents, gold answers and answers" if judged else "questions and documents"
    safe_html.message(f"With these models texts leave this machine: {sent} are sent to {' and '.join(hosts)}.")
    return st.checkbox("I agree that they are sent there", key=f"{form}_agree_{'_'.join(hosts)}")
