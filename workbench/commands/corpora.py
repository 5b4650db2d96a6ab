"""`corpora`: list, index, rename and delete them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from workbench.commands.shared import Json, open_workbench, print_json, progress, say
from workbench.errors import UsageError, WorkbenchError

if TYPE_CHECKING:
    from workbench.corpora.corpus_library import Corpus
    from workbench.indexing.index_status import IndexStatus
    from workbench.workspace.workbench import Workbench


def register(corpora: typer.Typer) -> None:
    """Adds the verbs to their group."""
    corpora.command("list")(corpora_list)
    corpora.command("index")(corpora_index)
    corpora.command("rename")(corpora_rename)
    corpora.command("delete")(corpora_delete)


def corpora_list(as_json: Json = False) -> None:
    """List every corpus with its passages by language."""
    bench = open_workbench()
    bench.corpus("sample", progress())
    manifests = bench.library.list()
    for name in bench.library.damaged():
        say(f"The manifest of corpus “{name}” is damaged: import the corpus again under the same name.")
    if as_json:
        print_json([manifest.model_dump(mode="json") for manifest in manifests])
        return
    for manifest in manifests:
        counts = " ".join(f"{code}:{count}" for code, count in manifest.languages.items())
        print(f"{manifest.name}\t{manifest.passages:,} passages\t{counts}")


def corpora_index(
    name: Annotated[str, typer.Argument(help="The corpus to index.")],
    encoder: Annotated[
        str | None, typer.Option(help="The encoder whose index is added: a known one or adapter:MODEL.")
    ] = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Index the encoder's learned sparse vectors.")] = False,
    centring: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="How much of its language's mean is taken out of a vector."),
    ] = None,
    sentences: Annotated[
        bool | None, typer.Option("--sentences/--no-sentences", help="Index every sentence, too.")
    ] = None,
) -> None:
    """Add an encoder's index to a corpus, resuming one that began; without --encoder, rebuild its own."""
    if encoder is not None:
        from workbench.components.reference import check_name

        bench = open_workbench()
        check_name(encoder, "encoder")
        corpus = bench.corpus(name, progress())
        if host := bench.registry.host(encoder):
            say(f"Texts are sent to {host}.")
        if sparse or centring is not None or sentences is not None:
            kind: Literal["sparse", "dense"] = "sparse" if sparse else "dense"
            bench.registry.index(corpus, encoder, kind, progress(), centring=centring, sentences=sentences)
        else:
            _index_in_front(bench, corpus, encoder)
        say(f"Corpus “{name}” is indexed by {encoder}.")
        return
    if centring is not None or sentences is not None:
        raise UsageError("--centring and --sentences are for an encoder's index: add --encoder NAME")
    if sparse:
        raise UsageError("The built-in encoder gives no sparse vectors. Use one that does: --encoder bge-m3 --sparse")
    manifest = open_workbench().library.index(name, progress())
    print(f"Corpus “{name}”: {manifest.passages:,} passages indexed.", file=sys.stderr)


def corpora_rename(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A corpus's name, from: corpora list")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")],
) -> None:
    """Rename a corpus, for the datasets over it too; recipes can use the former name until another corpus does."""
    from workbench.experiments.data_changes import rename_library_corpus

    effect = rename_library_corpus(open_workbench(), name, new)
    say(f"The corpus “{name}” is now called “{new}”. {effect}".strip())


def corpora_delete(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A corpus's name, from: corpora list")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete it; without this option nothing is deleted.")] = False,
) -> None:
    """Delete a corpus with its indexes; refused while a dataset has its gold passages in it."""
    from workbench.experiments.data_changes import corpus_use, delete_corpus

    bench = open_workbench()
    bench.library.check_removable(name)
    if not yes:
        effect = corpus_use(bench, name).effect
        words = f"The corpus “{name}” and its indexes would be deleted. {effect}".strip()
        raise UsageError(f"{words} To do so, add --yes")
    say(f"The corpus “{name}” is deleted. {delete_corpus(bench, name)}".strip())


def _index_in_front(bench: Workbench, corpus: Corpus, encoder: str) -> None:
    """Indexes a corpus, resuming what a job began, with its progress on stderr; follows a job that is at work.

    Raises WorkbenchError where somebody else stopped it, and what the encoder raises.
    """
    from workbench.indexing.index_building import IndexingStopped, build_now
    from workbench.indexing.index_status import now

    latest = ""

    def show(status: IndexStatus) -> None:
        nonlocal latest
        left = status.left_words(now()) if status.state == "running" else ""
        line = f"encoding {status.done:,}/{status.total:,}{f', {left} left' if left else ''}"
        if status.active and line != latest:
            latest = line
            say(line)

    name = corpus.manifest.name
    try:
        build_now(bench, name, encoder, watch=show)
    except IndexingStopped as error:
        raise WorkbenchError(
            f"Indexing “{name}” by {encoder} was stopped from elsewhere. What was encoded is kept.",
            command=f"Go on: corpora index {name} --encoder {encoder}",
        ) from error
