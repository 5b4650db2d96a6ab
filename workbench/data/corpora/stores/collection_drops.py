"""Dropping collections of Milvus that no version of a corpus names any more.

Where Milvus cannot be reached then, or a change was interrupted, they are written down beside the corpora, and dropped
with the next ones, unless a corpus names them again by then.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.core import DataError, WorkbenchError
from workbench.data.corpora.stores.store_file import PUSHING, STORE, read_store
from workbench.retrieval import MilvusAddress, MilvusCollection
from workbench.workspace import atomic, name_lock

LEFT = "collections-left.json"
LOCK = "_collections"
"""No corpus is called so."""

Place = tuple[str, str]
"""An address and the name of a collection there."""


def places_of(corpus: Path, files: Iterable[str] = (STORE, PUSHING)) -> set[Place]:
    """All collections that the versions in a corpus's folder name in these files; none for a damaged file."""
    places: set[Place] = set()
    for folder in corpus.glob("*/"):
        for name in files:
            try:
                store = read_store(folder, name)
            except DataError:
                continue
            places |= {(store.address, item.name) for item in store.collections.values()} if store else set()
    return places


@contextmanager
def dropping(corpora: Path, name: str) -> Iterator[None]:
    """Lets nobody else change the corpus called `name`; after the change, drops collections that it names no more."""
    with name_lock(corpora, name):
        before = places_of(corpora / name)
        gone: set[Place] = set()
        try:
            yield
        finally:
            gone = before - places_of(corpora / name)
            remember(corpora, gone)
        if gone:
            drop(corpora, gone)


def remember(corpora: Path, places: Collection[Place]) -> None:
    """Writes down collections that the next `drop` drops, but for those that a corpus names then."""
    if places:
        with name_lock(corpora, LOCK):
            _write(corpora, {*left(corpora), *places})


def drop(corpora: Path, places: Collection[Place]) -> list[Place]:
    """Drops collections, and those left from before; returns those that could not be, which are written down."""
    with name_lock(corpora, LOCK):
        former = left(corpora)
        # A collection's name depends on what it holds alone: what was left may be in use again.
        used = {place for folder in corpora.glob("*/") for place in places_of(folder)} if former else set()
        waiting = sorted({*(set(former) - used), *places})
        unreachable: dict[str, list[Place]] = {}
        for address, name in waiting:
            if address in unreachable or not _dropped(address, name):
                unreachable.setdefault(address, []).append((address, name))
        remaining = [place for each in unreachable.values() for place in each]
        if remaining or (corpora / LEFT).exists():
            _write(corpora, remaining)
    return remaining


def left(corpora: Path) -> list[Place]:
    """The collections that could not be dropped so far."""
    try:
        return [(str(address), str(name)) for address, name in json.loads((corpora / LEFT).read_bytes())]
    except (OSError, ValueError, TypeError):
        return []


def left_words(places: Iterable[Place]) -> str:
    """What is left where, in a sentence; "" for nothing."""
    items = sorted(places)
    if not items:
        return ""
    noun = "collection" if len(items) == 1 else "collections"
    where = ", ".join(sorted({address for address, _ in items}))
    return f"{len(items):,} {noun} could not be dropped at {where}; the next change to a store tries again."


def _dropped(address: str, name: str) -> bool:
    try:
        MilvusCollection(MilvusAddress.of(address), name).drop()
    except WorkbenchError:
        return False
    return True


def _write(corpora: Path, places: Collection[Place]) -> None:
    if places:
        atomic.write_text(corpora / LEFT, json.dumps(sorted(places), indent=1) + "\n")
    else:
        (corpora / LEFT).unlink(missing_ok=True)
