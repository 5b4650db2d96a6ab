"""Any table of questions: CSV, TSV, JSON lines or Excel, with a mapping that states the content of each column.

Answers are a list in JSON lines (also SQuAD's {"text": […]}); in a cell they are one answer, a JSON list, or several
separated by a separator. A dataset is parallel if every language has the same ids. A question that the corpus does not
answer is marked in a column of its own, or by UNANSWERABLE in place of its gold answers or passages; it has neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.core import NO_EVIDENCE, Question, UsageError, shorten
from workbench.data.corpora.corpus import Corpus
from workbench.data.datasets.dataset_format import (
    LANGUAGES,
    Collection,
    DatasetFormat,
    Files,
    ImportOption,
    UniqueIds,
    in_languages,
    language_codes,
    no_questions,
)
from workbench.data.datasets.records import (
    ROWS_LIMIT,
    TABS,
    Record,
    cleaned,
    delimited_records,
    json_records,
    json_value,
    unique_texts,
)
from workbench.data.datasets.workbook import workbook_records
from workbench.languages import parse_label

ALLOWED = ".csv, .tsv, .jsonl (each also as .gz) and .xlsx"
SEPARATOR = "|"
"""What separates several answers in one cell unless the caller names something else."""
USUAL_SEPARATORS = ("|", ";")
UNANSWERABLE = "unanswerable"
"""The word that marks a question without an answer in the corpus."""
MARKS = {
    **dict.fromkeys(("true", "yes", "y", "1", "x", UNANSWERABLE, "impossible"), True),
    **dict.fromkeys(("false", "no", "n", "0", "", "answerable", "possible"), False),
}
"""The values of a column that marks unanswerable questions, in lower case."""
ROW_ID = "row{:06d}"
"""A row's id where no column has one."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns; "" for one that the table does not have.

    Without `id`, a row's number is its id; without `language`, all rows are in the one language given. `separator`
    separates several answers or gold ids in one cell; "" where each cell holds one. `unanswerable` marks the questions
    that the corpus does not answer.
    """

    question: str = "question"
    answers: str = ""
    id: str = ""
    language: str = ""
    gold: str = ""
    separator: str = ""
    unanswerable: str = ""


def read_table(
    path: Path, columns: Columns, *, languages: Sequence[str] = (), sheet: str = "", corpus: Corpus | None = None
) -> Collection:
    """Return the questions of a file in some `languages` (none: all), or all in the one that no column states.

    `corpus` has the gold passages. Raises UsageError for another kind of file or a language it does not have, DataError
    with file and row.
    """
    if bool(columns.gold) != bool(corpus):
        raise UsageError(
            "Gold passages need both their column and the corpus that has them.",
            command="Type --gold COLUMN --corpus NAME",
        )
    return table_collection(
        table_rows(path, sheet), columns, "table", "Table", path.name, languages=languages, corpus=corpus
    )


def table_rows(path: Path, sheet: str = "") -> Iterator[Record]:
    """Return the rows of a file by the reader for its suffix. Raises UsageError for any other suffix."""
    name = path.name.lower()
    plain = name.removesuffix(".gz")
    if name.endswith(".xlsx"):
        return workbook_records(path, sheet)
    if sheet:
        raise UsageError(f"{path.name} has no sheets: name one for an .xlsx workbook only.")
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
    languages: Sequence[str] = (),
    corpus: Corpus | None = None,
) -> Collection:
    """Return the questions of any rows under a mapping. Raises UsageError and DataError as `read_table` does."""
    codes = language_codes(languages)
    if not columns.language and len(codes) != 1:
        raise UsageError(
            "A table needs its language: either the one of all rows, such as fi, or the column that states it, such as "
            "lang.",
            command="Type --lang once, for example: --lang fi, or --language-column COLUMN",
        )
    table_language = "" if columns.language else codes[0]
    ids = UniqueIds("question id")
    questions: list[Question] = []
    first_rows: dict[str, str] = {}
    separators = SeparatorCount(columns.separator)
    for number, record in enumerate(records, start=1):
        _check_columns(record, columns)
        row_language = table_language or _language(record, columns.language)
        name = record.id(columns.id) if columns.id else ROW_ID.format(number)
        ids.add(name, record.where, language=row_language)
        answers, gold, evidence_in = row_golds(record, columns)
        if columns.answers:
            separators.count(record.values[columns.answers])
        for gold_id in gold:
            first_rows.setdefault(gold_id, record.where)
        questions.append(Question(name, record.text(columns.question), row_language, answers, gold, evidence_in))
    if not questions:
        raise no_questions(title, [source], {})
    missing = set(first_rows) - set(corpus.lexical.rows_of(set(first_rows))) if corpus and first_rows else set()
    if missing:
        gold_id = min(missing, key=lambda item: list(first_rows).index(item))
        raise Record(first_rows[gold_id], {}).error(
            f"names the passage “{shorten(gold_id)}”, which the corpus does not have"
        )
    return Collection(
        kind,
        title,
        (source,),
        in_languages(questions, codes, sorted({question.language for question in questions})),
        licence="as the imported file",
        corpus=corpus.manifest.name if corpus else "",
        parallel=_is_parallel(questions),
        numbered=not columns.id,
        warnings=separators.warnings(),
    )


def previewed(
    records: Sequence[Record], columns: Columns, language: str, count: int
) -> tuple[list[Question], tuple[str, ...]]:
    """Return the first `count` records as they would be imported, and the warnings about all of them.

    A row without a known language is shown without one. Raises DataError as `read_table` does.
    """
    questions: list[Question] = []
    separators = SeparatorCount(columns.separator)
    for number, record in enumerate(records, start=1):
        _check_columns(record, columns)
        if columns.answers:
            separators.count(record.values[columns.answers])
        if number <= count:
            label = parse_label(record.optional_text(columns.language)) if columns.language else None
            code = language or (label.language if label else "")
            answers, gold, evidence_in = row_golds(record, columns)
            name = record.id(columns.id) if columns.id else ROW_ID.format(number)
            questions.append(Question(name, record.text(columns.question), code, answers, gold, evidence_in))
    return questions, separators.warnings()


def row_golds(record: Record, columns: Columns) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return a row's gold answers and passages, and its `evidence_in`.

    Raises DataError for a row without an answer where a column has them, unless it is marked unanswerable.
    """
    answers = _texts(record, columns.answers, columns.separator) if columns.answers else ()
    gold = _texts(record, columns.gold, columns.separator) if columns.gold else ()
    marks = [texts for texts in (answers, gold) if _is_unanswerable(texts)]
    if marks or (columns.unanswerable and _mark(record, columns.unanswerable)):
        if rest := [text for texts in (answers, gold) for text in texts if texts not in marks]:
            raise record.error(f"is marked {UNANSWERABLE} and has “{shorten(rest[0])}” as gold")
        return (), (), NO_EVIDENCE
    if columns.answers and not answers:
        raise record.error(
            f"has no answer in column “{shorten(columns.answers)}” (write “{UNANSWERABLE}” where the corpus has none)"
        )
    return answers, gold, ""


