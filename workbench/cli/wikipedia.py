"""`corpora wikipedia`: a corpus from Wikipedia's files, resumed where it was left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import Json, open_workbench, print_json, progress, say

if TYPE_CHECKING:
    from workbench.data import ImportState

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
            metavar="FILE…",
            help="pages-articles dumps, wikimedia/wikipedia or Cohere's parquet files, KILT's pages.",
        ),
    ],
    links: Annotated[
        Path | None,
        typer.Option(
            help="English langlinks.sql.gz or Wikidata's wb_items_per_site.sql.gz: linked articles share a group."
        ),
    ] = None,
    chunking: Annotated[
        str, typer.Option(help="How articles are split, words-100 by default; files with vectors are split already.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Make a corpus from Wikipedia. Ended or killed, it goes on where it was when typed again."""
    from workbench.data import WikipediaImport

    bench = open_workbench()
    work = WikipediaImport(bench.library, bench.settings.home, name, files, links, chunking)
    if links is not None:
        say(f"Reading {links.name} …")
    shown = began = time.monotonic()

    def watch(state: ImportState) -> bool:
        nonlocal shown
        if time.monotonic() - shown >= EVERY or state.complete:
            shown = time.monotonic()
            say(_line(state, len(files), shown - began))
        return True

    work.read(watch)
    manifest = work.build(progress())
    if as_json:
        print_json(manifest.model_dump(mode="json"))
    else:
        counts = " ".join(f"{code}:{count}" for code, count in manifest.languages.items())
        print(f"{name}\t{manifest.passages:,} passages\t{counts}")


def _line(state: ImportState, files: int, seconds: float) -> str:
    place = f"file {min(state.file + 1, files)} of {files}"
    amounts = f"{state.articles:,} articles of {state.pages:,} pages, {state.passages:,} passages"
    return f"{place}: {amounts} after {seconds:,.0f} s"
