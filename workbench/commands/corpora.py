"""`corpora`: list, index, rename and delete them."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from workbench.commands.shared import Json, open_workbench, print_json, progress, say
from workbench.errors import UsageError


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
) -> None:
    """Add an encoder's index to a corpus; without --encoder, rebuild its own, as after an update of the workbench."""
    if encoder is not None:
        from workbench.components.reference import check_name

        bench = open_workbench()
        kind: Literal["sparse", "dense"] = "sparse" if sparse else "dense"
        check_name(encoder, "encoder")
        corpus = bench.corpus(name, progress())
        if host := bench.registry.host(encoder):
            say(f"Texts are sent to {host}.")
        bench.registry.index(corpus, encoder, kind, progress())
        say(f"Corpus “{name}” is indexed by {encoder}.")
        return
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
