"""What the pages of a Parquet file hold by their headers, which a reader obeys; the file's totals may understate it.

A column chunk is a row of pages, each behind a header in Thrift's compact protocol: (1) type, (2) bytes once unpacked,
(3) bytes in the file, and the number of values in (5) a data page's or (8) a second version's header. Source: the
Parquet format, `parquet.thrift`; Thrift, "Compact protocol encoding".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from workbench.core import DataError
from workbench.data.datasets.files.record import NOTHING_IMPORTED

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
