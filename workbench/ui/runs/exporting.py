"""An experiment's results as files, created on request and then downloaded."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from workbench.core import UsageError
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import access

CREATED_FILE = "runs_file"
"""In the session: the last file created, with the experiment, format and state of the results it is for."""
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


def export_form(experiment_id: str) -> None:
    """The form that creates a file of an experiment's results and offers it for download."""
    with st.expander("Export results", icon=":material/download:", key="runs_export"), access.guarded():
        kind = st.selectbox("Format", list(FORMATS), key="runs_format", format_func=FORMATS.__getitem__)
        request = (experiment_id, kind, result_frames.current_state())
        if st.button("Create file", key="runs_make", icon=":material/description:"):
            st.session_state.pop(CREATED_FILE, None)
            with st.spinner("Creating the file"):
                st.session_state[CREATED_FILE] = (*request, _content(experiment_id, kind))
        *last_request, content = st.session_state.get(CREATED_FILE, (None, b""))
        if tuple(last_request) == request:
            st.download_button(
                f"Download ({len(content) / 1e6:,.1f} MB)",
                content,
                f"{experiment_id}{_suffix(kind)}",
                key="runs_download",
                type="primary",
                on_click="ignore",
                icon=":material/download:",
            )


def _content(experiment_id: str, kind: str) -> bytes:
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


def _suffix(kind: str) -> str:
    from workbench.experiments import SUFFIXES

    return SUFFIXES[kind]
