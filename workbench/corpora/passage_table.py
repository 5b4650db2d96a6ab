"""The passages of a corpus as one Arrow file, memory-mapped: any row is read without loading the rest.

An Arrow IPC file without compression is used as it is on disk; reading a Parquet row would decode a row group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.records import Passage
from workbench.storage.batched import batched

if TYPE_CHECKING:
    import pyarrow as pa

FIELDS = ("id", "document", "title", "language", "text", "position", "previous", "next", "group")
ROWS_PER_BATCH = 5_000

BooleanMask = NDArray[np.bool_]
"""One value per row of a batch."""


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

    def characters(self) -> int:
        """How many characters the titles and texts have, without reading them into Python."""
        import pyarrow.compute as pc

        lengths = (pc.sum(pc.utf8_length(self._table.column(name))).as_py() for name in ("title", "text"))
        return sum(length or 0 for length in lengths)

    def rows_where(
        self, *, language: str = "", document: str = "", start: int = 0, limit: int
    ) -> tuple[list[int], int]:
        """The rows numbered `start` to `start + limit` of those in a language and a document ("": any), and how many.

        One batch is looked at at a time.
        """
        if not language and not document:
            return list(range(start, min(start + limit, len(self)))), len(self)
        rows: list[int] = []
        total = 0
        for first, mask in self._masks({"language": language, "document": document}):
            count = int(mask.sum())
            if total < start + limit and total + count > start:
                places = mask.nonzero()[0][max(0, start - total) : start + limit - total]
                rows += [first + int(place) for place in places]
            total += count
        return rows, total

    def document_runs(self, *, language: str = "", start: int = 0, limit: int) -> tuple[list[tuple[int, int]], int]:
        """The documents numbered `start` to `start + limit` in a language ("": any), and how many there are.

        A document is given as its first row and the number of passages that follow each other in one language.
        """
        runs: list[tuple[int, int]] = []
        total, before = 0, ("", "")
        for first, mask in self._masks({"language": language}):
            batch = self._reader.get_batch(first // self._batch_rows)
            documents, languages = (
                batch.column(FIELDS.index(name)).to_numpy(zero_copy_only=False) for name in ("document", "language")
            )
            begins = mask.copy()
            begins[1:] &= (documents[1:] != documents[:-1]) | (languages[1:] != languages[:-1])
            begins[0] &= (documents[0], languages[0]) != before
            before = (documents[-1], languages[-1])
            places = begins.nonzero()[0]
            if runs and total <= start + limit:
                # What is left of the last document of the batch before.
                end = int(places[0]) if len(places) else len(mask)
                runs[-1] = (runs[-1][0], runs[-1][1] + int(mask[:end].sum()))
            for number in range(max(0, start - total), min(len(places), start + limit - total)):
                end = int(places[number + 1]) if number + 1 < len(places) else len(mask)
                runs.append((first + int(places[number]), int(mask[places[number] : end].sum())))
            total += len(places)
        return runs, total

    def _masks(self, conditions: Mapping[str, str]) -> Iterator[tuple[int, BooleanMask]]:
        """For each batch its first row, and which of its rows have these values ("": any)."""
        import pyarrow.compute as pc

        for number in range(self._reader.num_record_batches):
            batch = self._reader.get_batch(number)
            mask = np.ones(batch.num_rows, dtype=bool)
            for name, value in conditions.items():
                if value:
                    mask &= pc.equal(batch.column(FIELDS.index(name)), value).to_numpy(zero_copy_only=False)
            yield number * self._batch_rows, mask

    def _row(self, row: int) -> Passage:
        # Every batch but the last is full, so the batch of a row is known without a search.
        batch = self._reader.get_batch(row // self._batch_rows)
        return Passage(**batch.slice(row % self._batch_rows, 1).to_pylist()[0])
