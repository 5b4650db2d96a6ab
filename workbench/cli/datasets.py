"""`datasets`: list, show, rename and delete them; write them in `question_writing`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import question_writing
from workbench.cli.shared import Json, open_workbench, print_json, say
from workbench.core import UsageError
from workbench.workspace import settings

if TYPE_CHECKING:
    from workbench.core import Question
    from workbench.data import DatasetInfo

SHOWN = 10
"""Questions that `datasets show` prints unless --limit says otherwise."""

DatasetName = Annotated[str, typer.Argument(metavar="NAME", help="A dataset's name, from: datasets list")]
Confirmed = Annotated[bool, typer.Option("--yes", help="Delete it; without this option nothing is deleted.")]


def register(datasets: typer.Typer) -> None:
    """Adds the verbs to their group."""
    datasets.command("list")(datasets_list)
    datasets.command("show")(datasets_show)
    datasets.command("rename")(datasets_rename)
    datasets.command("delete")(datasets_delete)
    question_writing.register(datasets)


def datasets_list(as_json: Json = False) -> None:
    """List every dataset with its corpus and its questions by language."""
    from dataclasses import asdict

    from workbench.data import DatasetLibrary

    library = DatasetLibrary(settings.load().datasets)
    datasets = library.list()
    for name in library.damaged():
        say(f"The dataset “{name}” is damaged: import it again under the same name.")
    if as_json:
        print_json([asdict(item) for item in datasets])
        return
    for item in datasets:
        print(f"{item.name}\t{_corpus(item)}\t{_counts(item)}")


def datasets_show(
    name: DatasetName,
    lang: Annotated[str, typer.Option(help="Only questions in this language.")] = "",
    search: Annotated[str, typer.Option(help="Only questions with all of these words, in any script.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Questions that are printed.")] = SHOWN,
    skip: Annotated[int, typer.Option(min=0, help="Questions before them that are not.")] = 0,
    as_json: Json = False,
) -> None:
    """Show a dataset's languages and sources, and its questions with their golds."""
    from dataclasses import asdict

    from workbench.data import DatasetLibrary, question_page

    library = DatasetLibrary(settings.load().datasets)
    info = library.info(name)
    page = question_page(library, name, language=lang, search=search, start=skip, limit=limit)
    if as_json:
        print_json({**asdict(info), "matches": page.total, "questions": [_plain(item) for item in page.questions]})
        return
    print(f"{info.name}\t{_corpus(info)}\t{_counts(info)}")
    for label, text in (("Source", info.source), ("Licence", info.licence), ("About", info.description)):
        if text:
            print(f"{label}: {text}")
    for item in page.questions:
        golds = " | ".join(item.answers) or ("no answer in the corpus" if item.evidence_in == "none" else "no gold")
        print(f"{item.id}\t{item.language}\t{item.text}\t{golds}\t{' '.join(item.gold)}".rstrip())
    say(f"{len(page.questions):,} of {page.total:,} questions.")


def datasets_rename(
    name: DatasetName, new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")]
) -> None:
    """Rename a dataset; its corpus keeps its name."""
    from workbench.experiments import rename_dataset

    effect = rename_dataset(open_workbench(), name, new)
    say(f"The dataset “{name}” is now called “{new}”. {effect}".strip())


def datasets_delete(name: DatasetName, yes: Confirmed = False) -> None:
    """Delete a dataset with its questions; its corpus stays."""
    from workbench.data import DatasetLibrary
    from workbench.experiments import dataset_use, delete_dataset

    bench = open_workbench()
    DatasetLibrary(bench.settings.datasets).check_removable(name)
    if not yes:
        effect = dataset_use(bench, name).effect
        words = f"The dataset “{name}” and its questions would be deleted. {effect}".strip()
        raise UsageError(f"{words} To do so, add --yes")
    say(f"The dataset “{name}” is deleted. {delete_dataset(bench, name)}".strip())


def _corpus(item: DatasetInfo) -> str:
    return f"corpus {item.corpus}" if item.corpus else "no corpus"


def _counts(item: DatasetInfo) -> str:
    return " ".join(f"{code}:{count}" for code, count in item.languages.items())


def _plain(question: Question) -> dict[str, Any]:
    return question.to_stored()
