"""Taxonomies as they were used: a copy of each version, so that a label keeps its meaning when the file changes."""

from __future__ import annotations

import json
from functools import lru_cache

from sqlalchemy import Connection, insert, select

from workbench.annotation.error_taxonomy import Taxonomy, taxonomy_from
from workbench.core import UsageError, shorten
from workbench.workspace import annotation_tables as t


def store_taxonomy(connection: Connection, taxonomy: Taxonomy) -> None:
    """Stores a taxonomy's definition. Raises UsageError where this version was used with another definition."""
    where = (t.taxonomy_versions.c.name == taxonomy.name, t.taxonomy_versions.c.version == taxonomy.version)
    definition = connection.execute(select(t.taxonomy_versions.c.definition).where(*where)).scalar()
    if definition is None:
        values = {"name": taxonomy.name, "version": taxonomy.version, "definition": taxonomy.to_json()}
        connection.execute(insert(t.taxonomy_versions).values(values))
    elif definition != taxonomy.to_json():
        raise UsageError(
            f"The taxonomy “{taxonomy.name}” was changed since its version {taxonomy.version} was used: write "
            f"“version: {taxonomy.version + 1}” into its file."
        )


def stored_taxonomy(connection: Connection, name: str, version: int) -> Taxonomy:
    """A version of a taxonomy as it was used. Raises UsageError for one that never was."""
    where = (t.taxonomy_versions.c.name == name, t.taxonomy_versions.c.version == version)
    definition = connection.execute(select(t.taxonomy_versions.c.definition).where(*where)).scalar()
    if definition is None:
        raise UsageError(f"Version {version} of the taxonomy “{shorten(name)}” was never used here: choose another.")
    return _parsed(name, definition)


@lru_cache(maxsize=64)
def _parsed(name: str, definition: str) -> Taxonomy:
    # An import reads the same few definitions for every row.
    return taxonomy_from(name, json.loads(definition))
