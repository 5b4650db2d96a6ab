"""A table of questions: its first rows and the meaning of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import streamlit as st

from workbench.datasets.formats.table import Columns
from workbench.errors import UsageError, shorten
from workbench.ui.data import uploading
from workbench.ui.data.formats import TABLE, Source
from workbench.ui.data.from_files import source
from workbench.ui.shared import access, uploads
from workbench.ui.shared.badges import language_option

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from workbench.datasets.collection import Collection

NONE = ""
ROWS = 4
PREVIEW = "data_seen"
"""The session's key for the first rows, with the file and sheet that they come from."""
WORKBOOK = ".xlsx"
COLUMN_LABELS = {
    "question": "Question column",
    "answers": "Answers column",
    "id": "ID column",
    "language": "Language column",
}


def draw() -> Source | None:
    """The upload, its first rows and the meaning of its columns; None as long as something is missing."""
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        files = uploading.files(TABLE)
    with right:
        code = _language()
        sheet = ""
        if files and files[0].name.lower().endswith(WORKBOOK):
            sheet = st.text_input("Sheet", key="data_sheet", placeholder="first sheet").strip()
    if not files:
        return None
    names, rows = _first_rows(files[0], sheet)
    st.caption("The first rows. Select the columns below.")
    st.dataframe(rows, hide_index=True, key="data_rows")
    columns = _columns(names, files[0].name, code)
    with st.expander("Gold passages and languages", key="data_more"):
        gold, corpus = _gold(names)
        languages = [] if code else uploading.languages("Languages to import", TABLE)
    columns = replace(columns, gold=gold)

    def read(paths: Sequence[Path]) -> Collection:
        from workbench.datasets.formats.table import read_table
        from workbench.datasets.importing import passages_missing_from

        missing = passages_missing_from(access.workbench().library, corpus) if gold else None
        collection = read_table(
            paths[0], columns, language=code, languages=languages, sheet=sheet, missing_passages=missing
        )
        return replace(collection, corpus=corpus) if gold else collection

    return source(files, read)


def guess_columns(names: Sequence[str]) -> Columns:
    """The columns whose names say what they contain, exactly or nearly.

    >>> guess_columns(["q", "Question", "Answer", "lang"])
    Columns(question='Question', answers='Answer', id='', language='lang', gold='', separator='')
    """
    guesses = {field: _guess(field, names) for field in COLUMN_LABELS}
    return Columns(**{**guesses, "question": guesses["question"] or names[0]})


def _language() -> str:
    """The language of all rows, "" where a column has it."""
    from workbench.languages import known_languages

    language: str = st.selectbox(
        "Language of the file",
        [NONE, *(item.code for item in known_languages())],
        key="data_language_table",
        format_func=lambda code: language_option(code) if code else "From a column",
    )
    return language


def _first_rows(file: UploadedFile, sheet: str) -> tuple[list[str], list[dict[str, str]]]:
    """The names of the columns and the first rows, shortened; read once for each file and sheet."""
    preview = st.session_state.get(PREVIEW)
    if preview and preview[0] == (file.file_id, sheet):
        names, rows = preview[1]
        return names, rows
    from workbench.datasets.formats import table

    with uploads.files_on_disk([file]) as paths:
        first = list(islice(table.table_rows(paths[0], sheet), ROWS))
    if not first:
        raise UsageError(f"{shorten(file.name)} has no rows. Select a file with a header and at least one row.")
    names = [str(name) for name in first[0].values]
    rows = [{name: shorten(record.values.get(name), 120) for name in names} for record in first]
    st.session_state[PREVIEW] = ((file.file_id, sheet), (names, rows))
    return names, rows


def _columns(names: Sequence[str], file: str, code: str) -> Columns:
    guesses = guess_columns(names)
    columns: dict[str, str] = {}
    fields = [field for field in COLUMN_LABELS if not (code and field == "language")]
    *places, last = st.columns(len(fields) + 1, gap="small")
    for place, field in zip(places, fields, strict=True):
        options = list(names) if field == "question" else [NONE, *names]
        columns[field] = place.selectbox(
            COLUMN_LABELS[field],
            options,
            index=options.index(getattr(guesses, field)),
            key=f"data_column_{field}_{file}",
            format_func=_or_none,
        )
    separator = last.text_input("Answer separator", key="data_separator", placeholder="|", max_chars=5)
    return Columns(**columns, separator=separator)


def _gold(names: Sequence[str]) -> tuple[str, str]:
    """The column with the ids of gold passages, and the corpus that contains them; "" for none."""
    left, right = st.columns(2, gap="small")
    column: str = left.selectbox("Gold passage IDs column", [NONE, *names], key="data_gold", format_func=_or_none)
    corpus: str = right.selectbox(
        "Corpus of the gold passages",
        [item.name for item in access.manifests()],
        key="data_gold_corpus",
        disabled=not column,
    )
    return column, corpus if column else ""


def _or_none(name: str) -> str:
    return name or "none"


def _guess(field: str, names: Sequence[str]) -> str:
    stem = {"answers": "answer", "language": "lang"}.get(field, field)
    exact = (name for name in names if name.lower() == field)
    return next(exact, next((name for name in names if stem in name.lower()), NONE))
