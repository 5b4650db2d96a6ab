"""The passages of a corpus as one Arrow file, memory-mapped: any row is read without loading the rest.

An Arrow IPC file without compression is used as it is on disk; reading a Parquet row would decode a row group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records import Passage
from workbench.storage.batched import batched

if TYPE_CHECKING:
    import pyarrow as pa

FIELDS = ("id", "document", "title", "language", "text", "position", "previous", "next", "group")
ROWS_PER_BATCH = 5_000


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, pa.int32() if name == "position" else pa.large_utf8()) for name in FIELDS])


def write_table(path: Path, passages: Iterable[Passage]) -> int:
    """Writes the passages in order, a batch at a time; returns their number."""
    import pyarrow as pa

    schema = _schema()
    count = 0
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for batch in batched(passages, ROWS_PER_BATCH):
            columns = [[getattr(passage, name) for passage in batch] for name in FIELDS]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            count += len(batch)
    return count


class PassageTable:
    """Read access by row number, from 0."""

    def __init__(self, path: Path) -> None:
        """Maps the file that `write_table` wrote."""
        import pyarrow as pa

        self._reader = pa.ipc.open_file(pa.memory_map(str(path)))
        self._table = self._reader.read_all()
        self._batch_rows = ROWS_PER_BATCH

    def __len__(self) -> int:
        """The number of passages."""
        return int(self._table.num_rows)

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages at `rows`, in that order. Raises IndexError for a row beyond the table."""
        return [self._row(row) for row in rows]

    def __iter__(self) -> Iterator[Passage]:
        """All passages in order of row, a batch in memory at a time."""
        for number in range(self._reader.num_record_batches):
            for row in self._reader.get_batch(number).to_pylist():
                yield Passage(**row)

    def languages(self) -> dict[str, int]:
        """How many passages there are in each language, most first."""
        counts = self._table.column("language").value_counts().to_pylist()
        counts.sort(key=lambda item: (-item["counts"], item["values"]))
        return {item["values"]: item["counts"] for item in counts}

    def _row(self, row: int) -> Passage:
        # Every batch but the last is full, so the batch of a row is known without a search.
        batch = self._reader.get_batch(row // self._batch_rows)
        return Passage(**batch.slice(row % self._batch_rows, 1).to_pylist()[0])
