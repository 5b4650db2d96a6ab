"""Taxonomies: which labels people may give to an answer, each with a definition and an example, as YAML.

Those in `taxonomies/` ship with the workbench; a team's are `<workspace>/taxonomies/*.yaml`. A taxonomy has a version,
which goes up with each change of its content, and each label given keeps the version that it was given under. A copy of
each version that was used is stored, so that a label keeps its meaning when the file changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection, insert, select

from workbench.core import UsageError, canonical, shorten, unknown_name
from workbench.workspace import YamlForm, annotation_tables as t

NAME = r"^[a-z0-9][a-z0-9-]{0,63}$"
FOLDER = "taxonomies"
SIZE_LIMIT = 1 << 16
"""Characters of a file."""
LABELS_LIMIT = 50

Name = Annotated[str, Field(pattern=NAME)]
Text = Annotated[str, Field(min_length=1, max_length=2_000)]
LabelValue = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
"""What a label says of an answer, from 0 (wrong) to 1 (right)."""


@dataclass(frozen=True, slots=True)
class TaxonomyLabel:
    """One label: `key` is what is stored, `name` what the screen shows; `definition` and `example` are sentences.

    `value` says what the label says of an answer, from 0 (wrong) to 1 (right); None where it says nothing of that.
    """

    key: str
    name: str
    definition: str
    example: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Labels that answer one question about an answer.

    `version` counts from 1. `source` is who defined it. `several`: an answer may have more than one of the labels.
    `value_of_none` is the value of an answer without any label, None where that says nothing.
    """

    name: str
    version: int
    title: str
    source: str
    question: str
    labels: tuple[TaxonomyLabel, ...]
    several: bool
    value_of_none: float | None = None

    @property
    def has_values(self) -> bool:
        """Whether labels say which answers are right and which are wrong: some of them have different values."""
        values = {label.value for label in self.labels} | {self.value_of_none}
        return len(values - {None}) > 1

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the labels, in order."""
        return tuple(label.key for label in self.labels)

    def label(self, key: str) -> TaxonomyLabel:
        """The label with a key. Raises UsageError for one that does not exist."""
        for label in self.labels:
            if label.key == key:
                return label
        raise unknown_name("label", key, self.keys)

    def value(self, labels: Iterable[str]) -> float | None:
        """What labels say of an answer together, from 0 (wrong) to 1 (right): the least of their values.

        None where none of them has a value; labels that do not exist here have none.
        """
        keys = set(labels)
        if not keys:
            return self.value_of_none
        return min((item.value for item in self.labels if item.key in keys and item.value is not None), default=None)

    def problem(self, labels: tuple[str, ...]) -> str:
        """Why an answer cannot have these labels together, in a sentence; "" where it can."""
        for number, key in enumerate(labels):
            if key not in self.keys:
                return f"Unknown label “{shorten(key)}”. Allowed: {', '.join(self.keys)}."
            if key in labels[:number]:
                return f"The label “{key}” is listed twice: list it once."
        if len(labels) > 1 and not self.several:
            return f"{', '.join(labels)} are {len(labels)} labels, and “{self.name}” allows one: choose one of them."
        return ""

    def touched(self, older: Taxonomy) -> frozenset[str]:
        """The labels of an older version that mean something else in this one, or do not exist in it.

        A label's name and example may change; its definition is its meaning. Where the question changed, or whether an
        answer may have several labels, every label is touched.
        """
        if (self.question, self.several) != (older.question, older.several):
            return frozenset(older.keys)
        definitions = {label.key: label.definition for label in self.labels}
        return frozenset(label.key for label in older.labels if definitions.get(label.key) != label.definition)

    def to_json(self) -> str:
        """The complete definition as canonical JSON: equal for equal taxonomies.

        A value that is not stated is left out.
        """
        content = {key: value for key, value in asdict(self).items() if value is not None}
        labels = [{key: value for key, value in label.items() if value is not None} for label in content["labels"]]
        return canonical({**content, "labels": labels})


class _LabelForm(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    key: Name
    name: Text
    definition: Text
    example: Text
    value: LabelValue | None = None


class _TaxonomyForm(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    version: Annotated[int, Field(ge=1, le=10_000, strict=True)]
    title: Text
    source: Text
    question: Text
    several: Annotated[bool, Field(strict=True)]
    labels: Annotated[tuple[_LabelForm, ...], Field(min_length=1, max_length=LABELS_LIMIT)]
    value_of_none: LabelValue | None = None


FORM = YamlForm(_TaxonomyForm, "taxonomy", "title: Errors of answers", "taxonomies/our-errors.yaml", SIZE_LIMIT)


def taxonomy_from(name: str, content: Mapping[str, Any]) -> Taxonomy:
    """The taxonomy called `name` with this content, as YAML or `Taxonomy.to_json` state it. Raises UsageError."""
    form = FORM.make({key: value for key, value in content.items() if key != "name"})
    keys = [label.key for label in form.labels]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise UsageError(f"The taxonomy has two labels with the key “{twice[0]}”: give one of them another key.")
    labels = tuple(
        TaxonomyLabel(item.key, item.name, item.definition, item.example, item.value) for item in form.labels
    )
    return Taxonomy(
        name, form.version, form.title, form.source, form.question, labels, form.several, form.value_of_none
    )


def taxonomies(home: Path) -> tuple[Taxonomy, ...]:
    """The shipped taxonomies and those of a workspace, by name; a team's replaces a shipped one of the same name.

    Raises UsageError, one sentence that names the file, for the first thing that is wrong.
    """
    items = {item.name: item for item in (*shipped_taxonomies(), *_in_folder(home / FOLDER))}
    return tuple(items[name] for name in sorted(items))


def taxonomy(name: str, home: Path) -> Taxonomy:
    """The taxonomy called `name`. Raises UsageError for one that does not exist, and as `taxonomies` does."""
    items = {item.name: item for item in taxonomies(home)}
    if name not in items:
        raise unknown_name("taxonomy", name, items)
    return items[name]


@cache
def shipped_taxonomies() -> tuple[Taxonomy, ...]:
    """The taxonomies that ship with the workbench, loaded once."""
    return tuple(_in_folder(files("workbench.annotation") / FOLDER))


def _in_folder(folder: Traversable) -> Iterator[Taxonomy]:
    if not folder.is_dir():
        return
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            yield _in_file(Path(str(file)))


def _in_file(path: Path) -> Taxonomy:
    if not re.match(NAME, path.stem):
        raise UsageError(
            f"The taxonomy file “{shorten(path.name)}” cannot be named so: use at most 64 of a–z, 0–9 and -, for "
            "example our-errors.yaml"
        )
    try:
        return taxonomy_from(path.stem, FORM.read_file(path).model_dump())
    except UsageError as error:
        raise UsageError(f"Taxonomy file {path.name}: {error}") from error


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
