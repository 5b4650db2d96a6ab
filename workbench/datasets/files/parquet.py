"""Parquet files row by row, a batch at a time; rows count from 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.datasets.files.record import NOTHING_IMPORTED, Record
from workbench.datasets.files.text_files import checked_file
from workbench.errors import DataError, shorten

GROUP_LIMIT = 2 << 30
"""Bytes of one row group once unpacked: a reader keeps at least one in memory."""
ROWS_PER_BATCH = 1_000


def parquet_records(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Record]:
    """Yield the rows with the values of `columns`, and of the `optional` ones that the file has.

    Raises UsageError for a path that is not a file, DataError for a damaged file or one that lacks a column.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    checked_file(path, example="qa.parquet")
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            missing = next((name for name in columns if name not in names), None)
            if missing is not None:
                raise DataError(
                    f"{path.name} has no column “{missing}”, only {shorten(', '.join(names), 120)}, {NOTHING_IMPORTED}."
                )
            largest = max((file.metadata.row_group(n).total_byte_size for n in range(file.num_row_groups)), default=0)
            if largest > GROUP_LIMIT:
                raise DataError(
                    f"{path.name} has a row group of {largest >> 20:,} MiB, {NOTHING_IMPORTED}: write it again with "
                    "smaller ones."
                )
            selected = [*columns, *(name for name in optional if name in names)]
            for batch in file.iter_batches(batch_size=ROWS_PER_BATCH, columns=selected):
                for values in batch.to_pylist():
                    number += 1
                    yield Record(f"{path.name}, row {number}", values)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        after = f" after row {number}" if number else ""
        raise DataError(
            f"{path.name} is not a complete Parquet file ({shorten(error)}){after}, {NOTHING_IMPORTED}."
        ) from error
