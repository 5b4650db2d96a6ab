"""The files that name a corpus's store: the Milvus in which its indexes are searched.

`<corpus>/store.json` has the address that its owner wants. `<version>/store.json` has the collections in use, and is
written once all of them are complete; before, they are in `<version>/pushing.json`, so that what a killed push left is
known. Each index is looked up by its key and by its identity: one that is not there as it is now is searched in the
corpus's files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from workbench.core import DataError
from workbench.retrieval import MilvusAddress, MilvusCollection
from workbench.workspace import atomic, sealed, unsealed

STORE, PUSHING = "store.json", "pushing.json"
FORMAT = 1


class StoredCollection(BaseModel):
    """The collection of one index: its name, the index's identity, its rows, and whether its search is exact."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    identity: str
    rows: int
    exact: bool


class IndexStore(BaseModel):
    """The collections of a version's indexes, by key, at an address of `milvus_address`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str
    collections: Mapping[str, StoredCollection] = Field(default_factory=dict)
    format: int = FORMAT

    def collection(self, key: str, identity: str, corpus: str) -> MilvusCollection | None:
        """The collection with the index of this key and identity, of the corpus called so; None where it is not there.

        Raises UsageError for an address that is not one.
        """
        stored = self.collections.get(key)
        if stored is None or stored.identity != identity:
            return None
        remedy = f"Push it again: {push_command(corpus, self.address)}"
        return MilvusCollection(MilvusAddress.of(self.address), stored.name, stored.exact, remedy)


@dataclass(frozen=True, slots=True)
class StoreState:
    """Where a corpus is searched that has a store: the store's address, and the names of its indexes by place.

    `behind` are those that are searched in the corpus's files, since the store has not got them.
    """

    corpus: str
    address: str
    pushed: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def words(self) -> str:
        """The state in a clause."""
        if not self.pushed:
            return f"searched in its files, not yet in {self.address}"
        rest = f"; not pushed yet, so searched in its files: {', '.join(self.behind)}" if self.behind else ""
        return f"searched in {self.address}{rest}"

    @property
    def command(self) -> str:
        """What to type to push what is behind; "" where nothing is."""
        return push_command(self.corpus, self.address) if self.behind else ""


def push_command(corpus: str, address: str) -> str:
    """What to type to push a corpus into a store."""
    return f"python -m workbench corpora index {corpus} --store {address}"


def read_store(folder: Path, name: str = STORE) -> IndexStore | None:
    """The store that the file called `name` in a version's or a corpus's folder names; None where there is none.

    Raises DataError where it is damaged.
    """
    path = folder / name
    try:
        stored: Any = unsealed(json.loads(path.read_bytes()))
        store = IndexStore.model_validate(stored)
        if store.format != FORMAT:
            raise ValueError("another format")
        return store
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, IsADirectoryError) as error:
        raise DataError(
            f"The file {name} in {folder} is damaged. Delete it: the corpus is then searched in its files."
        ) from error


def write_store(folder: Path, store: IndexStore, name: str = STORE) -> None:
    """Writes the file, atomically."""
    atomic.write_text(folder / name, json.dumps(sealed(store.model_dump(mode="json")), indent=1) + "\n")
