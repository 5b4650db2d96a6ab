"""`import table` and `import hub`: rows of any table under a mapping that says which column is what."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.commands.imports_shared import File, Langs, Limit, Name, Seed, take
from workbench.commands.shared import Json, open_workbench
from workbench.errors import UsageError

QuestionColumn = Annotated[str, typer.Option("--question", help="The column with the question.")]
AnswersColumn = Annotated[str, typer.Option("--answers", help="The column with the gold answers.")]
IdColumn = Annotated[str, typer.Option("--id", help="The column with the question's id; the row's number without it.")]
LanguageColumn = Annotated[str, typer.Option("--language-column", help="The column with the language's code.")]
Separator = Annotated[str, typer.Option(help="What parts several answers in one cell, such as “|”.")]
TableLangs = Annotated[
    list[str] | None,
    typer.Option("--lang", help="The language of all rows, or with --language-column those to take, repeated."),
]


def register(imports: typer.Typer) -> None:
    """Adds the verbs."""
    imports.command("table")(table)
    imports.command("hub")(hub)


def table(
    file: File,
    name: Name,
    lang: TableLangs = None,
    question: QuestionColumn = "question",
    answers: AnswersColumn = "",
    id: IdColumn = "",
    language_column: LanguageColumn = "",
    gold: Annotated[str, typer.Option(help="The column with ids of gold passages; needs --corpus.")] = "",
    corpus: Annotated[str, typer.Option(help="The corpus in which the gold passages lie.")] = "",
    separator: Separator = "",
    sheet: Annotated[str, typer.Option(help="The sheet of an .xlsx workbook; its first without it.")] = "",
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """A CSV, TSV, JSON-lines or Excel file: questions, and answers where a column has them."""
    from dataclasses import replace

    from workbench.datasets.formats.table import Columns, read_table
    from workbench.datasets.importing import lost_from

    if bool(gold) != bool(corpus):
        raise UsageError("Gold passages need both the column and their corpus: --gold COLUMN --corpus NAME")
    code, wanted = _languages(lang, language_column)
    columns = Columns(question, answers, id, language_column, gold, separator)
    lost = lost_from(open_workbench().library, corpus) if corpus else None
    read = read_table(file, columns, code=code, wanted=wanted, sheet=sheet, lost=lost)
    take(replace(read, corpus=corpus), name, limit, seed, as_json=as_json)


def hub(
    dataset: Annotated[str, typer.Argument(help="The dataset's name on the Hugging Face hub.")],
    name: Name,
    lang: TableLangs = None,
    config: Annotated[str, typer.Option(help="The dataset's configuration, where it has several.")] = "",
    split: Annotated[str, typer.Option(help="The split to take.")] = "test",
    question: QuestionColumn = "question",
    answers: AnswersColumn = "",
    id: IdColumn = "",
    language_column: LanguageColumn = "",
    separator: Separator = "",
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """A dataset of the Hugging Face hub, fetched now: questions, and answers where a column has them."""
    from workbench.datasets.formats.hub import read_hub
    from workbench.datasets.formats.table import Columns

    code, wanted = _languages(lang, language_column)
    columns = Columns(question, answers, id, language_column, separator=separator)
    read = read_hub(dataset, columns, config=config, split=split, code=code, wanted=wanted)
    take(read, name, limit, seed, as_json=as_json)


def _languages(lang: Langs, language_column: str) -> tuple[str, list[str]]:
    """The language of all rows, or else the languages to take of a column."""
    given = lang or []
    if language_column:
        return "", given
    if len(given) > 1:
        raise UsageError(
            "A table without --language-column is in one language: give --lang once, for example: --lang fi"
        )
    return (given[0] if given else ""), []
