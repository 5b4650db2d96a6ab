"""What the `import` verbs share: their options, importing a collection, and reporting the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import open_workbench, print_json, progress, say

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.data import Collection, Existing as Decision, ImportResult

File = Annotated[Path, typer.Argument(help="The file, plain or gzipped.")]
Folder = Annotated[Path, typer.Argument(help="The folder with the files.")]
Name = Annotated[str, typer.Option(help="Name of the dataset, and of the corpus where there is one.")]
Langs = Annotated[
    list[str] | None, typer.Option("--lang", help="A language to import; repeat for several. Default: all.")
]
Limit = Annotated[int | None, typer.Option(help="Questions to import per language, the same ids where parallel.")]
Existing = Annotated[
    bool | None,
    typer.Option(
        "--replace/--add",
        help="Where the dataset already has questions in a language of the files: replace them, or add to them.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed that picks the questions under --limit.")]
QuestionsOnly = Annotated[bool, typer.Option("--questions-only", help="Build no corpus; gold passages are dropped.")]


def import_and_report(
    collection: Collection, name: str, limit: int | None, seed: int, replace: bool | None, *, as_json: bool
) -> None:
    """Imports a collection under `name` and reports the result.

    `replace` is what becomes of questions that are there already. Raises UsageError where it is None and there are.
    """
    from workbench.data import DatasetLibrary, import_collection

    bench = open_workbench()
    library = DatasetLibrary(bench.settings.datasets)
    result = import_collection(
        bench.library,
        library,
        collection,
        name,
        limit=limit,
        seed=seed,
        existing=decision(replace),
        progress=progress(),
    )
    report(result, as_json=as_json)


def decision(replace: bool | None) -> Decision:
    """What `--replace/--add` means for the import."""
    return "" if replace is None else "replace" if replace else "add"


def report(result: ImportResult, *, as_json: bool) -> None:
    """Prints languages and counts of what was imported, what was left out, and how to search it by meaning."""
    if as_json:
        corpus = result.corpus.model_dump(mode="json") if result.corpus else None
        print_json(
            {
                "corpus": corpus,
                "questions": result.dataset.languages,
                "left_out": dict(result.left_out),
                "warnings": [*result.warnings],
            }
        )
        return
    if result.corpus:
        languages = ", ".join(sorted(result.corpus.languages))
        print(f"Corpus “{result.corpus.name}”: {result.corpus.passages:,} passages in {languages}.")
    counts = ", ".join(f"{code} {count:,}" for code, count in result.dataset.languages.items())
    print(f"Dataset “{result.dataset.name}”: {counts} questions{', parallel' if result.dataset.parallel else ''}.")
    for warning in result.warnings:
        say(warning)
    for reason, count in result.left_out.items():
        say(f"Left out: {count:,} {reason}.")
    if result.corpus:
        for line in index_hints(open_workbench(), result.corpus.name):
            say(line)


def index_hints(bench: Workbench, name: str) -> list[str]:
    """A line for each encoder that would index the corpus called `name` on demand: the command, and how long it takes.

    The time is that of earlier indexing in this workspace; without any it is told once the indexing has begun.
    """
    from workbench.components import index_command
    from workbench.jobs import installed_on_demand, seconds_for
    from workbench.workspace import duration_words

    corpus = bench.corpus(name)
    lines = []
    for encoder in installed_on_demand():
        if not bench.registry.is_indexed(corpus, encoder):
            seconds = seconds_for(bench.settings.home, encoder, corpus)
            time = "" if seconds is None else f", which takes about {duration_words(seconds)}"
            lines.append(f"For search by meaning{time}: {index_command(name, encoder)}")
    return lines
