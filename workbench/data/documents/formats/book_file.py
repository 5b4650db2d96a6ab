"""EPUB books: the chapters in the order of the spine, by zipfile and lxml; nothing but text is read."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from workbench.data.documents.document_parts import DocumentStart, FileRequest, Part
from workbench.data.documents.formats.archive import check_parts, open_zip, part
from workbench.data.documents.formats.markup_blocks import markup_tree, sections, xml_tree

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
    items = {item.get("id"): item.get("href") or "" for item in package.iterfind(".//{*}manifest/{*}item")}
    names = [items.get(reference.get("idref"), "") for reference in package.iterfind(".//{*}spine/{*}itemref")]
    return [posixpath.normpath(posixpath.join(folder, unquote(name))) for name in names[:CHAPTERS_LIMIT] if name]
