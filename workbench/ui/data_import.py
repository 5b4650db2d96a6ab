"""The form that takes files in: SQuAD-format JSON, the field's own formats, or any table with a column mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.datasets.library import DatasetLibrary
from workbench.errors import UsageError
from workbench.languages import known_languages
from workbench.ui import safe, uploads, workspace
from workbench.ui.badges import language_words

if TYPE_CHECKING:
    from workbench.datasets.collection import Collection
    from workbench.datasets.importing import Imported

TABLE, SQUAD = "table", "squad"
FORMATS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    TABLE: ("Table with columns of your own: CSV, TSV, JSON lines, Excel", ("csv", "tsv", "jsonl", "xlsx", "gz")),
    SQUAD: ("SQuAD, XQuAD: paragraphs and questions (JSON)", ("json",)),
    "mkqa": ("MKQA (mkqa.jsonl.gz)", ("gz", "jsonl")),
    "xor-tydi": ("XOR-TyDi QA (JSON lines)", ("jsonl", "gz")),
    "tydi-qa": ("TyDi QA (original JSON lines, or gold passage JSON)", ("jsonl", "gz", "json")),
    "natural-questions": ("Natural Questions (KILT or open, JSON lines)", ("jsonl", "gz")),
}
"""Each format's title and what its files' names end in. Those that are folders are imported by the command line."""
NONE = ""
PREVIEW = 4
DONE = "data_done"


def draw() -> None:
    """The form; importing reads and checks everything before anything is taken."""
    if done := st.session_state.pop(DONE, ""):
        safe.message(done)
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        kind = st.selectbox("Format", list(FORMATS), key="data_format", format_func=lambda name: FORMATS[name][0])
        files = st.file_uploader(
            "Files" if kind == SQUAD else "File",
            list(FORMATS[kind][1]),
            accept_multiple_files=True,
            key=f"data_files_{kind}",
            help="Several SQuAD files of one language make one corpus. Other formats take one file.",
        )
    with right:
        name = st.text_input("Name", key="data_name", placeholder="my-dataset", help="Lower-case letters and digits.")
        limit = st.number_input(
            "Questions a language (0 for all)", 0, 10_000_000, key="data_limit", help="Drawn by a seed of 0."
        )
        code = _language(kind)
    if not files:
        return
    with uploads.kept(files) as paths:
        read = _table(paths[0], code) if kind == TABLE else _others(kind, paths)
        aligned = kind == SQUAD and st.toggle(
            "The n-th paragraph is the same passage in every language imported so", key="data_aligned"
        )
        if st.button("Import", key="data_take", type="primary", icon=":material/upload:"):
            _take(kind, paths, name, code, int(limit), read, aligned=aligned)


def _language(kind: str) -> str:
    """The language of the files, where the format does not say it."""
    if kind not in (TABLE, SQUAD):
        return NONE
    codes = [item.code for item in known_languages()]
    chosen: str = st.selectbox(
        "Language of the file",
        [*([NONE] if kind == TABLE else []), *codes],
        key=f"data_language_{kind}",
        format_func=lambda code: language_words(code) if code else "As a column says",
    )
    return chosen


def _table(path: Path, code: str) -> Callable[[], Collection]:
    """The mapping of a table's columns, guessed from its first rows, and what reads it so."""
    from workbench.datasets.table import Columns, read_table, rows

    first = list(islice(rows(path), PREVIEW))
    if not first:
        raise UsageError(f"{path.name} has no rows. Choose a file with a head and at least one row.")
    names = [str(name) for name in first[0].values]
    st.caption("The first rows, and which column is what.")
    st.dataframe(
        [{name: _short(record.values.get(name)) for name in names} for record in first],
        hide_index=True,
        key="data_rows",
    )
    picked: dict[str, str] = {}
    wanted = ["question", "answers", "id", *([] if code else ["language"])]
    for column, field in zip(st.columns(len(wanted) + 1, gap="small"), [*wanted, "separator"], strict=True):
        with column:
            if field == "separator":
                picked[field] = st.text_input("Answers parted by", key="data_separator", placeholder="|", max_chars=5)
                continue
            options = names if field == "question" else [NONE, *names]
            picked[field] = st.selectbox(
                f"Column of the {field}",
                options,
                index=options.index(_guess(field, names)) if _guess(field, names) in options else 0,
                key=f"data_column_{field}_{path.name}",
                format_func=lambda name: name or "none",
            )
    columns = Columns(
        picked["question"], picked["answers"], picked["id"], picked.get("language", ""), separator=picked["separator"]
    )
    return lambda: read_table(path, columns, code=code)


def _others(kind: str, paths: Sequence[Path]) -> Callable[[], Collection]:
    def read() -> Collection:
        from workbench.datasets.mkqa import read_mkqa
        from workbench.datasets.natural_questions import read_natural_questions
        from workbench.datasets.tydi_qa import read_gold_passages, read_tydi_qa
        from workbench.datasets.xor_tydi import read_xor_tydi

        path = paths[0]
        if kind == "tydi-qa":
            return (read_gold_passages if path.name.lower().endswith(".json") else read_tydi_qa)(path, ())
        if kind == "natural-questions":
            return read_natural_questions(path)
        return read_mkqa(path, ()) if kind == "mkqa" else read_xor_tydi(path, ())

    return read


def _take(
    kind: str,
    paths: Sequence[Path],
    name: str,
    code: str,
    limit: int,
    read: Callable[[], Collection],
    *,
    aligned: bool,
) -> None:
    from workbench.datasets.importing import import_collection, import_squad

    if len(paths) > 1 and kind != SQUAD:
        raise UsageError(f"{len(paths)} files were given; this format takes one at a time. Remove the others.")
    bench = workspace.workbench()
    library, place = DatasetLibrary(bench.settings.datasets), st.empty()

    def progress(phase: str, done: int, total: int) -> None:
        share = f" · {done:,} of {total:,}" if total else ""
        place.progress(done / total if total else 0.0, text=f"Importing: {phase}{share}")

    with st.spinner("Reading and checking"):
        if kind == SQUAD:
            made = import_squad(
                bench.library, library, list(paths), code, name, aligned=aligned, limit=limit or None, progress=progress
            )
        else:
            made = import_collection(bench.library, library, read(), name, limit=limit or None, progress=progress)
    place.empty()
    st.session_state[DONE] = told(made)
    st.rerun()


def told(made: Imported) -> str:
    """What came of an import, in a sentence or two."""
    counts = ", ".join(f"{code} {count:,}" for code, count in made.dataset.languages.items())
    parts = [f"Dataset “{made.dataset.name}” now has these questions: {counts}."]
    if made.corpus:
        parts.append(f"Corpus “{made.corpus.name}” has {made.corpus.passages:,} passages.")
    if made.left_out:
        parts.append("Left out: " + "; ".join(f"{count:,} {reason}" for reason, count in made.left_out.items()) + ".")
    return " ".join(parts)


def _guess(field: str, names: Sequence[str]) -> str:
    """The column that is called like a field, or nearly so.

    >>> _guess("answers", ["q", "Answer"])
    'Answer'
    """
    stem = field.removesuffix("s")
    return next((name for name in names if stem in name.lower()), NONE)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 120 else text[:119] + "…"
