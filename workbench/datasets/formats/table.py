"""Any table of questions: CSV, TSV, JSON lines or Excel, with a mapping that says which column is what.

Answers are a list in JSON lines (also SQuAD's {"text": […]}); in a cell they are one answer, a JSON list, or several
parted by a separator.  A dataset is parallel where every language has the same ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.datasets.collection import Collection, Unique, checked_languages, in_languages, none_left
from workbench.datasets.files.delimited import TABS, delimited_records
from workbench.datasets.files.record import Record, cleaned, once
from workbench.datasets.files.text_files import json_records, json_value
from workbench.datasets.files.workbook import workbook_records
from workbench.errors import UsageError, shorten
from workbench.languages import language
from workbench.languages.labels import parse_label
from workbench.records import Question

ALLOWED = ".csv, .tsv, .jsonl (each also as .gz) and .xlsx"

Lost = Callable[[set[str]], set[str]]
"""Of some ids of passages, those that the corpus does not have."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column is what; "" for what the table does not have. Without `id`, a row's number is its id; without
    `language`, all rows are in the one language given. `separator` parts several answers or gold ids in one cell.
    """

    question: str = "question"
    answers: str = ""
    id: str = ""
    language: str = ""
    gold: str = ""
    separator: str = ""


def read_table(
    path: Path,
    columns: Columns,
    *,
    code: str = "",
    wanted: Sequence[str] = (),
    sheet: str = "",
    lost: Lost | None = None,
) -> Collection:
    """The questions of a file. `code` is its language where no column says it; `lost` checks gold passages.

    Raises UsageError for another kind of file or a language that is not there, DataError with file and row.
    """
    return collect(rows(path, sheet), columns, "table", "Table", path.name, code=code, wanted=wanted, lost=lost)


def rows(path: Path, sheet: str = "") -> Iterator[Record]:
    """The rows of a file, by what its name ends in. Raises UsageError for another ending."""
    name = path.name.lower()
    plain = name.removesuffix(".gz")
    if name.endswith(".xlsx"):
        return workbook_records(path, sheet)
    if sheet:
        raise UsageError(f"{path.name} has no sheets: --sheet goes with an .xlsx workbook.")
    if plain.endswith((".csv", *TABS)):
        return delimited_records(path)
    if plain.endswith((".jsonl", ".ndjson")):
        return json_records(path)
    raise UsageError(
        f"“{shorten(path.name)}” is no table that can be read. Allowed: {ALLOWED}. Save it as one of these."
    )


def collect(
    records: Iterable[Record],
    columns: Columns,
    kind: str,
    title: str,
    source: str,
    *,
    code: str = "",
    wanted: Sequence[str] = (),
    lost: Lost | None = None,
) -> Collection:
    """The questions of any rows under a mapping. Raises UsageError and DataError as `read_table` does."""
    if bool(columns.language) == bool(code):
        raise UsageError(
            "A table needs its language: either all rows' (--lang fi) or the column that says it "
            "(--language-column lang)."
        )
    whole = language(code).code if code else ""
    codes = checked_languages(wanted)
    seen = Unique("question id")
    questions: list[Question] = []
    places: dict[str, str] = {}
    for number, record in enumerate(records, start=1):
        _check_columns(record, columns)
        lang = whole or _language(record, columns.language)
        name = record.id(columns.id) if columns.id else f"row{number:06d}"
        seen.add(name, record.where, language=lang)
        answers = _several(record, columns.answers, columns.separator) if columns.answers else ()
        if columns.answers and not answers:
            raise record.wrong(f"has no answer in column “{shorten(columns.answers)}”")
        gold = _several(record, columns.gold, columns.separator) if columns.gold else ()
        for item in gold:
            places.setdefault(item, record.where)
        questions.append(Question(name, record.text(columns.question), lang, answers, gold))
    if not questions:
        raise none_left(title, [source], {})
    missing = lost(set(places)) if lost and places else set()
    if missing:
        item = min(missing, key=lambda item: list(places).index(item))
        raise Record(places[item], {}).wrong(f"names the passage “{shorten(item)}”, which the corpus does not have")
    found = sorted({question.language for question in questions})
    taken = in_languages(questions, codes, found)
    return Collection(kind, title, (source,), taken, licence="as the imported file", parallel=_parallel(questions))


def _check_columns(record: Record, columns: Columns) -> None:
    for name in (columns.question, columns.answers, columns.id, columns.language, columns.gold):
        if name and name not in record.values:
            shown = shorten(", ".join(map(str, record.values)), 120)
            raise record.wrong(f"has no column “{shorten(name)}” but {shown or 'none'}")


def _language(record: Record, column: str) -> str:
    given = record.text(column)
    label = parse_label(given)
    if label is None or not label.code:
        raise record.wrong(
            f"has “{shorten(given)}” in column “{shorten(column)}”, which is no language code such as fi"
        )
    return label.code


def _several(record: Record, column: str, separator: str) -> tuple[str, ...]:
    """The texts in a cell or a list. SQuAD's answers are an object with the list “text”."""
    value = record.values[column]
    if isinstance(value, dict) and "text" in value:
        return Record(record.where, value).texts("text")
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return once([item.text("text") for item in record.records(column)])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (str(value),)
    if not isinstance(value, str):
        return record.texts(column) if value is not None else ()
    cell = cleaned(value)
    if cell.startswith("[") and cell.endswith("]"):
        return Record(record.where, {column: json_value(f"{record.where}, column “{shorten(column)}”", cell)}).texts(
            column
        )
    return once(cell.split(separator) if separator else [cell])


def _parallel(questions: Sequence[Question]) -> bool:
    ids: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        ids[question.language].add(question.id)
    sets = list(ids.values())
    return len(sets) > 1 and all(names == sets[0] for names in sets)
