"""An experiment's results as files, made when asked for and then taken away."""

from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from workbench.errors import UsageError
from workbench.ui.dashboard import result_frames
from workbench.ui.shared import access

FILE = "runs_file"
"""In the session: the last file made, with what it is of."""
LARGEST = 200_000_000
"""Bytes of a file that goes through the browser."""
FORMATS = {
    "csv": "CSV",
    "jsonl": "JSON lines",
    "parquet": "Parquet",
    "trec-run": "TREC run",
    "trec-qrels": "TREC qrels",
    "inspectorraget": "InspectorRAGet",
    "html": "HTML report",
}


def take_away(identity: str) -> None:
    """The experiment's results as files, made when asked for."""
    with st.expander("Take the results away", icon=":material/download:", key="runs_export"), access.guarded():
        kind = st.selectbox("Format", list(FORMATS), key="runs_format", format_func=FORMATS.__getitem__)
        wanted = (identity, kind, result_frames.state())
        if st.button("Make the file", key="runs_make", icon=":material/description:"):
            st.session_state.pop(FILE, None)
            with st.spinner("Writing the results"):
                st.session_state[FILE] = (*wanted, _exported(identity, kind))
        *made, content = st.session_state.get(FILE, (None, b""))
        if tuple(made) == wanted:
            st.download_button(
                f"Download, {len(content) / 1e6:,.1f} MB",
                content,
                f"{identity}{_suffix(kind)}",
                key="runs_download",
                type="primary",
                on_click="ignore",
                icon=":material/download:",
            )


def _exported(identity: str, kind: str) -> bytes:
    """Raises UsageError for what is too large to pass through a browser: a server holds it whole meanwhile."""
    from workbench.exports.tables import export

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        export(access.workbench(), result_frames.store().of(identity), kind, path)
        if path.stat().st_size > LARGEST:
            raise UsageError(
                f"The file would have {path.stat().st_size / 1e6:,.0f} MB; a browser gets up to {LARGEST / 1e6:,.0f}. "
                f"Type: python -m workbench runs export {identity} --format {kind} --out {identity}{_suffix(kind)}"
            )
        return path.read_bytes()


def _suffix(kind: str) -> str:
    from workbench.exports.tables import SUFFIXES

    return SUFFIXES[kind]
