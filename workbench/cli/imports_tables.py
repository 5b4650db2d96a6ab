"""`import table` and `import hub`: rows of any table, by a mapping from columns to fields."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from workbench.cli.imports_shared import Existing, File, Langs, Limit, Name, Seed, import_and_report
from workbench.cli.shared import Json, open_workbench
from workbench.core import UsageError

SEPARATOR = "|"

QuestionColumn = Annotated[str, typer.Option("--question", help="The column with the question.")]
AnswersColumn = Annotated[str, typer.Option("--answers", help="The column with the gold answers.")]
IdColumn = Annotated[str, typer.Option("--id", help="The column with the question's id. Default: the row's number.")]
LanguageColumn = Annotated[str, typer.Option("--language-column", help="The column with the language's code.")]
Separator = Annotated[str, typer.Option(help='What separates several answers in one cell; "" for nothing.')]
UnanswerableColumn = Annotated[
    str, typer.Option("--unanswerable", help="The column that marks questions that the corpus does not answer.")
]
TableLangs = Annotated[
    list[str] | None,
    typer.Option(
        "--lang", help="The language of all rows; with --language-column, a language to import; repeat for several."
    ),
]


def register(imports: typer.Typer) -> None:
    """Adds the verbs to their group."""
    imports.command("table")(table)
    imports.command("hub")(hub)


def table(
    file: File,
    name: Name,
    lang: TableLangs = None,
    question: QuestionColumn = "question",
    answers: AnswersColumn = "",
    id_column: IdColumn = "",
    language_column: LanguageColumn = "",
    gold: Annotated[str, typer.Option(help="The column with ids of gold passages; needs --corpus.")] = "",
    corpus: Annotated[str, typer.Option(help="The corpus that contains the gold passages.")] = "",
    separator: Separator = SEPARATOR,
    unanswerable: UnanswerableColumn = "",
    sheet: Annotated[str, typer.Option(help="The sheet of an .xlsx workbook. Default: the first.")] = "",
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import a CSV, TSV, JSON-lines or Excel file: questions, and answers where a column has them."""
    from workbench.data import Columns, passages_missing_from, read_table

    if bool(gold) != bool(corpus):
        raise UsageError("Gold passages need both the column and their corpus: --gold COLUMN --corpus NAME")
    language, languages = _languages(lang, language_column)
    columns = Columns(question, answers, id_column, language_column, gold, separator, unanswerable)
    missing = passages_missing_from(open_workbench().library, corpus) if corpus else None
    collection = read_table(
        file, columns, language=language, languages=languages, sheet=sheet, missing_passages=missing
    )
    import_and_report(dataclasses.replace(collection, corpus=corpus), name, limit, seed, replace, as_json=as_json)


def hub(
    dataset: Annotated[str, typer.Argument(help="The dataset's name on the Hugging Face hub.")],
    name: Name,
    lang: TableLangs = None,
    config: Annotated[str, typer.Option(help="The dataset's configuration, where it has several.")] = "",
    split: Annotated[str, typer.Option(help="The split to import.")] = "test",
    question: QuestionColumn = "question",
    answers: AnswersColumn = "",
    id_column: IdColumn = "",
    language_column: LanguageColumn = "",
    separator: Separator = SEPARATOR,
    unanswerable: UnanswerableColumn = "",
    limit: Limit = None,
    seed: Seed = 0,
    replace: Existing = None,
    as_json: Json = False,
) -> None:
    """Import a dataset of the Hugging Face hub, downloaded now: questions, and answers where a column has them."""
    from workbench.data import Columns, read_hub

    language, languages = _languages(lang, language_column)
    columns = Columns(question, answers, id_column, language_column, separator=separator, unanswerable=unanswerable)
    collection = read_hub(dataset, columns, config=config, split=split, language=language, languages=languages)
    import_and_report(collection, name, limit, seed, replace, as_json=as_json)


def _languages(lang: Langs, language_column: str) -> tuple[str, list[str]]:
    """The language of all rows, or else the languages to import from a column. Raises UsageError."""
    codes = lang or []
    if language_column:
        return "", codes
    if len(codes) > 1:
        raise UsageError(
            "A table without --language-column is in one language: give --lang once, for example: --lang fi"
        )
    return (codes[0] if codes else ""), []
