"""`corpora wikipedia`: a corpus from Wikipedia's files, resumed where it was left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import Json, open_workbench, print_json, progress, say

if TYPE_CHECKING:
    from workbench.documents.wikipedia.streamed_import import ImportState

LICENCE = "CC BY-SA 4.0"
"""Wikipedia's text since June 2023; before, CC BY-SA 3.0."""
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
        typer.Option(
            help="English langlinks.sql.gz or Wikidata's wb_items_per_site.sql.gz: linked articles share a group."
        ),
    ] = None,
    chunking: Annotated[str, typer.Option(help="How articles are split, for example words-100.")] = "words-100",
    as_json: Json = False,
) -> None:
    """Make a corpus from Wikipedia. Ended or killed, it goes on where it was when typed again."""
    from workbench.corpora.corpus_library import checked_name
    from workbench.documents.wikipedia.article_files import open_articles
    from workbench.documents.wikipedia.language_links import LanguageLinks
    from workbench.documents.wikipedia.streamed_import import forget, passages_of, stream_articles
    from workbench.documents.wikipedia.wiki_passages import article_passages
    from workbench.languages.language import known_languages

    bench = open_workbench()
    checked_name(name, "corpus")
    sources = [open_articles(path) for path in files]
    folder = bench.settings.home / "wikipedia" / name
    folder.mkdir(parents=True, exist_ok=True)
    linked = None
    if links is not None:
        file = folder / "links.db"
        say(f"Reading {links.name} …")
        linked = LanguageLinks.build(links, {item.code for item in known_languages()}, file)
    split = f"{chunking}, linked by {links.name}" if links else chunking
    shown, began = time.monotonic(), time.monotonic()

    def watch(state: ImportState) -> bool:
        nonlocal shown
        if time.monotonic() - shown >= EVERY or state.complete:
            shown = time.monotonic()
            say(_line(state, len(sources)))
        return True

    state = stream_articles(sources, folder, article_passages(chunking, linked), split=split, watch=watch)
    say(f"{state.articles:,} articles, {state.passages:,} passages in {time.monotonic() - began:,.0f} s.")
    source = f"Wikipedia: {', '.join(item.name for item in sources)} ({split})"
    manifest = bench.library.add(name, passages_of(folder), source=source, licence=LICENCE, progress=progress())
    forget(folder)
    if as_json:
        print_json(manifest.model_dump(mode="json"))
    else:
        counts = " ".join(f"{code}:{count}" for code, count in manifest.languages.items())
        print(f"{name}\t{manifest.passages:,} passages\t{counts}")


def _line(state: ImportState, files: int) -> str:
    done = f"file {min(state.file + 1, files)} of {files}"
    return f"{done}: {state.articles:,} articles of {state.pages:,} pages, {state.passages:,} passages"
