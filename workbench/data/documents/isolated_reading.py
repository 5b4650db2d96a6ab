"""Reading files in a process of its own, with limits on memory and time.

A file that makes the process fall, hang or grow is refused in a sentence; a PDF file goes on after the page at which
that happened. One process reads many files, one after the other, and is started again after it ended. What a reader
gives, in order: a document begins, its sections follow, and what could not be read.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from workbench.core import DataError
from workbench.workspace import ROOT

NOT_READ = "so nothing of it was read"
SECTION_LIMIT = 20_000
"""Characters of one section; a longer text is given in several."""

Kind = Literal["text", "heading", "table", "notes"]
Furniture = Literal["running head", "references", "contents", "navigation"]
"""What stands in a document beside its text."""


@dataclass(frozen=True, slots=True)
class DocumentStart:
    """A document begins: its name within what people gave, its title and, where the file states it, its language.

    `pages` are those of a PDF file, 0 elsewhere.
    """

    name: str
    title: str = ""
    language: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that is read without a break, on one page (from 1; 0 where there are none).

    `heading` is the last heading above it. `is_at_edge`: it is a line at the head or foot of its page, apart from the
    rest. `furniture` is set by `mark_furniture`.
    """

    text: str
    page: int = 0
    heading: str = ""
    kind: Kind = "text"
    is_at_edge: bool = False
    furniture: Furniture | None = None


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """A sentence about what could not be read, or not surely; `page` is 0 where it is about the file.

    `kind` is a word to count by: `scan`, `unmapped`, `order` and others of `pdf_pages`, `skipped`, `macros`, `ocr`.
    """

    name: str
    kind: str
    message: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class PageMark:
    """A page (0: none) is about to be read, so that it is known where a reader that fails stood.

    `is_slow`: what follows may take long, such as recognising the page's image, or another file of an archive.
    """

    page: int
    is_slow: bool = False


Part = DocumentStart | Section | ReadingWarning | PageMark


@dataclass(frozen=True, slots=True)
class OcrRequest:
    """When pages are recognised from their image, and in which languages (ISO 639; none: by the script that is seen).

    `missing`: where the text layer cannot give a page; `all`: every page; `off`: none.
    """

    pages: Literal["missing", "all", "off"] = "missing"
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A file to read: where it lies, the name it has for people, and where to begin (a page, from 1)."""

    path: Path
    name: str
    ocr: OcrRequest = field(default_factory=OcrRequest)
    first_page: int = 1

    def error(self, problem: str, remedy: str = "") -> DataError:
        """The error for a `problem` of the file, a phrase such as “is empty”."""
        return DataError(f"{self.name} {problem}, {NOT_READ}{f': {remedy}' if remedy else ''}.")


FileReader = Callable[[FileRequest], Iterator[Part]]
"""Reads one file. Raises DataError, in one sentence, for one that cannot be read."""


class ShownPage(NamedTuple):
    """A page as an image (PNG) with boxes on it, each as left, top, width and height in shares of the page (0 to 1)."""

    image: bytes
    boxes: list[tuple[float, float, float, float]]


def pieces(text: str, limit: int = SECTION_LIMIT) -> Iterator[str]:
    """`text` in parts of at most `limit` characters, cut at white space where there is some."""
    start = 0
    while len(text) - start > limit:
        cut = max(text.rfind(sign, start + limit // 2, start + limit) for sign in "\n ") + 1
        end = cut if cut > start else start + limit
        yield text[start:end]
        start = end
    if text[start:].strip():
        yield text[start:]


MEMORY = 3 << 30
"""Bytes of address space for one process; the libraries take half a gigabyte before they read anything."""
SILENCE = 150.0
"""Seconds without a part after which a file, or the page at hand, is given up; Tesseract may take 120."""
PAGE_SECONDS = 15.0
"""As SILENCE, for a page of which only the text layer is read: that of a dense page takes a second."""
MESSAGE_LIMIT = 64 << 20
"""Bytes of one part, or of a page's image."""
FALLS_LIMIT = 5
"""Pages of one file at which the process may fall before the file is refused."""
KINDS = {kind.__name__: kind for kind in (DocumentStart, Section, ReadingWarning, PageMark)}


class _Fallen(Exception):
    """The process ended, or was ended, while it read; the message is a phrase for people."""


