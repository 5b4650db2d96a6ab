"""Files that are small on disk and enormous in memory, or without end: refused in one sentence while they are read."""

from __future__ import annotations

import gzip
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.core.errors import DataError, UsageError
from workbench.data.datasets import parquet, records, squad_json, workbook
from workbench.data.datasets.formats import table
from workbench.data.datasets.formats.squad import read_squad
from workbench.data.datasets.parquet import chunk_totals, parquet_records
from workbench.data.datasets.records import json_records, lines
from workbench.data.datasets.workbook import workbook_records
from workbench.experiments.experiment import experiment_from_file
from workbench.pipeline.recipe import recipe_from_file

SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


def refused(read: Callable[[], object], *expected: str, megabytes: int = 100) -> None:
    """Asserts one short sentence, and that little memory was used by then."""
    tracemalloc.start()
    try:
        with pytest.raises(UsageError) as caught:
            read()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    sentence = str(caught.value)
    assert "\n" not in sentence and len(sentence) < 400
    for words in expected:
        assert words in sentence
    assert peak < megabytes << 20


def dictionary(path: Path, column: pa.Array) -> Path:
    pq.write_table(pa.table({"text": column}), path, store_schema=False, compression="zstd")
    return path


def test_one_text_a_thousand_times_is_not_decoded_a_thousand_times(tmp_path: Path) -> None:
    indices = pa.array([0] * 1_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["x" * (6 << 20)]))
    path = dictionary(tmp_path / "a.parquet", column)
    assert path.stat().st_size < 10_000
    before = pa.total_allocated_bytes()
    refused(lambda: list(parquet_records(path, ["text"])), "a.parquet unpacks to more than 200 times its size")
    assert pa.total_allocated_bytes() - before < 64 << 20


def test_a_row_of_a_million_values_and_a_long_one_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_BYTES", 0)
    monkeypatch.setattr(parquet, "ROW_VALUES_LIMIT", 50)
    monkeypatch.setattr(parquet, "LINE_LIMIT", 100)
    many = dictionary(tmp_path / "many.parquet", pa.array([["a"], ["a"] * 60]))
    refused(lambda: list(parquet_records(many, ["text"])), "many.parquet, row 2 has more than 50 values")
    long = dictionary(tmp_path / "long.parquet", pa.array(["a", "b" * 101]))
    refused(lambda: list(parquet_records(long, ["text"])), "long.parquet, row 2 is longer than")
    monkeypatch.setattr(parquet, "VALUES_LIMIT", 1)
    refused(lambda: list(parquet_records(long, ["text"])), "a row group of more than 1 values")


@pytest.mark.parametrize("batch_bytes", [0, 64 << 20])
def test_nested_values_are_the_same_read_at_once_or_row_by_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_bytes: int
) -> None:
    monkeypatch.setattr(parquet, "BATCH_BYTES", batch_bytes)
    rows = {
        "text": ["a", None, "ä"],
        "gold": [[["x", "y"]], [], None],
        "meta": [{"title": "t", "n": 1}, None, {"title": None, "n": 2}],
    }
    pq.write_table(pa.table(rows), tmp_path / "n.parquet")
    records = [dict(record.values) for record in parquet_records(tmp_path / "n.parquet", list(rows))]
    assert records == pa.table(rows).to_pylist()


def varint(number: int, width: int = 0) -> bytes:
    """A number as Thrift writes it, filled up to `width` bytes."""
    number = number << 1
    out: list[int] = []
    while number >= 0x80 or len(out) + 1 < width:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def understated(path: Path, *totals: int) -> Path:
    """Writes 1 over these totals in the file's metadata, which its end holds."""
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:]
    for total in totals:
        assert varint(total) in footer
        footer = footer.replace(varint(total), varint(1, len(varint(total))))
    path.write_bytes(content[:start] + footer)
    return path


def test_a_row_group_larger_than_its_metadata_says_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = dictionary(tmp_path / "a.parquet", pa.array(["x" * (3 << 20)]))
    total = pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    understated(path, total)
    assert pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size == 1
    assert len(next(parquet_records(path, ["text"])).text("text")) == 3 << 20
    monkeypatch.setattr(parquet, "GROUP_LIMIT", 2 << 20)
    refused(lambda: list(parquet_records(path, ["text"])), "a.parquet has a row group of 3 MiB")


def test_more_values_in_a_row_group_than_its_metadata_says_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = dictionary(tmp_path / "a.parquet", pa.array([["a"] * 70_001]))
    understated(path, 70_001)
    assert pq.read_metadata(path).row_group(0).column(0).num_values == 1
    monkeypatch.setattr(parquet, "VALUES_LIMIT", 70_000)
    refused(lambda: list(parquet_records(path, ["text"])), "a row group of more than 70,000 values")


def test_a_column_of_endless_pages_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["a" * 99, "b" * 99] * 50}), path, data_page_size=1, write_batch_size=1)
    assert len(list(parquet_records(path, ["text"]))) == 100
    monkeypatch.setattr(parquet, "PAGES_LIMIT", 20)
    refused(lambda: list(parquet_records(path, ["text"])), "a row group of more than 20 pages")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_the_pages_of_a_plain_file_hold_what_its_metadata_says(tmp_path: Path, version: str, compression: str) -> None:
    path = tmp_path / "a.parquet"
    rows = {"text": [f"text {n}" for n in range(5_000)], "n": [[n, n + 1] for n in range(5_000)]}
    pq.write_table(pa.table(rows), path, data_page_version=version, compression=compression, data_page_size=500)
    group = pq.read_metadata(path).row_group(0)
    for chunk in (group.column(place) for place in range(group.num_columns)):
        totals = chunk_totals(path, chunk)
        assert totals.values == chunk.num_values
        assert 0.5 * chunk.total_uncompressed_size < totals.size <= chunk.total_uncompressed_size


