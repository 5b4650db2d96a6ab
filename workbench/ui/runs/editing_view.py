"""Renaming and deleting the experiment that is shown; deleting is confirmed first, and its result reported."""

from __future__ import annotations

import streamlit as st

from workbench.experiments import EXPERIMENT_NAME_LIMIT, ExperimentJobs, ExperimentRow
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.runs.runs_state import SESSION

RESULT, PROBLEM = "runs_edited", "runs_edit_problem"
"""The session's keys for what was done, and for why it was not."""
NEW_NAME = "runs_new_name"


def buttons(row: ExperimentRow) -> None:
    """The buttons Rename and Delete of an experiment that is not at work, each with what it opens."""
    with (
        st.popover("Rename", icon=":material/edit:", key="runs_rename", **permitted.control("runs.rename")),
        st.form("runs_rename_form", border=False),
    ):
        key = f"{NEW_NAME}_{row.id}"
        st.text_input("New name", row.name, key=key, max_chars=EXPERIMENT_NAME_LIMIT)
        st.form_submit_button(
            "Rename", type="primary", on_click=_rename, args=(row.id, key), **permitted.control("runs.rename")
        )
    with st.popover("Delete", icon=":material/delete:", key="runs_delete", **permitted.control("runs.delete")):
        answers = "1 answer" if row.answered == 1 else f"{row.answered:,} answers"
        safe_html.message(
            f"“{row.name}” will be deleted for good, with {answers} and their scores. Cached steps stay, so that the "
            "same experiment is quick to run again."
        )
        st.button(
            "Delete it",
            key="runs_delete_now",
            type="primary",
            on_click=_delete,
            args=(row.id, row.name),
            **permitted.control("runs.delete"),
        )


def report() -> None:
    """Shows once what became of the last button."""
    if result := st.session_state.pop(RESULT, ""):
        safe_html.message(result)
    if problem := st.session_state.pop(PROBLEM, ""):
        safe_html.message(problem, "error")


def _rename(experiment_id: str, key: str) -> None:
    with access.caught(_refused):
        name = _jobs().rename(experiment_id, str(st.session_state[key] or ""))
        st.session_state[RESULT] = f"The experiment is now called “{name}”."


def _delete(experiment_id: str, name: str) -> None:
    with access.caught(_refused):
        _jobs().discard(experiment_id)
        SESSION.change(experiment="")
        st.session_state[RESULT] = f"The experiment “{name}” was deleted."


def _refused(sentence: str) -> None:
    st.session_state[PROBLEM] = sentence


def _jobs() -> ExperimentJobs:
    return ExperimentJobs(access.workbench().settings)
