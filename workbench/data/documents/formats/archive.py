"""Zip files, and the formats that are zip files inside: opened only when they cannot be bombs, read by the byte.

Of a zip file of documents each member is read as a file of its own; a zip file inside a zip file is not.

Of Word (.docx, by mammoth) the paragraphs, tables and notes are read under their headings. Where pages begin is up to
the printer, so passages are cited by their heading. A slide of PowerPoint (.pptx, by python-pptx) is a page, its title
the heading; tables and notes are read too. Macros are noticed and never run. Of EPUB books the chapters are read in the
order of the spine, by zipfile and lxml; nothing but text.
"""

from __future__ import annotations

import posixpath
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from lxml import etree

from workbench.core import DataError, shorten
from workbench.data.documents.formats.markup import markup_tree, sections, xml_tree
from workbench.data.documents.isolated_reading import (
    DocumentStart,
    FileReader,
    FileRequest,
    Part,
    ReadingWarning,
    Section,
    pieces,
)

UNPACKED_LIMIT = 1 << 30
"""Bytes of all members once unpacked."""
MEMBERS_LIMIT = 20_000
FREE_BYTES, RATIO = 32 << 20, 250
"""A zip file may unpack to RATIO times its size, and to FREE_BYTES in any case."""
XML_LIMIT = 128 << 20
"""Bytes of one XML part, which a parser keeps in memory."""
DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, KeyError,
)  # fmt: skip
"""What `zipfile` raises for a damaged or encrypted file."""
DOCTYPE_REACH = 4_096


@contextmanager
def open_zip(request: FileRequest) -> Iterator[zipfile.ZipFile]:
    """Opens a zip file whose members are within the limits.

    Raises DataError for any other, and for damage while it is read.
    """
    try:
        with zipfile.ZipFile(request.path) as archive:
            _check(request, archive)
            yield archive
    except DAMAGED as error:
        from workbench.core import WorkbenchError

        if isinstance(error, WorkbenchError):
            raise
        raise request.error("is damaged, or a part of it is missing", "save it again") from error


