"""What the `import` verbs share: their options, taking a collection in, and saying what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import open_workbench, print_json, progress, say

if TYPE_CHECKING:
    from workbench.datasets.collection import Collection
    from workbench.datasets.importing import Imported

File = Annotated[Path, typer.Argument(help="The file, plain or gzipped.")]
Folder = Annotated[Path, typer.Argument(help="The folder with the files.")]
Name = Annotated[str, typer.Option(help="Name of the dataset, and of the corpus where there is one.")]
Langs = Annotated[
    list[str] | None, typer.Option("--lang", help="A language to take, repeated for several; all where left out.")
]
Limit = Annotated[int | None, typer.Option(help="Questions to take of each language, the same ids where parallel.")]
Seed = Annotated[int, typer.Option(help="Which questions --limit takes.")]
QuestionsOnly = Annotated[bool, typer.Option("--questions-only", help="Build no corpus; gold passages are dropped.")]


def take(collection: Collection, name: str, limit: int | None, seed: int, *, as_json: bool) -> None:
    """Takes a collection in under `name` and says what came of it."""
    from workbench.datasets.dataset_library import DatasetLibrary
    from workbench.datasets.importing import import_collection

    bench = open_workbench()
    library = DatasetLibrary(bench.settings.datasets)
    done = import_collection(bench.library, library, collection, name, limit=limit, seed=seed, progress=progress())
    report(done, as_json=as_json)


def report(done: Imported, *, as_json: bool) -> None:
    """Languages and counts of what was taken, and what was left out."""
    if as_json:
        corpus = done.corpus.model_dump(mode="json") if done.corpus else None
        print_json({"corpus": corpus, "questions": done.dataset.languages, "left_out": dict(done.left_out)})
        return
    if done.corpus:
        counts = ", ".join(sorted(done.corpus.languages))
        print(f"Corpus “{done.corpus.name}”: {done.corpus.passages:,} passages in {counts}.")
    counts = ", ".join(f"{code} {count:,}" for code, count in done.dataset.languages.items())
    print(f"Dataset “{done.dataset.name}”: {counts} questions{', parallel' if done.dataset.parallel else ''}.")
    for reason, count in done.left_out.items():
        say(f"Left out: {count:,} {reason}.")
