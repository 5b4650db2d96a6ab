"""`corpora` and `datasets`: list them, and index a corpus."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from workbench import settings
from workbench.commands.shared import Json, open_workbench, print_json, progress, say
from workbench.errors import UsageError


def register(corpora: typer.Typer, datasets: typer.Typer) -> None:
    """Adds the verbs to their groups."""
    corpora.command("list")(corpora_list)
    corpora.command("index")(corpora_index)
    datasets.command("list")(datasets_list)


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


def datasets_list(as_json: Json = False) -> None:
    """List every dataset with its corpus and its questions by language."""
    from dataclasses import asdict

    from workbench.datasets.dataset_library import DatasetLibrary

    library = DatasetLibrary(settings.load().datasets)
    datasets = library.list()
    for name in library.damaged():
        say(f"The dataset “{name}” is damaged: import it again under the same name.")
    if as_json:
        print_json([asdict(item) for item in datasets])
        return
    for item in datasets:
        counts = " ".join(f"{code}:{count}" for code, count in item.languages.items())
        print(f"{item.name}\t{f'corpus {item.corpus}' if item.corpus else 'no corpus'}\t{counts}")
