"""What Word, PowerPoint and Excel files state about themselves: their title, and whether they carry macros."""

from __future__ import annotations

import zipfile

from lxml import etree

from workbench.data.documents.document_parts import FileRequest
from workbench.data.documents.formats.markup_blocks import xml_tree
from workbench.data.documents.formats.zip_limits import part

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
