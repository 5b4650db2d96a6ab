"""A table of questions: its first rows and the meaning of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import UsageError, shorten
from workbench.data import SEPARATOR, Columns, Record, previewed, table_rows
from workbench.jobs import DatasetSource
from workbench.ui.data import data_view
from workbench.ui.imports import uploading
from workbench.ui.imports.formats import TABLE, Upload
from workbench.ui.parts import access, safe_html, uploads
from workbench.ui.parts.badges import language_option

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

NONE = ""
ROWS = 4
"""Rows of the preview."""
LOOKED_AT = 200
"""Rows in which the preview looks for separators."""
CELL_LIMIT = 2_000
"""Characters of a cell that the preview keeps."""
PREVIEW = "data_seen"
"""The session's key for the first rows, with the file and sheet that they come from."""
WORKBOOK = ".xlsx"
COLUMN_LABELS = {
    "question": "Question column",
    "answers": "Answers column",
    "id": "ID column",
    "language": "Language column",
}
UNANSWERABLE_LABEL = "Unanswerable column"
UNANSWERABLE_NAMES = ("unanswerable", "is_unanswerable", "is_impossible", "impossible")


def draw(needed: list[str]) -> Upload | None:
    """The upload, its first rows and the meaning of its columns.

    None as long as something is missing, which `needed` then names.
    """
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        files = uploading.files(TABLE)
    with right:
        code = _language()
        sheet = ""
        if files and files[0].name.lower().endswith(WORKBOOK):
            sheet = st.text_input(
                "Sheet",
                key="data_sheet",
                placeholder="first sheet",
                help="Its name, as on its tab in the file.",
            ).strip()
    if not files:
        needed.append("file")
        return None
    names, records = _first_records(files[0], sheet)
    st.caption("Preview. Match the columns:")
    rows = [{name: shorten(record.values.get(name), 120) for name in names} for record in records[:ROWS]]
    st.dataframe(rows, hide_index=True, key="data_rows")
    columns = _columns(names, files[0].name, code)
    if not (code or columns.language):
        needed.append("language")
    with st.expander("Gold passages, unanswerable questions and languages", key="data_more"):
        gold, corpus = _gold(names)
        guess = guess_columns(names).unanswerable
        unanswerable: str = st.selectbox(
            UNANSWERABLE_LABEL,
            [NONE, *names],
            index=[NONE, *names].index(guess),
            key=f"data_unanswerable_{files[0].name}",
            format_func=_or_none,
            help="Yes or no: whether the corpus has no answer. The word “unanswerable” in the answers column does too.",
        )
        languages = [] if code else uploading.languages("Languages to import", TABLE)
    columns = replace(columns, gold=gold, unanswerable=unanswerable)
    _preview(records, columns, code)

    source = DatasetSource(TABLE, code, languages, sheet=sheet, columns=columns, gold_corpus=corpus if gold else "")
    return Upload(source, partial(uploads.numbered, files)) if code or columns.language else None


def guess_columns(names: Sequence[str]) -> Columns:
    """The columns whose names say what they contain, exactly or nearly.

    >>> guess_columns(["q", "Question", "Answer", "lang"])
    Columns(question='Question', answers='Answer', id='', language='lang', gold='', separator='', unanswerable='')
    """
    guesses = {field: _guess(field, names) for field in (*COLUMN_LABELS, "unanswerable")}
    return Columns(**{**guesses, "question": guesses["question"] or names[0]})


def _language() -> str:
    """The language of all rows, "" where a column has it."""
    from workbench.languages import known_languages

    language: str = st.selectbox(
        "Language of the file",
        [NONE, *(item.code for item in known_languages())],
        key="data_language_table",
        format_func=lambda code: language_option(code) if code else "From a column",
        help="The language of all questions and answers, or “From a column” where each row names its own.",
    )
    return language


def _first_records(file: UploadedFile, sheet: str) -> tuple[list[str], list[Record]]:
    """The names of the columns and the first rows, long cells cut; read once for each file and sheet."""
    preview = st.session_state.get(PREVIEW)
    if preview and preview[0] == (file.file_id, sheet):
        names, records = preview[1]
        return names, records
    with uploads.files_on_disk([file]) as paths:
        first = list(islice(table_rows(paths[0], sheet), LOOKED_AT))
    if not first:
        raise UsageError(f"{shorten(file.name)} has no rows. Select a file with a header and at least one row.")
    names = [str(name) for name in first[0].values]
    records = [
        Record(record.where, {str(name): _cut(value) for name, value in record.values.items()}) for record in first
    ]
    st.session_state[PREVIEW] = ((file.file_id, sheet), (names, records))
    return names, records


def _cut(value: object) -> object:
    return value[:CELL_LIMIT] if isinstance(value, str) else value


def _preview(records: Sequence[Record], columns: Columns, code: str) -> None:
    """The first rows as they would be imported, and what may not be meant so; an error is one of the import."""
    with access.guarded():
        questions, warnings = previewed(records, columns, code, ROWS)
        st.caption("As it would be imported:")
        safe_html.show(data_view.preview_list(questions))
        for warning in warnings:
            safe_html.message(f"In the first {len(records):,} rows: {warning}")


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
    separator = last.text_input(
        "Answer separator",
        SEPARATOR,
        key="data_separator",
        placeholder="nothing",
        max_chars=5,
        help="Also separates the ids of gold passages. Leave it empty where each cell holds one.",
    )
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
    if field == "unanswerable":
        return next((name for name in names if name.lower() in UNANSWERABLE_NAMES), NONE)
    names = [name for name in names if name.lower() not in UNANSWERABLE_NAMES]
    exact = (name for name in names if name.lower() == field)
    return next(exact, next((name for name in names if stem in name.lower()), NONE))
