"""The passages of a corpus as Arrow files, memory-mapped: any row is read without loading the rest.

`passages.arrow` is what a build wrote; passages that were added later are in `passages-<first row>.arrow`, and their
rows are numbered on. `removed.npy` has the rows that were removed since: they stay in the files, with their numbers.
An Arrow IPC file without compression is used as it is on disk; reading a Parquet row would decode a row group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.core import Passage
from workbench.workspace import batched

if TYPE_CHECKING:
    import pyarrow as pa

TABLE, REMOVED = "passages.arrow", "removed.npy"
FIELDS = tuple(field.name for field in fields(Passage))
NUMBERS = ("position", "page", "page_end")
ROWS_PER_BATCH = 5_000

Rows = NDArray[np.int64]
NO_ROWS: Rows = np.zeros(0, dtype=np.int64)
BooleanMask = NDArray[np.bool_]
"""One value per row of a batch."""


def write_table(path: Path, passages: Iterable[Passage]) -> int:
    """Writes the passages in order, a batch at a time; returns their number."""
    import pyarrow as pa

    schema = pa.schema([(name, pa.int32() if name in NUMBERS else pa.large_utf8()) for name in FIELDS])
    count = 0
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for batch in batched(passages, ROWS_PER_BATCH):
            columns = [[getattr(passage, name) for passage in batch] for name in FIELDS]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            count += len(batch)
    return count


def append_table(folder: Path, first: int, passages: Sequence[Passage]) -> list[Path]:
    """Adds passages, from the row `first` on, to the table in `folder`; returns the paths of the files it wrote.

    What was added last is written again with them while it is short, so that the files stay few. No file is changed in
    place.
    """
    path = folder / f"passages-{first:012d}.arrow"
    later = _added_files(folder)
    before: list[Passage] = []
    if later and len(last := PassageTable(later[-1])) + len(passages) <= ROWS_PER_BATCH:
        path, before = later[-1], list(last)
    part = path.with_name(f".{path.name}.part")
    write_table(part, [*before, *passages])
    part.replace(path)
    return [path]


def removed_rows(folder: Path) -> Rows:
    """The rows, ascending, that were removed from the table in `folder`."""
    path = folder / REMOVED
    return np.load(path, allow_pickle=False) if path.is_file() else NO_ROWS


def write_removed(folder: Path, rows: Rows) -> list[Path]:
    """Makes `rows`, ascending, the removed ones; returns the path of the file it wrote."""
    part = folder / f".{REMOVED}"
    np.save(part, rows, allow_pickle=False)
    part.replace(folder / REMOVED)
    return [folder / REMOVED]


def _added_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("passages-*.arrow"))


class PassageTable:
    """Read access by row number, from 0. Removed rows are left out of everything but `passages`."""

    def __init__(self, *paths: Path, removed: Rows = NO_ROWS) -> None:
        """Maps the files, in order, that `write_table` wrote; `removed` rows are ascending."""
        import pyarrow as pa

        readers = [pa.ipc.open_file(pa.memory_map(str(path))) for path in paths]
        self._batches = [reader.get_batch(number) for reader in readers for number in range(reader.num_record_batches)]
        self._starts = np.cumsum([0, *(batch.num_rows for batch in self._batches)])
        self.removed = removed

    @classmethod
    def open(cls, folder: Path) -> PassageTable:
        """The table in a version's folder."""
        return cls(folder / TABLE, *_added_files(folder), removed=removed_rows(folder))

    def __len__(self) -> int:
        """The number of passages."""
        return self.size - len(self.removed)

    @property
    def size(self) -> int:
        """The number of rows, with those that were removed: the next passage gets this row."""
        return int(self._starts[-1])

    @property
    def rows(self) -> Rows:
        """The rows of all passages, ascending."""
        rows = np.arange(self.size, dtype=np.int64)
        return np.delete(rows, self.removed) if len(self.removed) else rows

    def passages(self, rows: Sequence[int]) -> list[Passage]:
        """The passages at `rows`, in that order. Raises IndexError for a row beyond the table."""
        return [self._row(row) for row in rows]

    def __iter__(self) -> Iterator[Passage]:
        """All passages in order of row, a batch in memory at a time."""
        return (passage for _, passage in self.numbered())

    def numbered(self, start: int = 0) -> Iterator[tuple[int, Passage]]:
        """As iteration, from the row `start` on, each passage with its row."""
        for first, mask in self._masks({}):
            if first + len(mask) <= start:
                continue
            for place, row in enumerate(self._batch(first).to_pylist()):
                if mask[place] and first + place >= start:
                    yield first + place, Passage(**row)

    def rows_of_documents(self, documents: Collection[str]) -> list[int]:
        """The rows of all passages of these documents, ascending."""
        return self.rows_with(documents, ("document",))

    def rows_with(self, values: Collection[str], names: Sequence[str]) -> list[int]:
        """The rows, ascending, of passages that have one of the values in one of the columns called `names`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        items = pa.array(sorted(values), pa.large_utf8())
        rows: list[int] = []
        for first, mask in self._masks({}):
            within = np.zeros(len(mask), dtype=bool)
            for name in names:
                column = self._batch(first).column(name)
                within |= pc.is_in(column, items).to_numpy(zero_copy_only=False)
            rows += (first + (mask & within).nonzero()[0]).tolist()
        return rows

    def column(self, name: str) -> pa.ChunkedArray:
        """A column of all rows, also of removed ones, as it is in the files."""
        import pyarrow as pa

        kind = pa.int32() if name in NUMBERS else pa.large_utf8()
        return pa.chunked_array([batch.column(name) for batch in self._batches], kind)

    def values(self, rows: Iterable[int], names: Sequence[str]) -> list[tuple[Any, ...]]:
        """What passages have in some columns, in order of `rows`; nothing else of them is read."""
        places = ((self._batch(row), row - self._first_row_of(row)) for row in rows)
        return [tuple(batch.column(name)[place].as_py() for name in names) for batch, place in places]

    def languages(self) -> dict[str, int]:
        """How many passages there are in each language, most first."""
        import pyarrow as pa

        masked = [self._batch(first).column("language").filter(pa.array(mask)) for first, mask in self._masks({})]
        counts = pa.chunked_array(masked, pa.large_utf8()).value_counts().to_pylist()
        return dict(most_first((item["values"], item["counts"]) for item in counts))

    def characters(self) -> int:
        """How many characters the titles and texts have, without reading them into Python."""
        import pyarrow.compute as pc

        total = 0
        for first, mask in self._masks({}):
            for name in ("title", "text"):
                lengths = pc.utf8_length(self._batch(first).column(name)).to_numpy(zero_copy_only=False)
                total += int(lengths[mask].sum())
        return total

    def rows_where(
        self, *, language: str = "", document: str = "", start: int = 0, limit: int
    ) -> tuple[list[int], int]:
        """The rows numbered `start` to `start + limit` of those in a language and a document ("": any), and how many.

        One batch is looked at at a time.
        """
        if not language and not document:
            if not len(self.removed):
                return list(range(start, min(start + limit, len(self)))), len(self)
            return self.rows[start : start + limit].tolist(), len(self)
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
            batch = self._batch(first)
            documents, languages = (
                batch.column(name).to_numpy(zero_copy_only=False) for name in ("document", "language")
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

        for first, batch in zip(self._starts[:-1].tolist(), self._batches, strict=True):
            mask = np.ones(batch.num_rows, dtype=bool)
            if len(self.removed):
                start, end = np.searchsorted(self.removed, (first, first + batch.num_rows))
                mask[self.removed[start:end] - first] = False
            for name, value in conditions.items():
                if value:
                    mask &= pc.equal(batch.column(name), value).to_numpy(zero_copy_only=False)
            yield first, mask

    def _batch(self, row: int) -> pa.RecordBatch:
        """The batch that has the row. Raises IndexError for a row beyond the table."""
        if not 0 <= row < self.size:
            raise IndexError(f"row {row} of {self.size}")
        return self._batches[int(np.searchsorted(self._starts, row, side="right")) - 1]

    def _first_row_of(self, row: int) -> int:
        """The first row of the batch that has the row."""
        return int(self._starts[int(np.searchsorted(self._starts, row, side="right")) - 1])

    def _row(self, row: int) -> Passage:
        return Passage(**self._batch(row).slice(row - self._first_row_of(row), 1).to_pylist()[0])


def most_first(counts: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Languages with their counts, the highest first, without those that have none."""
    return sorted((item for item in counts if item[1] > 0), key=lambda item: (-item[1], item[0]))