class SeparatorCount:
    """Counts the cells that hold a usual separator other than the one in use."""

    def __init__(self, separator: str) -> None:
        self._counts = {sign: 0 for sign in USUAL_SEPARATORS if sign != separator}

    def count(self, value: object) -> None:
        """Count a cell. Lists and JSON lists need no separator."""
        if isinstance(value, str) and not _is_json_list(cleaned(value)):
            for sign in self._counts:
                self._counts[sign] += sign in value

    def warnings(self) -> tuple[str, ...]:
        """Return a sentence for each such separator."""
        return tuple(
            f"{count:,} answer {'cell holds' if count == 1 else 'cells hold'} “{sign}”, which is not the "
            "separator: what it separates counts as one answer."
            for sign, count in self._counts.items()
            if count
        )


def _is_unanswerable(texts: Sequence[str]) -> bool:
    return len(texts) == 1 and texts[0].casefold() == UNANSWERABLE


def _is_json_list(cell: str) -> bool:
    return cell.startswith("[") and cell.endswith("]")


def _mark(record: Record, column: str) -> bool:
    """Whether the row is marked in a column. Raises DataError for a value that is neither yes nor no."""
    value = record.values[column]
    word = "" if value is None else cleaned(str(value)).casefold()
    if word not in MARKS:
        raise record.error(f"has “{shorten(value)}” in column “{shorten(column)}”, which is neither yes nor no")
    return MARKS[word]


def _check_columns(record: Record, columns: Columns) -> None:
    for name in (columns.question, columns.answers, columns.id, columns.language, columns.gold, columns.unanswerable):
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
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return unique_texts([entry.text("text") for entry in record.records(column)])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (str(value),)
    if not isinstance(value, str):
        return record.texts(column) if value is not None else ()
    cell = cleaned(value)
    if _is_json_list(cell):
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


def _read(
    path: Path, *, languages: Sequence[str] = (), sheet: str = "", corpus: Corpus | None = None, **columns: Any
) -> Collection:
    return read_table(path, Columns(**columns), languages=languages, sheet=sheet, corpus=corpus)


def _column(name: str, title: str, text: str, **others: Any) -> ImportOption:
    return ImportOption(name=name, kind="column", title=title, help=text, **others)


COLUMNS = (
    _column("question", "Question column", "The column with the question.", default="question", required=True),
    _column("answers", "Answers column", "The column with the gold answers.", suggested="answers"),
    _column("id", "ID column", "The column with the question's id. Default: the row's number.", suggested="id"),
    _column("language", "Language column", "The column with the language's code.", flag="--language-column"),
    ImportOption(
        name="separator",
        kind="text",
        title="Answer separator",
        help="What separates several answers or gold passages in one cell; nothing where each cell holds one.",
        default=SEPARATOR,
        placeholder="nothing",
    ),
    _column(
        "unanswerable",
        "Unanswerable column",
        "The column that says, by yes or no, whether the corpus has no answer. The word “unanswerable” in the answers "
        "column does too.",
    ),
)
"""The options that become `Columns`."""
ROW_LANGUAGES = replace(
    LANGUAGES,
    title="Language of all rows",
    help="The language of all rows; where a column states it, the languages to import, or all.",
)
FORMAT = DatasetFormat(
    name="table",
    title="Table with your own columns: CSV, TSV, JSON lines, Excel",
    description="One question per row, with answers where a column has them.",
    source=Files(("csv", "tsv", "jsonl", "xlsx", "gz")),
    options=(
        ROW_LANGUAGES,
        *COLUMNS,
        _column(
            "gold", "Gold passage IDs column", "The column with ids of gold passages; needs their corpus.", folded=True
        ),
        ImportOption(
            name="corpus",
            kind="corpus",
            title="Corpus of the gold passages",
            help="The corpus that contains the gold passages.",
            needs="gold",
            required=True,
        ),
        ImportOption(
            name="sheet",
            kind="text",
            title="Sheet",
            ending=".xlsx",
            help="The sheet of an .xlsx workbook, by the name on its tab. Default: the first.",
            placeholder="first sheet",
        ),
    ),
    read=_read,
    rows=table_rows,
)
