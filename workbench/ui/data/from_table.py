"""A table of questions: its first rows, and which column is what."""

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

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from workbench.datasets.collection import Collection

NONE = ""
ROWS = 4
SEEN = "data_seen"
WORKBOOK = ".xlsx"


def draw() -> Source | None:
    """The upload, its first rows and the mapping of its columns; None as long as something is lacking."""
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        chosen = uploading.files(TABLE)
    with right:
        code = _language()
        sheet = ""
        if chosen and chosen[0].name.lower().endswith(WORKBOOK):
            sheet = st.text_input("Sheet", key="data_sheet", placeholder="the first one").strip()
    if not chosen:
        return None
    names, rows = _first_rows(chosen[0], sheet)
    st.caption("The first rows, and which column is what.")
    st.dataframe(rows, hide_index=True, key="data_rows")
    columns = _columns(names, chosen[0].name, code)
    with st.expander("Gold passages, languages", key="data_more"):
        gold, corpus = _gold(names)
        wanted = [] if code else uploading.languages("Languages to take", TABLE)
    columns = replace(columns, gold=gold)

    def read(paths: Sequence[Path]) -> Collection:
        from workbench.datasets.formats.table import read_table
        from workbench.datasets.importing import lost_from

        lost = lost_from(access.workbench().library, corpus) if gold else None
        made = read_table(paths[0], columns, code=code, wanted=wanted, sheet=sheet, lost=lost)
        return replace(made, corpus=corpus) if gold else made

    return source(chosen, read)


def mapped(names: Sequence[str]) -> Columns:
    """The columns that are called like what they hold, or nearly so.

    >>> mapped(["q", "Question", "Answer", "lang"])
    Columns(question='Question', answers='Answer', id='', language='lang', gold='', separator='')
    """
    found = {field: _guess(field, names) for field in ("question", "answers", "id", "language")}
    return Columns(**{**found, "question": found["question"] or names[0]})


def _language() -> str:
    """The language of all rows, "" where a column says it."""
    from workbench.languages import known_languages

    chosen: str = st.selectbox(
        "Language of the file",
        [NONE, *(item.code for item in known_languages())],
        key="data_language_table",
        format_func=lambda code: uploading.words(code) if code else "As a column says",
    )
    return chosen


def _first_rows(file: UploadedFile, sheet: str) -> tuple[list[str], list[dict[str, str]]]:
    """The names of the columns and the first rows, shortened; read once for each file and sheet."""
    seen = st.session_state.get(SEEN)
    if seen and seen[0] == (file.file_id, sheet):
        names, rows = seen[1]
        return names, rows
    from workbench.datasets.formats import table

    with uploads.kept([file]) as paths:
        first = list(islice(table.rows(paths[0], sheet), ROWS))
    if not first:
        raise UsageError(f"{shorten(file.name)} has no rows. Choose a file with a head and at least one row.")
    names = [str(name) for name in first[0].values]
    rows = [{name: shorten(record.values.get(name), 120) for name in names} for record in first]
    st.session_state[SEEN] = ((file.file_id, sheet), (names, rows))
    return names, rows


def _columns(names: Sequence[str], file: str, code: str) -> Columns:
    guessed = mapped(names)
    picked: dict[str, str] = {}
    wanted = ["question", "answers", "id", *([] if code else ["language"])]
    *places, last = st.columns(len(wanted) + 1, gap="small")
    for place, field in zip(places, wanted, strict=True):
        options = list(names) if field == "question" else [NONE, *names]
        picked[field] = place.selectbox(
            f"Column of the {field}",
            options,
            index=options.index(getattr(guessed, field)),
            key=f"data_column_{field}_{file}",
            format_func=_or_none,
        )
    separator = last.text_input("Answers parted by", key="data_separator", placeholder="|", max_chars=5)
    return Columns(**picked, separator=separator)


def _gold(names: Sequence[str]) -> tuple[str, str]:
    """The column with the ids of gold passages and the corpus in which they lie, "" for none."""
    left, right = st.columns(2, gap="small")
    column: str = left.selectbox(
        "Column of the gold passages' ids", [NONE, *names], key="data_gold", format_func=_or_none
    )
    corpus: str = right.selectbox(
        "Their corpus", [item.name for item in access.manifests()], key="data_gold_corpus", disabled=not column
    )
    return column, corpus if column else ""


def _or_none(name: str) -> str:
    return name or "none"


def _guess(field: str, names: Sequence[str]) -> str:
    stem = {"answers": "answer", "language": "lang"}.get(field, field)
    exact = (name for name in names if name.lower() == field)
    return next(exact, next((name for name in names if stem in name.lower()), NONE))
