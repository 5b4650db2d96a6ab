"""`corpora wikipedia`: a corpus from Wikipedia's files, resumed where it was left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import Json, open_workbench, print_json, progress, say

if TYPE_CHECKING:
    from workbench.documents.wikipedia.streamed_import import ImportState

EVERY = 10
"""Seconds between two lines of progress."""


def register(corpora: typer.Typer) -> None:
    """Adds the verb to its group."""
    corpora.command("wikipedia")(corpora_wikipedia)


def corpora_wikipedia(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The corpus's name.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="pages-articles dumps, wikimedia/wikipedia parquet files, or KILT's knowledge source."
        ),
    ],
    links: Annotated[
        Path | None,
        typer.Option(help="A langlinks.sql.gz of the English Wikipedia: linked articles then share a group."),
    ] = None,
    chunking: Annotated[str, typer.Option(help="How articles are split, for example words-100.")] = "words-100",
    as_json: Json = False,
) -> None:
    """Make a corpus from Wikipedia. Ended or killed, it goes on where it was when typed again."""
    from workbench.documents.wikipedia.corpus_import import WikipediaImport

    bench = open_workbench()
    work = WikipediaImport(bench.library, bench.settings.home, name, files, links, chunking)
    if links is not None:
        say(f"Reading {links.name} …")
    shown, began = time.monotonic(), time.monotonic()

    def watch(state: ImportState) -> bool:
        nonlocal shown
        if time.monotonic() - shown >= EVERY or state.complete:
            shown = time.monotonic()
            say(_line(state, len(files)))
        return True

    state = work.read(watch)
    say(f"{state.articles:,} articles, {state.passages:,} passages in {time.monotonic() - began:,.0f} s.")
    manifest = work.build(progress())
    if as_json:
        print_json(manifest.model_dump(mode="json"))
    else:
        counts = " ".join(f"{code}:{count}" for code, count in manifest.languages.items())
        print(f"{name}\t{manifest.passages:,} passages\t{counts}")


def _line(state: ImportState, files: int) -> str:
    done = f"file {min(state.file + 1, files)} of {files}"
    return f"{done}: {state.articles:,} articles of {state.pages:,} pages, {state.passages:,} passages"