def workbook_file(path: Path, sheet: str) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.save(path.with_suffix(".plain"))
    with zipfile.ZipFile(path.with_suffix(".plain")) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            is_sheet = part.filename == "xl/worksheets/sheet1.xml"
            new.writestr(part.filename, SHEET.format(sheet) if is_sheet else old.read(part))
    return path


CELL = "<c t='inlineStr'><is><t>a</t></is></c>"


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        (f"<row r='1'>{CELL * 17_000}</row>", "has more than 16,384 cells in row 1"),
        (
            f"<row>{CELL}</row><row><c t='inlineStr'><is><t>{'a' * 2_000_000}</t></is></c></row>",
            "a cell of more than 1,048,576 characters",
        ),
        ("<row r='1'><c r='XFE1'><v>1</v></c></row>", "has more than 16,384 cells in row 1"),
        ("".join(f"<row><c r='XFD{n}'><v>1</v></c></row>" for n in range(700)), "has more than 10,000,000 cells"),
        ("<a>" * 70 + "</a>" * 70, "has XML that is nested too deeply"),
        (f"<row r='1' spans='{'1' * 5_000_000}'>{CELL}</row>", "has a piece of XML that is too long"),
    ],
)  # fmt: skip
def test_a_workbook_is_counted_before_it_is_read(tmp_path: Path, sheet: str, expected: str) -> None:
    path = workbook_file(tmp_path / "b.xlsx", sheet)
    refused(lambda: list(workbook_records(path)), expected)


def test_rows_and_texts_of_a_workbook_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook_file(tmp_path / "b.xlsx", f"<row>{CELL}</row>" * 20)
    monkeypatch.setattr(workbook, "SHEET_ROWS_LIMIT", 10)
    refused(lambda: list(workbook_records(path)), "b.xlsx has more than 10 rows")
    monkeypatch.setattr(workbook, "CHARACTERS_LIMIT", 5)
    refused(lambda: list(workbook_records(path)), "b.xlsx has more than 5 characters")


def test_a_gzip_file_may_not_unpack_to_far_more_than_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "FREE_BYTES", 1 << 20)
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzip.compress(b"question\n" + (b"a" * 199 + b"\n") * 20_000))
    refused(lambda: sum(1 for _ in lines(path)), "r.csv.gz unpacks to more than 200 times its size")
    plain = tmp_path / "r.csv"
    plain.write_bytes(b"question\n" + (b"a" * 199 + b"\n") * 20_000)
    assert sum(1 for _ in lines(plain)) == 20_001


def test_a_table_has_a_bounded_number_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "ROWS_LIMIT", 10)
    csv, jsonl = tmp_path / "r.csv", tmp_path / "r.jsonl"
    csv.write_text("question\n" + "a\n" * 10, encoding="utf-8")
    jsonl.write_text('{"question": "a"}\n' * 11, encoding="utf-8")
    for path in (csv, jsonl):
        refused(lambda path=path: list(table.table_rows(path)), f"{path.name} has more than 10 lines")  # type: ignore[misc]
    assert len(list(records.delimited_records(csv))) == 10
    assert len(list(json_records(jsonl))) == 11


def test_empty_lines_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "ROWS_LIMIT", 10)
    path = tmp_path / "r.jsonl"
    path.write_text("\n" * 11, encoding="utf-8")
    refused(lambda: list(json_records(path)), "r.jsonl has more than 10 empty lines")


def test_squad_is_bounded_by_bytes_and_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"data": [' + "[]," * 50 + "[]]}", encoding="utf-8")
    monkeypatch.setattr(squad_json, "PARTS_LIMIT", 100)
    refused(lambda: read_squad([path], "en"), "s.json has more than 100 values")
    monkeypatch.setattr(squad_json, "FILE_LIMIT", 50)
    refused(lambda: read_squad([path], "en"), "s.json is larger than")


READERS: dict[str, Callable[[Path], object]] = {
    "squad": lambda path: read_squad([path], "en"),
    "run": experiment_from_file,
    "ask --recipe": recipe_from_file,
    "lines": lambda path: list(lines(path)),
    "xlsx": lambda path: list(workbook_records(path)),
    "parquet": lambda path: list(parquet_records(path, ["a"])),
}


@pytest.mark.parametrize("reader", READERS)
def test_an_endless_file_is_not_read(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "endless"
    path.symlink_to("/dev/zero")
    refused(lambda: READERS[reader](path), "is not an ordinary file", megabytes=20)


@pytest.mark.parametrize("reader", ["run", "ask --recipe"])
def test_of_a_long_file_no_more_is_read_than_may_be_in_it(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    with path.open("wb") as file:
        file.truncate(4 << 30)
    refused(lambda: READERS[reader](path), "has more than", "000 characters, the most a", megabytes=20)


def test_what_is_refused_is_a_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(DataError):
        read_squad([tmp_path / "s.json"], "en")
