"""`corpora rechunk`: the documents of a corpus split anew, as a sister corpus that experiments compare with it."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.shared import Json, open_workbench, print_json, progress, say


def register(corpora: typer.Typer) -> None:
    """Adds the verb to its group."""
    corpora.command("rechunk")(corpora_rechunk)


def corpora_rechunk(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A corpus's name, from: corpora list")],
    chunking: Annotated[
        str,
        typer.Option(
            help="words-100, characters-1000-150, tokens-512-50, sentences-1024-200 or semantic; with -untitled after "
            "it, passages do without the document's title."
        ),
    ],
    sister: Annotated[str, typer.Option("--as", help="The sister's name; default: NAME-CHUNKING.")] = "",
    as_json: Json = False,
) -> None:
    """Split a corpus's documents anew into a sister corpus; typed again, it takes the documents that changed."""
    from workbench.data import rechunk

    manifest = rechunk(open_workbench().library, name, chunking, sister, progress=progress())
    if as_json:
        print_json(manifest.model_dump(mode="json"))
        return
    # The chunking in its usual form, as experiments name it.
    usual = manifest.rechunking.chunking if manifest.rechunking else chunking
    counts = " ".join(f"{code}:{count}" for code, count in manifest.languages.items())
    print(f"{manifest.name}\t{manifest.passages:,} passages\t{counts}")
    say(f"Compare it in an experiment over a dataset of “{name}”: write “chunkings: [original, {usual}]” in its file.")
