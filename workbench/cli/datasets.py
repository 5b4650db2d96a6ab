"""`datasets`: list, show, rename and delete them; write questions from a corpus's passages, and review them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.drafts import print_written, review_verb
from workbench.cli.shared import (
    Confirmed,
    Json,
    counts_text,
    open_workbench,
    print_json,
    print_result,
    progress,
    say,
)
from workbench.core import UsageError
from workbench.workspace import settings

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.data import DatasetInfo
    from workbench.jobs import Draft, DraftStore


SHOWN = 10
"""Questions that `datasets show` prints unless --limit says otherwise."""

DatasetName = Annotated[str, typer.Argument(metavar="NAME", help="A dataset's name, from: datasets list")]


def register(datasets: typer.Typer) -> None:
    """Adds the verbs to their group."""
    datasets.command("list")(datasets_list)
    datasets.command("show")(datasets_show)
    datasets.command("rename")(datasets_rename)
    datasets.command("delete")(datasets_delete)
    datasets.command("write")(datasets_write)
    datasets.command("review")(review_verb(_store, _print_draft, "written questions with their passages"))
    datasets.command("create")(datasets_create)


def datasets_list(as_json: Json = False) -> None:
    """List every dataset with its corpus and its questions by language."""
    from dataclasses import asdict

    from workbench.data import DatasetLibrary

    library = DatasetLibrary(settings.load().datasets)
    datasets = library.list()
    for name in library.damaged():
        say(f"The dataset “{name}” is damaged: import it again under the same name.")
    print_result(
        [asdict(item) for item in datasets],
        (f"{item.name}\t{_corpus(item)}\t{_counts(item)}" for item in datasets),
        as_json=as_json,
    )


def datasets_show(
    name: DatasetName,
    lang: Annotated[str, typer.Option(help="Only questions in this language.")] = "",
    search: Annotated[str, typer.Option(help="Only questions with all of these words, in any script.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many to print.")] = SHOWN,
    skip: Annotated[int, typer.Option(min=0, help="How many to skip first.")] = 0,
    as_json: Json = False,
) -> None:
    """Show a dataset's languages and sources, and its questions with their golds."""
    from dataclasses import asdict

    from workbench.data import DatasetLibrary, question_page

    library = DatasetLibrary(settings.load().datasets)
    info = library.info(name)
    page = question_page(library, name, language=lang, search=search, start=skip, limit=limit)
    if as_json:
        print_json(
            {**asdict(info), "matches": page.total, "questions": [question.to_stored() for question in page.questions]}
        )
        return
    print(f"{info.name}\t{_corpus(info)}\t{_counts(info)}")
    if info.evaluation:
        print("Kept for evaluation: nothing is tuned on its questions.")
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
    return counts_text(item.languages)


SetName = Annotated[str, typer.Argument(metavar="NAME", help="The set's name, which becomes the dataset's.")]


def datasets_write(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="The corpus to write questions from.")],
    name: SetName,
    generator: Annotated[str, typer.Option(help="The generator that writes, such as openai-like:MODEL@ENDPOINT.")],
    per_language: Annotated[int, typer.Option(help="Passages of each language.")] = 20,
    seed: Annotated[int, typer.Option(help="Another seed draws other passages.")] = 0,
    lang: Annotated[
        list[str] | None, typer.Option("--lang", help="A language of the passages; repeat for several. Default: all.")
    ] = None,
    checker: Annotated[
        str,
        typer.Option(help="What checks that the passage answers the question: a generator, or the built-in reader."),
    ] = "extractive",
    copied: Annotated[
        float, typer.Option(min=0, max=1, help="The largest share of a question that may be copied from its passage.")
    ] = 0.75,
    preview: Annotated[bool, typer.Option("--preview", help="Show calls, cost and hosts; send nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Write questions from passages, filter them, and store them for review; repeated, the command continues."""
    from workbench.jobs import QuestionWriting, WritingRequest, checked_checker, checked_writer

    bench = open_workbench()
    request = WritingRequest(
        corpus,
        checked_writer(generator),
        checked_checker(checker),
        tuple(sorted(set(lang or ()))),
        per_language,
        seed,
        wording_bound=copied,
    )
    writing = QuestionWriting(bench, name, request, progress())
    say(writing.sentence)
    if preview:
        if as_json:
            print_json(asdict(writing.plan))
        return
    print_written(writing.store, name, writing.write(progress()), as_json=as_json)


def datasets_create(name: SetName, as_json: Json = False) -> None:
    """Make a dataset of the accepted questions; repeat it after more were reviewed."""
    from workbench.data import DatasetLibrary
    from workbench.jobs import create_dataset

    bench = open_workbench()
    store = _store(bench)
    draft_set = store.set_called(name)
    corpus = bench.corpus(draft_set.request.corpus)
    result = create_dataset(store, draft_set, corpus, DatasetLibrary(bench.settings.datasets))
    if as_json:
        print_json(asdict(result))
    else:
        counts = counts_text(result.dataset.languages)
        print(f"{name}\tcorpus {result.dataset.corpus}\t{counts}")
    if result.without_passage:
        say(f"{result.without_passage:,} accepted questions are left out: the corpus no longer has their passage.")


def _store(bench: Workbench) -> DraftStore:
    from workbench.jobs import DraftStore
    from workbench.workspace import opened_store

    return DraftStore(opened_store(bench.settings.database_url))


def _print_draft(item: Draft) -> None:
    print(f"{item.number}\t{item.language}\t{item.status}\t{item.question}\t{item.answer}\t{item.passage}")
    if item.reason:
        print(f"\t{item.reason}")
