"""The formats of datasets: every module in `formats/`, each with its `FORMAT`. A new format is a new module there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from workbench.core import unknown_name
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets import formats as package
from workbench.data.datasets.collection import Collection
from workbench.data.datasets.dataset_format import QUESTIONS_ONLY, DatasetFormat

OPENING = ("table", "squad")
"""The formats that stand first; the others follow by title."""


@cache
def dataset_formats() -> Mapping[str, DatasetFormat]:
    """Every format by its name, as the screen and the command line list them."""
    modules = [import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__)]
    order = {name: number for number, name in enumerate(OPENING)}
    ordered = sorted(
        (module.FORMAT for module in modules), key=lambda form: (order.get(form.name, len(order)), form.title.lower())
    )
    return {form.name: form for form in ordered}


def dataset_format(name: str) -> DatasetFormat:
    """The format of that name. Raises UsageError for one that does not exist."""
    if name not in dataset_formats():
        raise unknown_name("format of datasets", name, dataset_formats())
    return dataset_formats()[name]


def read_dataset(
    form: DatasetFormat, source: Path | Sequence[Path] | str, options: Mapping[str, Any], corpora: CorpusLibrary
) -> Collection:
    """Read and check a source. Options that are not given have their defaults.

    The files must stay until the import is complete, since passages are read more than once. Raises UsageError for a
    corpus that does not exist, and what the format's reader raises.
    """
    values = {option.name: options.get(option.name, option.default) for option in form.options}
    questions_only = values.pop(QUESTIONS_ONLY.name, False)
    for option in form.options:
        if option.kind == "corpus":
            values[option.name] = corpora.open(values[option.name]) if values[option.name] else None
    collection = form.read(source, **values)
    return collection.without_passages() if questions_only else collection