class IsolatedReader:
    """Reads files in one process at a time; close it, or use it as a context."""

    def __init__(self, *, memory: int = MEMORY, silence: float = SILENCE) -> None:
        """Starts nothing yet."""
        self._memory = memory
        self._silence = silence
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = bytearray()

    def __enter__(self) -> Self:
        """This reader."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    @property
    def process_id(self) -> int:
        """The number of the process, 0 where none runs."""
        return self._process.pid if self._process else 0

    def read(self, request: FileRequest) -> Iterator[Part]:
        """Yields the parts of a file. Raises DataError, in one sentence, for one that cannot be read."""
        falls = page = 0
        document, started = request.name, False
        while True:
            try:
                for part in self._parts(request):
                    if isinstance(part, PageMark):
                        page = part.page
                        continue
                    if isinstance(part, DocumentStart):
                        document, page = part.name, 0
                    if not (isinstance(part, DocumentStart) and started and falls):
                        started = started or isinstance(part, DocumentStart)
                        yield part
                return
            except _Fallen as error:
                falls += 1
                if document != request.name:  # a member of an archive, within which reading cannot go on
                    raise request.error(f"holds {document}, which {error}", "leave that one out") from error
                if not page or falls > FALLS_LIMIT:
                    raise request.error(f"{error}", "save it again, or leave it out") from error
                message = f"{request.name}, page {page} {error}: its text is missing."
                yield ReadingWarning(request.name, "damaged", message, page)
                request, page = replace(request, first_page=page + 1), 0
            except GeneratorExit:
                self.close()  # nobody reads on: what the process still writes belongs to no one
                raise

    def shown_page(self, request: FileRequest, number: int, sentence: str) -> ShownPage:
        """The image of a PDF file's page with the boxes of a sentence on it. Raises DataError where it has none."""
        try:
            self._send(replace(request, first_page=number), sentence)
            value = self._receive(min(PAGE_SECONDS, self._silence))
        except _Fallen as error:
            raise request.error(f"{error} when page {number} is drawn") from error
        if "error" in value:
            raise DataError(value["error"])
        return ShownPage(b64decode(value["image"]), [(box[0], box[1], box[2], box[3]) for box in value["boxes"]])

    def close(self) -> None:
        """Ends the process, whatever it does."""
        process, self._process = self._process, None
        self._buffer.clear()
        if process is None:
            return
        with suppress(OSError):
            os.killpg(process.pid, 9)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                with suppress(OSError):
                    stream.close()

    def _parts(self, request: FileRequest) -> Iterator[Part]:
        self._send(request)
        silence = self._silence
        while True:
            value = self._receive(silence)
            if "error" in value:
                raise DataError(value["error"])
            if "end" in value:
                return
            part = KINDS[value.pop("part")](**value)
            if isinstance(part, PageMark):
                silence = self._silence if part.is_slow else min(PAGE_SECONDS, self._silence)
            yield part

    def _send(self, request: FileRequest, sentence: str | None = None) -> None:
        process = self._started()
        words = {
            "path": str(request.path.absolute()),
            "name": request.name,
            "first_page": request.first_page,
            "pages": request.ocr.pages,
            "languages": list(request.ocr.languages),
            "sentence": sentence,
        }
        try:
            if process.stdin:
                process.stdin.write(json.dumps(words).encode("utf-8", "replace") + b"\n")
                process.stdin.flush()
        except OSError as error:
            self.close()
            raise _Fallen("ended the program that reads it") from error

    def _receive(self, silence: float) -> dict[str, Any]:
        """The next line of the process, as JSON. Raises _Fallen where none comes within `silence` seconds."""
        process = self._process
        number = process.stdout.fileno() if process and process.stdout else -1
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MESSAGE_LIMIT:
                self.close()
                raise _Fallen("has a part that is too long")
            if not _has_data(number, silence):
                self.close()
                raise _Fallen(f"takes longer than {silence:.0f} seconds")
            data = os.read(number, 1 << 16)
            if not data:
                self.close()
                raise _Fallen("ended the program that reads it")
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        value: dict[str, Any] = json.loads(line)
        return value

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None and not self._buffer:
            self.close()
        if self._process is None:
            path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            self._process = subprocess.Popen(  # noqa: S603 - our interpreter and module, and a number of ours
                [sys.executable, "-m", "workbench.data.documents.isolated_worker", str(self._memory)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "OMP_THREAD_LIMIT": "1"},
            )
        return self._process


def _has_data(number: int, seconds: float) -> bool:
    """Waits until there is something to read; False where there is not. Not `select`, which knows 1,024 open files."""
    poll = select.poll()
    poll.register(number, select.POLLIN)
    return bool(poll.poll(1000 * seconds))
