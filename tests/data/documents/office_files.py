"""Small files in each format, with a text of ours in each."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from fpdf import FPDF
from openpyxl import Workbook
from pptx import Presentation

from tests.data.documents.hostile_archives import WORD, book, chapters, word

FIRST = "The harbour office keeps a list of every boat."
SECOND = "In winter the list is short, since few boats leave."


def docx() -> bytes:
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    heading = f"<w:p>{style}<w:r><w:t>{{}}</w:t></w:r></w:p><w:p><w:r><w:t>{{}}</w:t></w:r></w:p>"
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
        "</w:style></w:styles>"
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>'
        "</Relationships>"
    )
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The harbour</dc:title></cp:coreProperties>'
    )
    table = "<w:tbl><w:tr>{}</w:tr></w:tbl>".format(
        "".join(f"<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>" for text in ("Boat", "Owner"))
    )
    return word(
        heading.format("Summer", FIRST) + heading.format("Winter", SECOND) + table,
        extra={"word/styles.xml": styles, "word/_rels/document.xml.rels": relations, "docProps/core.xml": core},
    )


def pptx() -> bytes:
    slides = Presentation()
    for title, text in (("Summer", FIRST), ("Winter", SECOND)):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    slides.slides[1].notes_slide.notes_text_frame.text = "Ask the clerk."
    data = io.BytesIO()
    slides.save(data)
    return data.getvalue()


def xlsx() -> bytes:
    book_ = Workbook()
    first = book_.active
    assert first is not None
    first.title = "Boats"
    first.append(["boat", "owner"])
    first.append(["Gull", "Aino"])
    second = book_.create_sheet("Nets")
    second.append(["net", "length"])
    second.append(["long", 40])
    data = io.BytesIO()
    book_.save(data)
    return data.getvalue()


def epub() -> bytes:
    pages = {
        f"OEBPS/{name}.xhtml": f"<html><head><title>x</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
        for name, title, text in (("b", "Summer", FIRST), ("a", "Winter", SECOND))
    }
    return book(chapters("b.xhtml", "a.xhtml"), pages)


def pdf(*pages: str, title: str = "") -> bytes:
    """A page for each text, in Helvetica; a line that begins with # is a heading."""
    document = FPDF()
    document.set_title(title)
    for text in pages:
        document.add_page()
        for line in text.split("\n"):
            document.set_font("Helvetica", size=20 if line.startswith("#") else 11)
            document.multi_cell(w=0, text=line.lstrip("# "), new_x="LMARGIN", new_y="NEXT")
    return bytes(document.output())


def archive(**members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as target:
        for name, content in members.items():
            target.writestr(name.replace("__", "."), content)
    return data.getvalue()


def put(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return path
