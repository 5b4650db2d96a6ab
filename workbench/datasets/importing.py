"""Importing files: everything is read and checked first, then the corpus is built, then the dataset is written.

A failure leaves the workspace as it was; so does a kill, up to the moment between the two, in which the corpus is the
new one and the dataset the old one: importing again mends that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from workbench.corpora.build import Progress, quiet
from workbench.corpora.library import Library, checked_name
from workbench.corpora.manifest import Manifest
from workbench.datasets.library import DatasetInfo, DatasetLibrary
from workbench.datasets.squad import read_squad
from workbench.errors import UsageError

SOURCE = "SQuAD-format files: "


@dataclass(frozen=True, slots=True)
class Imported:
    """The corpus and the dataset as they are now."""

    corpus: Manifest
    dataset: DatasetInfo


def import_squad(
    corpora: Library,
    datasets: DatasetLibrary,
    paths: Sequence[Path],
    code: str,
    name: str,
    *,
    aligned: bool = False,
    progress: Progress = quiet,
) -> Imported:
    """Makes a corpus and a dataset called `name` of SQuAD-format files in one language.

    A further language under the same name is added; the same language again is replaced.
    Raises UsageError or DataError, and then has changed nothing.
    """
    checked_name(name, "corpus")
    if name == "sample":
        raise UsageError("The name “sample” is the workbench's own. Choose another, for example: --name mine")
    datasets.check_alignment(name, aligned=aligned)
    read = read_squad(paths, code, aligned=aligned)
    held = next((manifest for manifest in corpora.list() if manifest.name == name), None)
    others = (
        (passage for passage in corpora.open(name).table if passage.language != read.language) if held else iter(())
    )
    names = held.source.removeprefix(SOURCE).split(", ") if held else []
    source = SOURCE + ", ".join(dict.fromkeys([*names, *(path.name for path in paths)]))
    manifest = corpora.add(
        name, chain(others, read.passages), source=source, licence="as the imported files", progress=progress
    )
    return Imported(manifest, datasets.add(name, name, read.questions, aligned=aligned))
