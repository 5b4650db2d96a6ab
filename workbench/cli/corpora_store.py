"""`corpora index --store`: where a corpus is searched, in its files or in Milvus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.shared import progress, say

if TYPE_CHECKING:
    from workbench.app import Workbench

FILES = "files"
"""In place of an address: a corpus is searched in its own files."""


def move(bench: Workbench, name: str, store: str, *, yes: bool) -> None:
    """Has a corpus searched in the Milvus at the address `store`, or in its files. Raises as `store_push` does."""
    from workbench.data import drop, left_words
    from workbench.jobs import check_switch, push, return_to_files

    corpus = bench.corpus(name, progress())
    check_switch(corpus, "" if store == FILES else store, yes)
    if store == FILES:
        return_to_files(bench, name)
        say(f"The corpus “{name}” is searched in its files.")
    else:
        pushed = push(bench, name, store, progress())
        rows = sum(item.rows for item in pushed.collections.values())
        count = len(pushed.collections)
        noun = "index" if count == 1 else "indexes"
        say(f"The corpus “{name}” is searched in {pushed.address}: {count:,} {noun}, {rows:,} rows.")
    if words := left_words(drop(bench.settings.corpora, ())):
        say(words)


def say_behind(bench: Workbench, name: str) -> None:
    """States which indexes of a corpus its store has not got, and what to type; nothing where there is no store."""
    from workbench.data import store_state

    state = store_state(bench.library.open(name))
    if state is not None and state.behind:
        say(f"The corpus “{name}” is {state.words}. Push it: {state.command}")
