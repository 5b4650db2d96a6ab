"""Parquet files row by row, a batch at a time; rows count from 1.

A column of few different texts is small in a file and may be enormous once decoded. So texts are read as references to
the column's dictionary, and a row is decoded only after its size is known.

A reader obeys the headers of pages; the file's totals may understate them, so the headers are summed. A column chunk is
a row of pages, each behind a header in Thrift's compact protocol: (1) type, (2) bytes once unpacked, (3) bytes in the
file, and the number of values in (5) a data page's or (8) a second version's header. Source: the Parquet format,
`parquet.thrift`; Thrift, "Compact protocol encoding".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from workbench.core import DataError, shorten
from workbench.data.datasets.records import FREE_BYTES, LINE_LIMIT, NOTHING_IMPORTED, RATIO, Record, checked_file

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile


PAGES_LIMIT = 200_000
"""Pages of one column in one row group. Writers cut them at 20,000 rows or 1 MiB."""
HEADER_LIMIT = 1 << 20
"""Bytes of one header, most of them the smallest and largest value of its page."""
DEPTH_LIMIT = 8
UNPACKED, PACKED, PAGE, PAGE_V2, VALUES = 2, 3, 5, 8, 1
STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)


class ChunkTotals(NamedTuple):
    """The bytes of a column chunk's pages once unpacked, and the number of its values."""

    size: int
    values: int


def chunk_totals(path: Path, chunk: Any) -> ChunkTotals:
    """Adds up the pages of a column chunk, given by its metadata, without unpacking one.

    Raises DataError for headers that cannot be read, and for more pages than `PAGES_LIMIT`.
    """
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        start = min(start, chunk.dictionary_page_offset)
    end = start + chunk.total_compressed_size
    size = values = pages = 0
    with path.open("rb") as file:
        while start < end:
            file.seek(start)
            header = _Header(file, min(HEADER_LIMIT, end - start), path.name)
            fields = header.struct()
            unpacked, packed = fields.get(UNPACKED), fields.get(PACKED)
            if not isinstance(unpacked, int) or not isinstance(packed, int) or min(unpacked, packed) < 0:
                raise header.damaged()
            page = fields.get(PAGE) or fields.get(PAGE_V2) or {}
            count = page.get(VALUES) if isinstance(page, dict) else None
            size += unpacked
            values += count if isinstance(count, int) and count > 0 else 0
            start += header.length + packed
            pages += 1
            if pages > PAGES_LIMIT:
                raise DataError(
                    f"{path.name} has a row group of more than {PAGES_LIMIT:,} pages, {NOTHING_IMPORTED}: write it "
                    "again with larger ones."
                )
    return ChunkTotals(size, values)


class _Header:
    """Reads one structure of Thrift's compact protocol; `length` is the number of bytes read so far."""

    def __init__(self, file: BinaryIO, limit: int, name: str) -> None:
        self._file = file
        self._limit = limit
        self._name = name
        self.length = 0

    def damaged(self) -> DataError:
        return DataError(
            f"{self._name} is not a complete Parquet file (the header of a page cannot be read), {NOTHING_IMPORTED}."
        )

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields by number; those of other types than numbers and structures are passed over."""
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._bytes(1)[0]) != STOP:
            step, kind = head >> 4, head & 0x0F
            number = number + step if step else self._number()
            fields[number] = True if kind in (TRUE, FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEPTH_LIMIT:
            raise self.damaged()
        if kind in (I16, I32, I64):
            return self._number()
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind == BINARY:
            self._bytes(self._varint())
        elif kind in (TRUE, FALSE, BYTE):
            self._bytes(1)
        elif kind == DOUBLE:
            self._bytes(8)
        elif kind in (LIST, SET):
            head = self._bytes(1)[0]
            for _ in range(self._varint() if head >> 4 == 0x0F else head >> 4):
                self._value(head & 0x0F, depth + 1)
        else:
            raise self.damaged()
        return None

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._bytes(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise self.damaged()

    def _bytes(self, count: int) -> bytes:
        self.length += count
        if self.length > self._limit:
            raise self.damaged()
        data = self._file.read(count)
        if len(data) < count:
            raise self.damaged()
        return data


GROUP_LIMIT = 512 << 20
"""Bytes of the columns of one row group as encoded: a reader keeps them in memory."""
VALUES_LIMIT = 20_000_000
"""Values of one column in one row group; a list counts its items."""
ROW_VALUES_LIMIT = 100_000
"""Values of one row."""
BATCH_BYTES = 64 << 20
"""A batch that cannot be larger than this once decoded is decoded at once."""
ROWS_PER_BATCH = 1_000


def parquet_records(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Record]:
    """Yield the rows with the values of `columns`, and of the `optional` ones that the file has.

    Raises UsageError for a path that is not a file, DataError for a damaged file, one that lacks a column, and one with
    a row group or a row that is too large.
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
            selected = [*columns, *(name for name in optional if name in names)]
            leaves = [column for column in _leaves(file) if column.path.split(".")[0] in selected]
            _check_groups(file, path, [column.path for column in leaves])
            texts = [column.path for column in leaves if column.physical_type == "BYTE_ARRAY"]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            decoded, most = 0, max(FREE_BYTES, RATIO * path.stat().st_size)
            for batch in file.iter_batches(batch_size=ROWS_PER_BATCH, columns=selected):
                decoded += sum(_text_bytes(column) for column in batch.columns)
                if decoded > most:
                    raise DataError(
                        f"{path.name} unpacks to more than {RATIO} times its size, {NOTHING_IMPORTED}: write it "
                        "again without compression."
                    )
                for values in _rows(batch, path.name, number):
                    number += 1
                    yield Record(f"{path.name}, row {number}", values)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        after = f" after row {number}" if number else ""
        raise DataError(
            f"{path.name} is not a complete Parquet file ({shorten(error)}){after}, {NOTHING_IMPORTED}."
        ) from error


