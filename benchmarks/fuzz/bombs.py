"""Files that are small on disk and enormous in memory, and files without end; each read by a process of its own."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

MEMORY = 4 << 30
SECONDS = 120
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


def parquet(folder: Path, *, lists: bool = False) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    text = "x" * (6 << 20)
    if lists:
        column = pa.array([[["d1"] * 1_000_000]] * 2)
        qa = {"qid": ["a", "b"], "query": ["q"] * 2, "retrieval_gt": column, "generation_gt": [["a"]] * 2}
        corpus = {"doc_id": ["d1"], "contents": ["text"]}
    else:
        qa = {"qid": ["a"], "query": ["q"], "retrieval_gt": [[["0"]]], "generation_gt": [["a"]]}
        ids = [str(number) for number in range(1_000)]
        contents = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000, pa.int32()), pa.array([text]))
        corpus = {"doc_id": ids, "contents": contents}
    pq.write_table(pa.table(corpus), folder / "corpus.parquet", compression="zstd", store_schema=False)
    pq.write_table(pa.table(qa), folder / "qa.parquet", compression="zstd", store_schema=False)
    return folder


def xlsx(path: Path, sheet: Iterator[bytes], texts: Iterator[bytes] | None = None) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(("question", "answer"))  # type: ignore[union-attr]
    book.active.append(("Who?", "I"))  # type: ignore[union-attr]
    plain = path.with_suffix(".plain.xlsx")
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            pieces: Iterator[bytes] = iter((old.read(part),))
            if part.filename == "xl/worksheets/sheet1.xml":
                pieces = sheet
            elif part.filename == "xl/sharedStrings.xml" and texts:
                pieces = texts
            with new.open(part.filename, "w", force_zip64=True) as target:
                for piece in pieces:
                    target.write(piece)
    return path


def cells(count: int) -> Iterator[bytes]:
    start, end = SHEET.split("{}")
    yield f"{start}<row r='1'>".encode()
    for _ in range(count // 100_000):
        yield b"<c t='inlineStr'><is><t>a</t></is></c>" * 100_000
    yield f"</row>{end}".encode()


def one_cell(megabytes: int) -> Iterator[bytes]:
    start, end = SHEET.split("{}")
    yield f"{start}<row r='1'><c t='inlineStr'><is><t>question</t></is></c></row>".encode()
    yield b"<row r='2'><c t='inlineStr'><is><t>"
    for _ in range(megabytes):
        yield b"a" * (1 << 20)
    yield f"</t></is></c></row>{end}".encode()


def wide_rows(count: int) -> Iterator[bytes]:
    start, end = SHEET.split("{}")
    yield start.encode()
    for number in range(1, count + 1):
        yield f"<row r='{number}'><c r='XFD{number}'><v>1</v></c></row>".encode()
    yield end.encode()


def gzipped(path: Path, piece: bytes, times: int, head: bytes = b"") -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(head)
        for _ in range(times):
            file.write(piece)
    return path


def endless(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


def nested(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def bombs(folder: Path) -> list[tuple[str, Callable[[], Path], tuple[str, ...]]]:
    """Each with its name, what makes it, and the command line, in which {} is its path."""
    table = ("import", "table", "{}", "--name", "b", "--lang", "en")
    squad = ("import", "squad", "{}", "--name", "b", "--lang", "en")
    autorag = ("import", "autorag", "{}", "--name", "b", "--lang", "en")
    mkqa = ("import", "mkqa", "{}", "--name", "b")
    rows = b"a\n" * 500_000
    deep = "[" * 50_000 + "]" * 50_000
    return [
        ("parquet, 1,000 rows of one text of 6 MB", lambda: parquet(folder / "p1"), autorag),
        ("parquet, a row of 1,000,000 ids", lambda: parquet(folder / "p2", lists=True), autorag),
        ("xlsx, 16 M cells in a row", lambda: xlsx(folder / "cells.xlsx", cells(16_000_000)), table),
        ("xlsx, 400 k cells in a row", lambda: xlsx(folder / "cells2.xlsx", cells(400_000)), table),
        ("xlsx, a cell of 900 MB", lambda: xlsx(folder / "cell.xlsx", one_cell(900)), table),
        ("xlsx, a cell of 300 MB", lambda: xlsx(folder / "cell3.xlsx", one_cell(300)), table),
        ("xlsx, 200,000 rows with a cell in XFD", lambda: xlsx(folder / "wide.xlsx", wide_rows(200_000)), table),
        ("csv.gz of 105 M rows", lambda: gzipped(folder / "r.csv.gz", rows, 210, b"question\n"), table),
        ("csv.gz of 105 M empty rows", lambda: gzipped(folder / "e.csv.gz", b"\n" * 500_000, 210, b"question\n"),
         table),
        ("jsonl.gz, a line of 3 GB", lambda: gzipped(folder / "l.jsonl.gz", b"a" * (1 << 20), 3_000), mkqa),
        ("jsonl.gz, 105 M empty lines", lambda: gzipped(folder / "n.jsonl.gz", b"\n" * 500_000, 210), mkqa),
        ("csv, 12 M rows", lambda: _plain(folder / "rows.csv", rows, 24), table),
        ("squad from an endless file", lambda: endless(folder / "z.json"), squad),
        ("squad of 4 GB", lambda: sparse(folder / "s.json", 4 << 30), squad),
        ("squad, 40 M small values", lambda: _plain(folder / "v.json", b"[]," * 500_000, 80, b'{"data": ['), squad),
        ("run of an endless file", lambda: endless(folder / "z.yaml"), ("run", "{}", "--plan")),
        ("run of 4 GB", lambda: sparse(folder / "s.yaml", 4 << 30), ("run", "{}", "--plan")),
        ("ask with an endless recipe", lambda: endless(folder / "r.yaml"),
         ("ask", "Who?", "--lang", "en", "--recipe", "{}")),
        ("table from an endless file", lambda: endless(folder / "z.csv"), table),
        ("score of an endless file", lambda: endless(folder / "z.jsonl"), ("score", "{}")),
        ("predictions from an endless file", lambda: endless(folder / "y.jsonl"),
         ("runs", "import", "{}", "--dataset", "sample", "--name", "b", "--lang", "en")),
        ("a recipe nested 50,000 deep", lambda: nested(folder / "d.yaml", f"mode: {deep}"),
         ("ask", "Who?", "--lang", "en", "--recipe", "{}")),
        ("squad nested 50,000 deep", lambda: nested(folder / "d.json", deep), squad),
        ("endpoints.yaml nested 50,000 deep", lambda: nested(folder / "home" / "endpoints.yaml", deep),
         ("models", "list")),
        ("prices.yaml with a number of 6,000 digits",
         lambda: nested(folder / "home" / "prices.yaml", f"models: {{a: {{prompt: {'9' * 6000}}}}}"), ("doctor",)),
    ]  # fmt: skip


def _plain(path: Path, piece: bytes, times: int, head: bytes = b"question\n") -> Path:
    with path.open("wb") as file:
        file.write(head)
        for _ in range(times):
            file.write(piece)
    return path


def explode(home: Path, words: tuple[str, ...], path: Path) -> tuple[int, str, float, float]:
    """Exit code, stderr, seconds and peak memory in MB of a process that may have 4 GiB of addresses."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    command = [sys.executable, "-m", "workbench", *(word.format(path) for word in words)]
    began = time.monotonic()
    with (home.parent / "stderr").open("w+b") as err:
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=err,
            preexec_fn=limited,
            env={**os.environ, "WORKBENCH_HOME": str(home), "OPENBLAS_NUM_THREADS": "2"},
        )
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() - began > SECONDS:
                process.kill()
                ended = os.wait4(process.pid, 0)
                break
            time.sleep(0.02)
        err.seek(0)
        text = err.read().decode("utf-8", "replace")
    return os.waitstatus_to_exitcode(ended[1]), text, time.monotonic() - began, ended[2].ru_maxrss / 1024