def _check(request: FileRequest, archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    size = request.path.stat().st_size
    unpacked = sum(member.file_size for member in members)
    if len(members) > MEMBERS_LIMIT:
        raise request.error(f"holds more than {MEMBERS_LIMIT:,} files", "split it")
    if unpacked > UNPACKED_LIMIT:
        raise request.error(f"unpacks to more than {UNPACKED_LIMIT >> 20:,} MiB", "split it")
    if unpacked > max(FREE_BYTES, RATIO * size):
        raise request.error(f"unpacks to more than {RATIO} times its size, as a zip bomb does")
    if sum(member.compress_size for member in members) > size:
        raise request.error("has members that share their bytes, as a zip bomb does")
    if any(member.flag_bits & 1 for member in members):
        raise request.error("has a password", "save it without one")


def check_parts(request: FileRequest, archive: zipfile.ZipFile) -> None:
    """Checks the XML parts of an office file or a book: small enough, and without a document type of their own.

    Document types declare entities, by which XML reads other files or grows without end. Raises DataError.
    """
    for member in archive.infolist():
        if not member.filename.lower().endswith((".xml", ".rels", ".opf", ".ncx")):
            continue
        if member.file_size > XML_LIMIT:
            raise request.error(f"has a part of more than {XML_LIMIT >> 20} MiB", "split it")
        with archive.open(member) as stream:
            start = stream.read(DOCTYPE_REACH).replace(b"\0", b"")
        if b"<!ENTITY" in start or (b"<!DOCTYPE" in start and not member.filename.lower().endswith(".ncx")):
            raise request.error("has XML with a document type, which such files never have")


def part(request: FileRequest, archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one part. Raises DataError for one that is missing or too large."""
    try:
        member = archive.getinfo(name)
    except KeyError as error:
        raise request.error(f"lacks its part {name[:60]}", "save it again") from error
    if member.file_size > XML_LIMIT:
        raise request.error(f"has a part of more than {XML_LIMIT >> 20} MiB", "split it")
    return archive.read(member)


UNSEEN = ("__macosx/", ".ds_store", "thumbs.db", "desktop.ini")
"""What systems add to archives by themselves."""


def read_archive(request: FileRequest, read: FileReader) -> Iterator[Part]:
    """Yields the parts of every member, `read` from a copy; one that cannot be read is named in a warning.

    Members' names are never used as paths. Raises DataError for a damaged archive, a bomb, one with a password and one
    in which nothing can be read.
    """
    count = 0
    with tempfile.TemporaryDirectory(prefix="documents-") as folder, open_zip(request) as archive:
        for member in archive.infolist():
            if member.is_dir() or _is_unseen(member.filename):
                continue
            name = f"{request.name}/{_shown(member.filename)}"
            if stat.S_ISLNK(member.external_attr >> 16):
                yield ReadingWarning(name, "skipped", f"{name} is a link, which is not followed.")
                continue
            copy = Path(folder) / f"member{PurePosixPath(member.filename).suffix.lower()[:16].replace('/', '')}"
            with archive.open(member) as packed, copy.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked, 1 << 20)
            try:
                yield from read(replace(request, path=copy, name=name, first_page=1))
                count += 1
            except DataError as error:
                yield ReadingWarning(name, "skipped", str(error))
            finally:
                copy.unlink(missing_ok=True)
    if not count:
        raise request.error("holds no document that can be read")


def refuse_nested(request: FileRequest) -> Iterator[Part]:
    """Reads nothing of a zip file inside a zip file. Raises DataError."""
    raise request.error("is a zip file inside a zip file", "unpack it")


def _is_unseen(name: str) -> bool:
    low = name.lower()
    return low.startswith(UNSEEN[0]) or low.rpartition("/")[2] in UNSEEN[1:]


def _shown(name: str) -> str:
    """A member's name for people, without what leads out of the archive."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "".join(sign if sign.isprintable() else "�" for sign in "/".join(parts))[-200:] or "file"


CORE = "docProps/core.xml"
TITLE = "{http://purl.org/dc/elements/1.1/}title"
TITLE_LIMIT = 300
PLACEHOLDERS = frozenset(("powerpoint presentation", "microsoft word - document", "presentation", "document1"))
"""Titles that programs write by themselves."""


def title_of(request: FileRequest, archive: zipfile.ZipFile) -> str:
    """The title in the file's properties, "" where it has none. Raises DataError for a part that is too large."""
    if CORE not in archive.namelist():
        return ""
    try:
        element = xml_tree(part(request, archive, CORE)).find(f".//{TITLE}")
    except etree.XMLSyntaxError:
        return ""
    title = " ".join((element.text or "").split())[:TITLE_LIMIT] if element is not None else ""
    return "" if title.casefold() in PLACEHOLDERS else title


def has_macros(archive: zipfile.ZipFile) -> bool:
    """Whether the file carries a program of its own."""
    return any(name.lower().endswith("vbaproject.bin") for name in archive.namelist())


STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
"""


def read_word(request: FileRequest) -> Iterator[Part]:
    """Yields a .docx file's text under its headings. Raises DataError for a damaged file or one with a password."""
    import mammoth

    with open_zip(request) as archive:
        check_parts(request, archive)
        title = title_of(request, archive)
        macros = has_macros(archive)
    with request.path.open("rb") as file:
        try:
            html = mammoth.convert_to_html(
                file,
                style_map=STYLES,
                convert_image=mammoth.images.img_element(lambda _image: {}),
                ignore_empty_paragraphs=True,
            ).value
        except Exception as error:  # mammoth raises what its XML and zip readers raise, and KeyErrors of its own
            raise request.error(f"is not a complete Word file ({shorten(error)})", "save it again") from error
    yield DocumentStart(request.name, title)
    if macros:
        yield ReadingWarning(request.name, "macros", f"{request.name} contains macros, which are not run.")
    tree = markup_tree(html.encode("utf-8")) if html else None
    if tree is not None:
        yield from sections(tree)


SHAPES_LIMIT = 20_000
"""Shapes of one slide, those in groups included."""


def read_slides(request: FileRequest) -> Iterator[Part]:
    """Yields a .pptx file's text slide by slide. Raises DataError for a damaged file or one with a password."""
    from pptx import Presentation

    with open_zip(request) as archive:
        check_parts(request, archive)
        title, macros = title_of(request, archive), has_macros(archive)
    try:
        slides = list(Presentation(str(request.path)).slides)
    except Exception as error:  # python-pptx raises what its XML and zip readers raise
        raise request.error(f"is not a complete PowerPoint file ({shorten(error)})", "save it again") from error
    yield DocumentStart(request.name, title)
    if macros:
        yield ReadingWarning(request.name, "macros", f"{request.name} contains macros, which are not run.")
    for number, slide in enumerate(slides, start=1):
        try:
            parts = list(_sections(slide, number))
        except Exception as error:
            raise request.error(f"has a damaged slide {number} ({shorten(error)})", "save it again") from error
        yield from parts


def _sections(slide: Any, number: int) -> Iterator[Section]:
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split())[:300] if title is not None and title.has_text_frame else ""
    if heading:
        yield Section(heading, number, heading, "heading")
    paragraphs: list[str] = []
    for count, shape in enumerate(_shapes(slide.shapes)):
        if count > SHAPES_LIMIT:
            break
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            paragraphs += [paragraph.text.replace("\v", "\n") for paragraph in shape.text_frame.paragraphs]
        elif getattr(shape, "has_table", False):
            paragraphs += [" | ".join(cell.text for cell in row.cells) for row in shape.table.rows]
    yield from _pieces(paragraphs, number, heading, "text")
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from _pieces([slide.notes_slide.notes_text_frame.text], number, heading, "notes")


def _pieces(paragraphs: list[str], number: int, heading: str, kind: Any) -> Iterator[Section]:
    text = "\n".join(line for line in (paragraph.strip() for paragraph in paragraphs) if line)
    yield from (Section(chunk, number, heading, kind) for chunk in pieces(text))


def _shapes(shapes: Any) -> Iterator[Any]:
    """The shapes in order, those of groups in place of the group."""
    waiting = list(reversed(list(shapes)))
    while waiting:
        shape = waiting.pop()
        if hasattr(shape, "shapes"):
            waiting += reversed(list(shape.shapes))
        else:
            yield shape


CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
CHAPTERS_LIMIT = 10_000
CHAPTER_LIMIT = 32 << 20


def read_book(request: FileRequest) -> Iterator[Part]:
    """Yields an EPUB's chapters under their headings. Raises DataError for a damaged or encrypted book."""
    with open_zip(request) as archive:
        check_parts(request, archive)
        try:
            package_name = _package_name(request, archive)
            package = xml_tree(part(request, archive, package_name))
        except etree.XMLSyntaxError as error:
            raise request.error("is not a complete EPUB", "save it again") from error
        title, language = (_first(package, name) for name in ("title", "language"))
        yield DocumentStart(request.name, title, language)
        heading = ""
        for name in _spine(package, posixpath.dirname(package_name)):
            if name not in archive.namelist():
                continue
            if archive.getinfo(name).file_size > CHAPTER_LIMIT:
                raise request.error(f"has a chapter of more than {CHAPTER_LIMIT >> 20} MiB", "split it")
            tree = markup_tree(archive.read(name))
            if tree is None:
                if ENCRYPTION in archive.namelist():
                    raise request.error("is protected against copying")
                continue
            for head in tree.xpath("//head"):
                head.getparent().remove(head)
            for section in sections(tree, heading=heading):
                heading = section.heading
                yield section


def _package_name(request: FileRequest, archive: zipfile.ZipFile) -> str:
    root = xml_tree(part(request, archive, CONTAINER)).find(".//{*}rootfile")
    if root is None:
        raise request.error("names no package, as an EPUB does", "save it again")
    return str(root.get("full-path") or "")


def _first(package: etree._Element, name: str) -> str:
    element = package.find(f".//{{http://purl.org/dc/elements/1.1/}}{name}")
    return " ".join((element.text or "").split())[:300] if element is not None else ""


def _spine(package: etree._Element, folder: str) -> list[str]:
    """The names of the chapters within the archive, in reading order; only names, which are never used as paths."""
    hrefs = {entry.get("id"): entry.get("href") or "" for entry in package.iterfind(".//{*}manifest/{*}item")}
    names = [hrefs.get(reference.get("idref"), "") for reference in package.iterfind(".//{*}spine/{*}itemref")]
    return [posixpath.normpath(posixpath.join(folder, unquote(name))) for name in names[:CHAPTERS_LIMIT] if name]
