"""Parquet files row by row, a batch at a time; rows count from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.datasets.files.record import NOTHING, Record
from workbench.datasets.files.text_files import checked_file
from workbench.errors import DataError, shorten

GROUP_LIMIT = 2 << 30
"""Bytes of one row group once unpacked: a reader holds at least one."""
ROWS_A_BATCH = 1_000


def parquet_records(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Record]:
    """The rows with the values of `columns`, and of `optional` ones where the file has them.

    Raises UsageError for a path that is no file, DataError for a damaged file or one that lacks a column.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    checked_file(path, example="qa.parquet")
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            lacking = next((name for name in columns if name not in names), None)
            if lacking is not None:
                raise DataError(
                    f"{path.name} has no column “{lacking}” but {shorten(', '.join(names), 120)}, {NOTHING}."
                )
            largest = max((file.metadata.row_group(n).total_byte_size for n in range(file.num_row_groups)), default=0)
            if largest > GROUP_LIMIT:
                raise DataError(
                    f"{path.name} has a row group of {largest >> 20:,} MiB, {NOTHING}: write it anew with smaller ones."
                )
            wanted = [*columns, *(name for name in optional if name in names)]
            for batch in file.iter_batches(batch_size=ROWS_A_BATCH, columns=wanted):
                for values in batch.to_pylist():
                    number += 1
                    yield Record(f"{path.name}, row {number}", values)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        after = f" after row {number}" if number else ""
        raise DataError(f"{path.name} is no whole Parquet file ({shorten(error)}){after}, {NOTHING}.") from error
