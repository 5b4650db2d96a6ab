"""The passages of a corpus as Arrow files, memory-mapped: any row is read without loading the rest.

`passages.arrow` is what a build wrote; passages that were added later are in `passages-<first row>.arrow`, and their
rows are numbered on. `removed.npy` has the rows that were removed since: they stay in the files, with their numbers.
An Arrow IPC file without compression is used as it is on disk; reading a Parquet row would decode a row group.

The built-in encoder learns from groups of passages about the same thing in several languages. A Wikipedia has millions
of groups and the encoder learns from some thousand, so only those that are drawn are read: what memory holds beside
them is some 40 bytes a passage. The draw is by the groups' order in the table, not by their names, which are as many as
the articles.

The golds of questions name passages by their ids, or pages with all of their passages. A passage belongs to the page
that is its document, or its group: the article in several languages, where the corpus knows which articles are linked.
Source: Petroni et al. (2021), KILT, whose provenance names pages of Wikipedia.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.core import Hit, Passage, page_key, page_name
from workbench.retrieval import LexicalIndex
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
            for index, row in enumerate(self._batch(first).to_pylist()):
                if mask[index] and first + index >= start:
                    yield first + index, Passage(**row)

    def rows_of_documents(self, documents: Collection[str]) -> list[int]:
        """The rows of all passages of these documents, ascending."""
        return self.rows_with(documents, ("document",))

    def rows_with(self, values: Collection[str], names: Sequence[str]) -> list[int]:
        """The rows, ascending, of passages that have one of the values in one of the columns called `names`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        accepted = pa.array(sorted(values), pa.large_utf8())
        rows: list[int] = []
        for first, mask in self._masks({}):
            within = np.zeros(len(mask), dtype=bool)
            for name in names:
                column = self._batch(first).column(name)
                within |= pc.is_in(column, accepted).to_numpy(zero_copy_only=False)
            rows += (first + (mask & within).nonzero()[0]).tolist()
        return rows

    def column(self, name: str) -> pa.ChunkedArray:
        """A column of all rows, also of removed ones, as it is in the files."""
        import pyarrow as pa

        kind = pa.int32() if name in NUMBERS else pa.large_utf8()
        return pa.chunked_array([batch.column(name) for batch in self._batches], kind)

    def values(self, rows: Iterable[int], names: Sequence[str]) -> list[tuple[Any, ...]]:
        """What passages have in some columns, in order of `rows`; nothing else of them is read."""
        cells = ((self._batch(row), row - self._first_row_of(row)) for row in rows)
        return [tuple(batch.column(name)[index].as_py() for name in names) for batch, index in cells]

    def languages(self) -> dict[str, int]:
        """How many passages there are in each language, most first."""
        import pyarrow as pa

        masked = [self._batch(first).column("language").filter(pa.array(mask)) for first, mask in self._masks({})]
        counts = pa.chunked_array(masked, pa.large_utf8()).value_counts().to_pylist()
        return dict(most_first((count["values"], count["counts"]) for count in counts))

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
                indices = mask.nonzero()[0][max(0, start - total) : start + limit - total]
                rows += [first + int(index) for index in indices]
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
            starts = begins.nonzero()[0]
            if runs and total <= start + limit:
                # What is left of the last document of the batch before.
                end = int(starts[0]) if len(starts) else len(mask)
                runs[-1] = (runs[-1][0], runs[-1][1] + int(mask[:end].sum()))
            for number in range(max(0, start - total), min(len(starts), start + limit - total)):
                end = int(starts[number + 1]) if number + 1 < len(starts) else len(mask)
                runs.append((first + int(starts[number]), int(mask[starts[number] : end].sum())))
            total += len(starts)
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
    return sorted((pair for pair in counts if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))


Numbers = NDArray[np.int32]
NO_NUMBERS: Numbers = np.zeros(0, dtype=np.int32)

AlignedTexts = Sequence[tuple[str, str]]
"""Texts with the same meaning, each as (language, text)."""
SEED = 1
"""That of the draw, so that a corpus built again is the same."""


def aligned_groups(table: PassageTable, most: int) -> Iterator[AlignedTexts]:
    """Groups of two languages or more, in order of their names; `most` of them, drawn at random, where there are more.

    Of each language a group gives its first passage: an article's first ones say what it is about, and later ones of
    two languages are seldom translations of each other.
    """
    rows, groups, languages = _group_numbers(table)
    if not len(rows):
        return
    pairs = np.unique(np.stack([groups, languages]), axis=1)
    numbers, counts = np.unique(pairs[0], return_counts=True)
    aligned = numbers[counts > 1].tolist()
    if len(aligned) > most:
        aligned = random.Random(SEED).sample(aligned, most)  # noqa: S311 (a repeatable sample, nothing secret)
    indices = np.flatnonzero(np.isin(groups, aligned))
    # `unique` gives the first place of each pair, and rows ascend.
    _, first = np.unique(np.stack([groups[indices], languages[indices]]), axis=1, return_index=True)
    members = table.passages(sorted(rows[indices[first]].tolist()))
    for _, passages in groupby(sorted(members, key=lambda passage: passage.group), key=lambda passage: passage.group):
        yield [(passage.language, passage.searchable) for passage in passages]


