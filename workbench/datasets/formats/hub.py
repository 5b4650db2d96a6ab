"""A dataset of the Hugging Face hub, read through the library `datasets` as a stream of rows under a column mapping.

Nothing is fetched unless a person asks for it by name, and only data files are read: datasets that come as a program
are refused by the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from workbench.datasets.collection import Collection
from workbench.datasets.files.record import Record
from workbench.datasets.formats.table import Columns, collect
from workbench.errors import MissingError, UsageError, shorten

TIMEOUT = 10.0
"""Seconds to wait for the hub's first answer."""
ROWS_LIMIT = 1_000_000
"""Rows that are read at most; a pre-training corpus is no dataset of questions."""


def host() -> str:
    """Where datasets are fetched from: the hub, or the mirror that the environment's HF_ENDPOINT names."""
    from huggingface_hub import constants

    return urlsplit(constants.ENDPOINT).netloc


def read_hub(
    name: str, columns: Columns, *, config: str = "", split: str = "test", code: str = "", wanted: Sequence[str] = ()
) -> Collection:
    """The questions of one split. `code` is its language where no column says it.

    Raises MissingError where the hub cannot be reached or does not have it, DataError with the row for what is wrong.
    """
    if not name.strip() or " " in name:
        raise UsageError(
            f"“{shorten(name)}” names no dataset of the hub. Type it as the hub does, for example: google/xquad"
        )
    if Path(name).exists():
        # The library would read the folder in place of asking the hub.
        raise UsageError(
            f"“{shorten(name)}” is a folder of this machine as well, so the hub was not asked. Start the workbench in "
            "another folder, or import the files by their own format."
        )
    source = "/".join(part for part in (name, config, split) if part)
    return collect(
        _rows(name, config, split, source),
        columns,
        "hub",
        "Hugging Face hub",
        source,
        code=code,
        wanted=wanted,
    )


def _rows(name: str, config: str, split: str, source: str) -> Iterator[Record]:
    from datasets import load_dataset
    from huggingface_hub import HfApi

    try:
        # Asked first, since the library would try an unreachable hub for half a minute.
        HfApi().dataset_info(name, timeout=TIMEOUT)
        rows = load_dataset(name, config or None, split=split, streaming=True)
        for number, values in enumerate(islice(rows, ROWS_LIMIT), start=1):
            if not isinstance(values, Mapping):
                raise TypeError("its rows have no columns")
            yield Record(f"{source}, row {number}", values)
    except Exception as error:  # the libraries raise what the network, the hub and every file reader raise
        # Not chained: the hub's messages run over many lines and hold addresses and request ids.
        raise MissingError(
            f"The dataset “{shorten(name)}” could not be had from the Hugging Face hub ({shorten(error, 120)}). Check "
            "name, --config, --split and the connection, or fetch a file of it elsewhere and type: import table FILE"
        ) from None
