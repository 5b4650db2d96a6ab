"""`demonstrations`: have a strong model write them, review them, and take them out as a file and in again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.drafts import print_written, review_verb
from workbench.cli.shared import Json, check_writable, open_workbench, progress, say
from workbench.core import unknown_name

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.jobs import DemonstrationDraft, DemonstrationKind, DemonstrationStore

SetName = Annotated[str, typer.Argument(metavar="NAME", help="The set's name.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="drag, rag or translation; repeat for several.")]
Languages = Annotated[list[str] | None, typer.Option("--lang", help="A language; repeat for several. Default: all.")]
Evaluation = Annotated[
    list[str] | None,
    typer.Option(help="A dataset whose questions are kept for evaluation, in all languages; repeat for several."),
]


def register(group: typer.Typer) -> None:
    """Adds the verbs to their group."""
    group.command("write")(demonstrations_write)
    group.command("review")(review_verb(_store, _print_draft, "demonstrations with what became of them by language"))
    group.command("export")(demonstrations_export)
    group.command("import")(demonstrations_import)


def demonstrations_write(
    name: SetName,
    dataset: Annotated[str, typer.Option(help="The dataset whose questions are answered.")],
    judge: Annotated[str, typer.Option(help="The model that judges each answer, or: none.")],
    generator: Annotated[
        str, typer.Option(help="The strong model that answers, or the built-in reader: extractive.")
    ] = "extractive",
    kind: Kinds = None,
    lang: Languages = None,
    per_language: Annotated[int, typer.Option(help="Questions of each language.")] = 100,
    corpus: Annotated[str, typer.Option(help="The corpus to search. Default: the dataset's.")] = "",
    scope: Annotated[
        list[str] | None, typer.Option(help="Languages searched: en, ul, en+ul or all; repeat for several.")
    ] = None,
    k: Annotated[list[int] | None, typer.Option(help="Documents read; repeat for several.")] = None,
    seed: Annotated[int, typer.Option(help="Another seed draws other questions.")] = 0,
    holdout: Annotated[
        float, typer.Option("--held-out", help="Share of the questions that becomes the dataset NAME-evaluation.")
    ] = 0.0,
    evaluation: Evaluation = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show calls and hosts; send nothing.")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Write in the background and return immediately.")] = False,
    as_json: Json = False,
) -> None:
    """Have demonstrations written, checked and judged; repeated, the command continues."""
    from workbench.components import checked_judge
    from workbench.jobs import DemonstrationJobs, DemonstrationRequest, DemonstrationWriting, checked_checker

    bench = open_workbench()
    request = DemonstrationRequest(
        dataset,
        corpus,
        checked_checker(generator),
        checked_judge("" if judge == "none" else judge),
        _kinds(kind) or ("drag",),
        tuple(sorted(set(lang or ()))),
        per_language,
        tuple(dict.fromkeys(scope or ("all",))),
        tuple(dict.fromkeys(k or (5,))),
        seed,
        holdout,
        tuple(sorted(set(evaluation or ()))),
    )
    if detach:
        print(DemonstrationJobs(bench.settings).start(name, request))
        return
    writing = DemonstrationWriting(bench, name, request, progress())
    say(writing.sentence)
    if not preview:
        print_written(writing.store, name, writing.write(progress()), as_json=as_json)


def demonstrations_export(
    name: SetName,
    out: Annotated[Path, typer.Option(help="The file to write, for example: demonstrations.jsonl")],
    kind: Kinds = None,
    lang: Languages = None,
    prompt: Annotated[
        str, typer.Option(help="The prompt before answers by D-RAG: that of plain RAG, or its own: drag.")
    ] = "rag",
    without: Annotated[
        list[str] | None, typer.Option(help="A part of D-RAG's to leave out, such as explanation; repeat for several.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="D-RAG's parts before the answer in random order.")] = False,
    seed: Annotated[int, typer.Option(help="With --mixed: another seed gives another order.")] = 0,
    reviewed: Annotated[bool, typer.Option("--reviewed", help="Only what a person accepted.")] = False,
    paired: Annotated[
        bool, typer.Option("--paired", help="Only what was demonstrated by D-RAG and by plain RAG.")
    ] = False,
) -> None:
    """Write a set's demonstrations as JSON lines, as trl reads them; rejected ones are left out."""
    from workbench.data import DatasetLibrary
    from workbench.experiments import counted
    from workbench.jobs import FileChoices, demonstrations_of, write_demonstrations
    from workbench.workspace import write_text

    check_writable(out, "demonstrations.jsonl")
    choices = FileChoices(_kinds(kind), lang or (), prompt, without or (), mixed, seed, reviewed, paired)
    bench = open_workbench()
    library = DatasetLibrary(bench.settings.datasets)
    demonstrations = list(demonstrations_of(_store(bench), library, name, choices))
    write_text(out, write_demonstrations(demonstrations))
    groups = len({(item.dataset, item.group) for item in demonstrations})
    say(f"Written to {out}: {counted(len(demonstrations), 'demonstration')} of {counted(groups, 'question')}.")


def demonstrations_import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of demonstrations as JSON lines.")],
    name: Annotated[str, typer.Option(help="The set's name.")],
    evaluation: Evaluation = None,
) -> None:
    """Import a file of demonstrations as a set; refused where a question of it is evaluated, or a translation of it."""
    from workbench.data import DatasetLibrary
    from workbench.experiments import counted
    from workbench.jobs import import_demonstrations

    bench = open_workbench()
    library = DatasetLibrary(bench.settings.datasets)
    count = import_demonstrations(_store(bench), library, file, name, evaluation or ())
    say(f"The set “{name}” has {counted(count, 'demonstration')}.")


def _kinds(names: list[str] | None) -> tuple[DemonstrationKind, ...]:
    from workbench.jobs import DEMONSTRATION_KINDS

    for name in names or ():
        if name not in DEMONSTRATION_KINDS:
            raise unknown_name("kind of demonstration", name, DEMONSTRATION_KINDS)
    return tuple(kind for kind in DEMONSTRATION_KINDS if kind in (names or ()))


def _print_draft(item: DemonstrationDraft) -> None:
    print(f"{item.number}\t{item.kind}\t{item.language}\t{item.status}\t{item.question}")
    print(f"\t{item.reason or item.text}".replace("\n", "\n\t"))


def _store(bench: Workbench) -> DemonstrationStore:
    from workbench.jobs import DemonstrationStore
    from workbench.workspace import opened_store

    return DemonstrationStore(opened_store(bench.settings.database_url), bench.registry.identifier)
