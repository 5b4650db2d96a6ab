"""Word (.docx, by mammoth) and PowerPoint files (.pptx, by python-pptx), and what office files state of themselves.

Of Word the paragraphs, tables and notes are read under their headings. Where pages begin is up to the printer, so
passages are cited by their heading. A slide of PowerPoint is a page, its title the heading; tables and notes are read
too. Macros are noticed and never run.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

from lxml import etree

from workbench.core import shorten
from workbench.data.documents.document_parts import DocumentStart, FileRequest, Part, ReadingWarning, Section, pieces
from workbench.data.documents.formats.archive import check_parts, open_zip, part
from workbench.data.documents.formats.markup_blocks import markup_tree, sections, xml_tree

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
    yield from (Section(piece, number, heading, kind) for piece in pieces(text))


def _shapes(shapes: Any) -> Iterator[Any]:
    """The shapes in order, those of groups in place of the group."""
    waiting = list(reversed(list(shapes)))
    while waiting:
        shape = waiting.pop()
        if hasattr(shape, "shapes"):
            waiting += reversed(list(shape.shapes))
        else:
            yield shape
