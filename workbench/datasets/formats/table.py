"""Any table of questions: CSV, TSV, JSON lines or Excel, with a mapping that states the content of each column.

Answers are a list in JSON lines (also SQuAD's {"text": […]}); in a cell they are one answer, a JSON list, or several
separated by a separator. A dataset is parallel if every language has the same ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.datasets.collection import (
    Collection,
    UniqueIds,
    in_languages,
    language_code,
    language_codes,
    no_questions,
)
from workbench.datasets.files.delimited import TABS, delimited_records
from workbench.datasets.files.record import Record, cleaned, unique_texts
from workbench.datasets.files.text_files import ROWS_LIMIT, json_records, json_value
from workbench.datasets.files.workbook import workbook_records
from workbench.errors import UsageError, shorten
from workbench.languages.labels import parse_label
from workbench.records import Question

ALLOWED = ".csv, .tsv, .jsonl (each also as .gz) and .xlsx"

PassageCheck = Callable[[set[str]], set[str]]
"""Returns, of some passage ids, those that are not in the corpus."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns; "" for one that the table does not have.

    Without `id`, a row's number is its id; without `language`, all rows are in the one language given. `separator`
    separates several answers or gold ids in one cell.
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
    language: str = "",
    languages: Sequence[str] = (),
    sheet: str = "",
    missing_passages: PassageCheck | None = None,
) -> Collection:
    """Return the questions of a file in some `languages` (none: all).

    `language` is the language of all rows if no column states it; `missing_passages` checks the gold passages.
    Raises UsageError for another kind of file or a language it does not have, DataError with file and row.
    """
    return table_collection(
        table_rows(path, sheet),
        columns,
        "table",
        "Table",
        path.name,
        language=language,
        languages=languages,
        missing_passages=missing_passages,
    )


def table_rows(path: Path, sheet: str = "") -> Iterator[Record]:
    """Return the rows of a file by the reader for its suffix. Raises UsageError for any other suffix."""
    name = path.name.lower()
    plain = name.removesuffix(".gz")
    if name.endswith(".xlsx"):
        return workbook_records(path, sheet)
    if sheet:
        raise UsageError(f"{path.name} has no sheets: use --sheet with an .xlsx workbook only.")
    if plain.endswith((".csv", *TABS)):
        return delimited_records(path, rows=ROWS_LIMIT)
    if plain.endswith((".jsonl", ".ndjson")):
        return json_records(path, rows=ROWS_LIMIT)
    raise UsageError(
        f"“{shorten(path.name)}” is not a table that can be read. Allowed: {ALLOWED}. Save it as one of these."
    )


def table_collection(
    records: Iterable[Record],
    columns: Columns,
    kind: str,
    title: str,
    source: str,
    *,
    language: str = "",
    languages: Sequence[str] = (),
    missing_passages: PassageCheck | None = None,
) -> Collection:
    """Return the questions of any rows under a mapping. Raises UsageError and DataError as `read_table` does."""
    if bool(columns.language) == bool(language):
        raise UsageError(
            "A table needs its language: either that of all rows (--lang fi) or the column that states it "
            "(--language-column lang)."
        )
    table_language = language_code(language) if language else ""
    codes = language_codes(languages)
    ids = UniqueIds("question id")
    questions: list[Question] = []
    places: dict[str, str] = {}
    for number, record in enumerate(records, start=1):
        _check_columns(record, columns)
        row_language = table_language or _language(record, columns.language)
        name = record.id(columns.id) if columns.id else f"row{number:06d}"
        ids.add(name, record.where, language=row_language)
        answers = _texts(record, columns.answers, columns.separator) if columns.answers else ()
        if columns.answers and not answers:
            raise record.error(f"has no answer in column “{shorten(columns.answers)}”")
        gold = _texts(record, columns.gold, columns.separator) if columns.gold else ()
        for item in gold:
            places.setdefault(item, record.where)
        questions.append(Question(name, record.text(columns.question), row_language, answers, gold))
    if not questions:
        raise no_questions(title, [source], {})
    missing = missing_passages(set(places)) if missing_passages and places else set()
    if missing:
        item = min(missing, key=lambda item: list(places).index(item))
        raise Record(places[item], {}).error(f"names the passage “{shorten(item)}”, which the corpus does not have")
    return Collection(
        kind,
        title,
        (source,),
        in_languages(questions, codes, sorted({question.language for question in questions})),
        licence="as the imported file",
        parallel=_is_parallel(questions),
    )


def _check_columns(record: Record, columns: Columns) -> None:
    for name in (columns.question, columns.answers, columns.id, columns.language, columns.gold):
        if name and name not in record.values:
            names = shorten(", ".join(map(str, record.values)), 120)
            raise record.error(f"has no column “{shorten(name)}”, only {names or 'none'}")


def _language(record: Record, column: str) -> str:
    text = record.text(column)
    label = parse_label(text)
    if label is None or not label.language:
        raise record.error(
            f"has “{shorten(text)}” in column “{shorten(column)}”, which is not a language code such as fi"
        )
    return label.language


def _texts(record: Record, column: str, separator: str) -> tuple[str, ...]:
    """Return the texts in a cell or a list. SQuAD's answers are an object with the list “text”."""
    value = record.values[column]
    if isinstance(value, dict) and "text" in value:
        return Record(record.where, value).texts("text")
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return unique_texts([item.text("text") for item in record.records(column)])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (str(value),)
    if not isinstance(value, str):
        return record.texts(column) if value is not None else ()
    cell = cleaned(value)
    if cell.startswith("[") and cell.endswith("]"):
        return Record(record.where, {column: json_value(f"{record.where}, column “{shorten(column)}”", cell)}).texts(
            column
        )
    return unique_texts(cell.split(separator) if separator else [cell])


def _is_parallel(questions: Sequence[Question]) -> bool:
    ids: dict[str, set[str]] = defaultdict(set)
    for question in questions:
        ids[question.language].add(question.id)
    sets = list(ids.values())
    return len(sets) > 1 and all(names == sets[0] for names in sets)
