"""The form of a format whose rows have columns: what each column holds, and, of a file, its first rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.core import UsageError, shorten
from workbench.data import Columns, DatasetFormat, ImportOption, Record, Remote, previewed
from workbench.languages import known_languages
from workbench.ui.data import data_view
from workbench.ui.imports import source_form
from workbench.ui.imports.source_form import Upload
from workbench.ui.parts import access, safe_html, uploads
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.latest import latest

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
UNANSWERABLE_NAMES = ("unanswerable", "is_unanswerable", "is_impossible", "impossible")
GUESSED = ("question", "answers", "id", "language", "unanswerable")


def draw(form: DatasetFormat, needed: list[str]) -> tuple[Upload | None, dict[str, Any]]:
    """What is imported, its first rows where it is a file, and the options.

    None as long as something is missing, which `needed` then names.
    """
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        upload = source_form.select(form, needed)
    paths = upload.paths if upload else ()
    file = str(paths[0]) if paths else ""
    shown = [
        option
        for option in form.options
        if option.kind == "text" and option.name != "separator" and file.lower().endswith(option.ending)
    ]
    with right:
        code = _language(form)
        values = source_form.options(form, shown, paths, needed)
    names: list[str] = []
    records: list[Record] = []
    if form.rows:
        if upload is None:
            return None, {}
        file_, sheet, rows_of = upload.uploaded[0], values.get("sheet", ""), form.rows
        names, records = latest(PREVIEW, (file_.file_id, sheet), lambda: _first_records(rows_of, file_, sheet))
        st.caption("Preview. Match the columns:")
        rows = [{name: shorten(record.values.get(name), 120) for name in names} for record in records[:ROWS]]
        data_table(rows, hide_index=True, key="data_rows")
    columns = _columns(form, names, file or form.name, code)
    if not (code or columns["language"]):
        needed.append("language")
    with st.expander("More columns, and languages to import", key="data_more"):
        columns |= _folded(form, names, file or form.name)
        languages = (
            [code] if code else source_form.languages(form, _option(form, "languages"), title="Languages to import")
        )
        corpora = [option for option in form.options if option.kind == "corpus" and columns[option.needs]]
        values |= source_form.options(form, corpora, paths, needed)
    if records:
        _preview(records, Columns(**columns), code)
    if upload and isinstance(form.source, Remote):
        named = [f"{option.title.lower()} “{values[option.name]}”" for option in shown if values[option.name]]
        safe_html.message(
            f"Import fetches {', '.join([f'“{upload.name}”', *named])} from {form.source.host()}. "
            "No request is sent before that."
        )
    return upload, {**values, **columns, "languages": languages}


def _option(form: DatasetFormat, name: str) -> ImportOption:
    return next(option for option in form.options if option.name == name)


def guess_columns(names: Sequence[str]) -> Columns:
    """The columns whose names say what they contain, exactly or nearly.

    >>> guess_columns(["q", "Question", "Answer", "lang"])
    Columns(question='Question', answers='Answer', id='', language='lang', gold='', separator='', unanswerable='')
    """
    guesses = {field: _guess(field, names) for field in GUESSED}
    return Columns(**{**guesses, "question": guesses["question"] or names[0]})


def _language(form: DatasetFormat) -> str:
    """The language of all rows, "" where a column has it."""
    language: str = st.selectbox(
        _option(form, "languages").title,
        [NONE, *(item.code for item in known_languages())],
        key=f"data_language_{form.name}",
        format_func=lambda code: language_option(code) if code else "From a column",
        help="The language of all questions and answers, or “From a column” if each row names its own.",
    )
    return language


def _first_records(
    read: Callable[..., Iterator[Record]], file: UploadedFile, sheet: str
) -> tuple[list[str], list[Record]]:
    """The names of the columns and the first rows, long cells cut."""
    with uploads.files_on_disk([file]) as paths:
        first = list(islice(read(paths[0], sheet), LOOKED_AT))
    if not first:
        raise UsageError(f"{shorten(file.name)} has no rows. Select a file with a header and at least one row.")
    names = [str(name) for name in first[0].values]
    records = [
        Record(record.where, {str(name): _cut(value) for name, value in record.values.items()}) for record in first
    ]
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


def _columns(form: DatasetFormat, names: Sequence[str], file: str, code: str) -> dict[str, str]:
    """What the columns of most datasets hold, and the separator; `names` are those of the columns, where known."""
    fields = [
        option
        for option in form.options
        if option.kind == "column" and not option.folded and not (code and option.name == "language")
    ]
    *slots, last = st.columns(len(fields) + 1, gap="small")
    columns = {}
    for slot, option in zip(slots, fields, strict=True):
        with slot:
            columns[option.name] = _column(option, names, file)
    separator = _option(form, "separator")
    entered = last.text_input(
        separator.title,
        separator.default,
        key=f"data_separator_{form.name}",
        placeholder=separator.placeholder,
        max_chars=5,
        help=separator.help,
    )
    return {"language": NONE, **columns, "separator": entered}


def _folded(form: DatasetFormat, names: Sequence[str], file: str) -> dict[str, str]:
    return {
        option.name: _column(option, names, file)
        for option in form.options
        if option.kind == "column" and option.folded
    }


def _column(option: ImportOption, names: Sequence[str], file: str) -> str:
    key = f"data_column_{option.name}_{file}"
    if not names:
        entered = st.text_input(
            option.title, option.suggested or option.default, key=key, placeholder="none", help=option.help
        )
        return entered.strip() or str(option.default)
    guess: str = getattr(guess_columns(names), option.name)
    values = list(names) if option.required else [NONE, *names]
    column: str = st.selectbox(
        option.title,
        values,
        index=values.index(guess),
        key=key,
        format_func=lambda name: name or "none",
        help=option.help,
    )
    return column


def _guess(field: str, names: Sequence[str]) -> str:
    stem = {"answers": "answer", "language": "lang"}.get(field, field)
    if field == "unanswerable":
        return next((name for name in names if name.lower() in UNANSWERABLE_NAMES), NONE)
    names = [name for name in names if name.lower() not in UNANSWERABLE_NAMES]
    exact = (name for name in names if name.lower() == field)
    return next(exact, next((name for name in names if stem in name.lower()), NONE))