def _leaves(file: ParquetFile) -> list[Any]:
    return [file.schema.column(index) for index in range(len(file.schema))]


def _check_groups(file: ParquetFile, path: Path, columns: Sequence[str]) -> None:
    """Raises DataError for a row group in which some columns hold too many bytes or values, whatever its totals say."""
    for number in range(file.num_row_groups):
        group = file.metadata.row_group(number)
        chunks = [group.column(index) for index in range(group.num_columns)]
        size = 0
        for chunk in (column for column in chunks if column.path_in_schema in columns):
            pages = chunk_totals(path, chunk)
            size += max(chunk.total_uncompressed_size, pages.size)
            if size > GROUP_LIMIT:
                raise DataError(
                    f"{path.name} has a row group of {size >> 20:,} MiB, more than the {GROUP_LIMIT >> 20} allowed, "
                    f"{NOTHING_IMPORTED}: write it again with smaller ones."
                )
            if max(chunk.num_values, pages.values) > VALUES_LIMIT:
                raise DataError(
                    f"{path.name} has a row group of more than {VALUES_LIMIT:,} values, {NOTHING_IMPORTED}: write it "
                    "again with smaller ones."
                )


def _rows(batch: pa.RecordBatch, name: str, before: int) -> Iterator[dict[str, Any]]:
    """The rows of a batch, decoded at once where they are small, otherwise one by one after a look at each."""
    if sum(_most_bytes(column) for column in batch.columns) <= BATCH_BYTES:
        yield from batch.to_pylist()
        return
    for index in range(batch.num_rows):
        size, count = _size(column[index] for column in batch.columns)
        where = f"{name}, row {before + index + 1}"
        if size > LINE_LIMIT:
            raise DataError(f"{where} is longer than {LINE_LIMIT >> 20} MiB, {NOTHING_IMPORTED}.")
        if count > ROW_VALUES_LIMIT:
            raise DataError(f"{where} has more than {ROW_VALUES_LIMIT:,} values, {NOTHING_IMPORTED}.")
        yield batch.slice(index, 1).to_pylist()[0]


def _text_bytes(column: pa.Array) -> int:
    """The bytes of the column's values once decoded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _text_bytes(column.flatten())
    if pa.types.is_struct(kind):
        return sum(_text_bytes(column.field(index)) for index in range(kind.num_fields))
    return int(column.nbytes)


def _most_bytes(column: pa.Array) -> int:
    """The most bytes that the column can have once decoded, with what Python needs for each value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        longest = pc.max(pc.binary_length(column.dictionary)).as_py() or 0 if len(column.dictionary) else 0
        return len(column) * (longest + 64)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return len(column) * 64 + _most_bytes(column.flatten())
    if pa.types.is_struct(kind):
        return len(column) * 256 + sum(_most_bytes(column.field(index)) for index in range(kind.num_fields))
    return int(column.nbytes) + len(column) * 64


def _size(scalars: Iterable[Any]) -> tuple[int, int]:
    """The bytes of texts in some scalars, and the number of values; counting ends beyond the limits."""
    import pyarrow as pa

    size, count = 0, 0
    waiting = list(scalars)
    while waiting and size <= LINE_LIMIT and count <= ROW_VALUES_LIMIT:
        scalar = waiting.pop()
        count += 1
        if not scalar.is_valid:
            continue
        if isinstance(scalar, pa.DictionaryScalar):
            scalar = scalar.value
        if isinstance(scalar, pa.ListScalar | pa.LargeListScalar):
            elements = scalar.values
            if len(elements) > ROW_VALUES_LIMIT:
                return size, len(elements)
            waiting.extend(elements)
        elif isinstance(scalar, pa.StructScalar):
            waiting.extend(scalar.values())
        elif isinstance(scalar, pa.BinaryScalar | pa.StringScalar | pa.LargeBinaryScalar | pa.LargeStringScalar):
            size += len(scalar.as_buffer() or b"")
    return size, count
