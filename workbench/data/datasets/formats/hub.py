"""A dataset of the Hugging Face hub, read by the library `datasets` as a stream of rows under a column mapping.

Nothing is fetched unless a person asks for it by name, and only data files are read: the library refuses datasets that
come as a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from workbench.core import MissingError, UsageError, shorten
from workbench.data.datasets.dataset_format import SPLIT, Collection, DatasetFormat, ImportOption, Remote
from workbench.data.datasets.formats.table import COLUMNS, ROW_LANGUAGES, Columns, table_collection
from workbench.data.datasets.records import Record

TIMEOUT = 10.0
"""Seconds to wait for the hub's first answer."""
ROWS_LIMIT = 1_000_000
"""The most rows that are read; a pre-training corpus is not a dataset of questions."""


def host() -> str:
    """Return the host that datasets are fetched from: the hub, or the mirror named by the variable HF_ENDPOINT."""
    from huggingface_hub import constants

    return urlsplit(constants.ENDPOINT).netloc


def read_hub(
    name: str,
    columns: Columns,
    *,
    config: str = "",
    split: str = "test",
    languages: Sequence[str] = (),
) -> Collection:
    """Return the questions of one split in some `languages` (none: all), or all in the one that no column states.

    Raises UsageError for a name that is not a dataset's, MissingError if the hub cannot be reached or does not have it,
    DataError with the row for an error in one.
    """
    if not name.strip() or " " in name:
        raise UsageError(
            f"“{shorten(name)}” is not the name of a dataset on the hub. Type it as the hub does, for example: "
            "google/xquad"
        )
    if Path(name).exists():
        # The library would read the folder instead of asking the hub.
        raise UsageError(
            f"“{shorten(name)}” is also a folder on this machine, so the hub was not asked. Start the workbench in "
            "another folder, or import the files by their format."
        )
    source = "/".join(part for part in (name, config, split) if part)
    return table_collection(
        _rows(name, config, split, source),
        columns,
        "hub",
        "Hugging Face hub",
        source,
        languages=languages,
    )


def _rows(name: str, config: str, split: str, source: str) -> Iterator[Record]:
    from datasets import load_dataset
    from huggingface_hub import HfApi

    try:
        # First, since the library would retry an unreachable hub for half a minute.
        HfApi().dataset_info(name, timeout=TIMEOUT)
        rows = load_dataset(name, config or None, split=split, streaming=True)
        for number, values in enumerate(islice(rows, ROWS_LIMIT), start=1):
            if not isinstance(values, Mapping):
                raise TypeError("its rows have no columns")
            yield Record(f"{source}, row {number}", values)
    except Exception as error:  # the libraries raise whatever the network, the hub and the file readers raise
        # Not chained: the hub's messages have many lines, with addresses and request ids.
        raise MissingError(
            f"The dataset “{shorten(name)}” could not be loaded from the Hugging Face hub ({shorten(error, 120)}). "
            "Check its name, configuration and split, and the connection, or download a file of it and import that as "
            "a table."
        ) from None


def _read(name: str, *, config: str, split: str, languages: Sequence[str], **columns: Any) -> Collection:
    return read_hub(name, Columns(**columns), config=config, split=split, languages=languages)


FORMAT = DatasetFormat(
    name="hub",
    title="Hugging Face hub, by dataset name",
    description="One question per row of one split, with answers where a column has them.",
    source=Remote(
        "Dataset on the hub",
        "Its name on huggingface.co, with the owner before the slash. It is downloaded from there.",
        "google/xquad",
        host,
    ),
    options=(
        ImportOption(
            name="config",
            kind="text",
            title="Configuration",
            help="For a dataset with several, such as xquad.en",
            placeholder="none",
        ),
        SPLIT,
        ROW_LANGUAGES,
        *COLUMNS,
    ),
    read=_read,
)