def _group_numbers(table: PassageTable) -> tuple[Rows, Numbers, Numbers]:
    """The rows of passages with a group, ascending, and their groups and languages, each as a number from 0."""
    import pyarrow.compute as pc

    if not table.size:
        return NO_ROWS, NO_NUMBERS, NO_NUMBERS
    groups, languages = (table.column(name).dictionary_encode() for name in ("group", "language"))
    group_of, language_of = (
        np.concatenate([chunk.indices.to_numpy() for chunk in column.chunks]) for column in (groups, languages)
    )
    with_group = group_of != pc.index(groups.chunk(0).dictionary, "").as_py()
    with_group[table.removed] = False
    return np.flatnonzero(with_group), group_of[with_group], language_of[with_group]


OF_PAGES = ("document", "group")
"""The columns that hold the key of a passage's page."""

GoldLanguages = Mapping[str, frozenset[str]]
"""The languages in which a corpus has a gold, by its name; golds that it does not have are left out."""


class GoldPlaces:
    """The golds of questions in one corpus, each looked up once.

    A page is kept as the rows of its passages, 8 bytes each. All pages of a call to `prepare` are looked up in one pass
    over the corpus, so call it with the golds of many questions.
    """

    def __init__(self, table: PassageTable, lexical: Callable[[], LexicalIndex]) -> None:
        """`lexical` opens the index that knows passages by their ids; pages do without."""
        self._table = table
        self._lexical = lexical
        self._pages: dict[str, Mapping[str, Rows]] = {}

    def prepare(self, golds: Iterable[str]) -> None:
        """Looks up the pages among some golds."""
        keys = {key for name in golds if (key := page_key(name)) and key not in self._pages}
        if not keys:
            return
        rows = self._table.rows_with(keys, OF_PAGES)
        by_key: dict[str, dict[str, list[int]]] = {key: {} for key in keys}
        for row, (language, *pages) in zip(rows, self._table.values(rows, ("language", *OF_PAGES)), strict=True):
            for key in keys.intersection(pages):
                by_key[key].setdefault(language, []).append(row)
        for key, by_language in by_key.items():
            self._pages[key] = {
                language: np.array(rows_of_page, dtype=np.int64) for language, rows_of_page in by_language.items()
            }

    def languages(self, golds: Collection[str]) -> GoldLanguages:
        """The languages in which the corpus has each of the golds."""
        self.prepare(golds)
        ids = [name for name in golds if not page_key(name)]
        rows = self._lexical().rows_of(ids) if ids else {}
        texts = self._table.values(rows.values(), ("language",))
        languages = {name: frozenset(language) for name, language in zip(rows, texts, strict=True)}
        for name in golds:
            if (key := page_key(name)) and self._pages[key]:
                languages[name] = frozenset(self._pages[key])
        return languages

    def units(self, golds: Sequence[str], hits: Sequence[Hit]) -> tuple[str, ...]:
        """The unit of each hit in which golds are counted: its id or, where golds are pages, the name of its page.

        A page stands as often as it has passages among the hits; measures count it once, in the first one's place.
        """
        if not any(map(page_key, golds)):
            return tuple(hit.id for hit in hits)
        pages = self._table.values((hit.row for hit in hits), OF_PAGES)
        return tuple(_unit(golds, document, group) for document, group in pages)

    def units_of_ids(self, golds: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
        """As `units`, of passages by their ids; one that the corpus does not have is a unit of its own."""
        if not any(map(page_key, golds)):
            return tuple(ids)
        rows = self._lexical().rows_of(ids)
        pages = dict(zip(rows, self._table.values(rows.values(), OF_PAGES), strict=True))
        return tuple(_unit(golds, *pages[name]) if name in pages else name for name in ids)

    def among(self, golds: Collection[str], ids: Sequence[str]) -> set[str]:
        """The ids of those passages that are gold, or of a gold page."""
        rows = self._lexical().rows_of(ids)
        pages = dict(zip(rows, self._table.values(rows.values(), OF_PAGES), strict=True))
        named = {name for name, keys in pages.items() if any(page_name(key) in golds for key in keys if key)}
        return named | set(golds).intersection(ids)

    def passages(self, gold: str, languages: Collection[str], limit: int | None = None) -> list[tuple[int, Passage]]:
        """The passages of a gold in some languages with their rows, ascending; of a page `limit` at most."""
        key = page_key(gold)
        if key:
            self.prepare([gold])
            rows = sorted(int(row) for code in languages for row in self._pages[key].get(code, ()))[:limit]
        else:
            rows = list(self._lexical().rows_of([gold]).values())
        passages = zip(rows, self._table.passages(rows), strict=True)
        return [(row, passage) for row, passage in passages if passage.language in languages]


def _unit(golds: Sequence[str], document: str, group: str) -> str:
    """The page of a passage: the gold one that it belongs to, else by its group, or by its document without one."""
    names = [page_name(key) for key in (group, document) if key]
    return next((name for name in names if name in golds), names[0] if names else page_name(""))
