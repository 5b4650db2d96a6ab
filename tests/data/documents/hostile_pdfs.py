"""PDF files that are damaged, locked or meant to harm, written by hand; each with what becomes of it."""

from __future__ import annotations

import io
import random
import zlib
from collections.abc import Callable

from fpdf import FPDF

Maker = Callable[[], bytes]


def pdf_of(*objects: bytes, root: int = 1) -> bytes:
    """A PDF file of numbered objects, the first of which is the catalogue."""
    parts = [b"%PDF-1.7\n"]
    places, length = [], len(parts[0])
    for number, body in enumerate(objects, start=1):
        places.append(length)
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        length += len(parts[-1])
    data, table = b"".join(parts), length
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, table)


def stream(body: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(body), more, body)


FONT = b"<< /Font << /F 5 0 R >> >>"
HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def one_page(content: bytes, box: bytes = b"[0 0 612 792]", catalogue: bytes = CATALOGUE, more: bytes = b"") -> bytes:
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R /Resources %s %s >>" % (box, FONT, more)
    return pdf_of(catalogue, PAGES, page, stream(content), HELVETICA)


def line(text: bytes) -> bytes:
    return b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % text


def sound() -> bytes:
    return one_page(line(b"The harbour office keeps a list of every boat."))


def written(*, password: str = "", image: bool = False) -> bytes:
    pdf = FPDF()
    pdf.add_page()
    if password:
        pdf.set_encryption(owner_password="owner", user_password=password)
    if image:
        from PIL import Image

        picture = io.BytesIO()
        Image.new("RGB", (400, 300), "grey").save(picture, "PNG")
        pdf.image(picture, 10, 10, 100)
    else:
        pdf.set_font("Helvetica", size=12)
        pdf.cell(text="The harbour office keeps a list of every boat.")
    return bytes(pdf.output())


def many_pages() -> bytes:
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
    kids = b" ".join(b"%d 0 R" % number for number in range(3, 50_003))
    return pdf_of(CATALOGUE, b"<< /Type /Pages /Kids [%s] /Count 50000 >>" % kids, *([page] * 50_000))


def bomb() -> bytes:
    packed = zlib.compress(b" " * (100 << 20), 1)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources %s >>" % FONT
    return pdf_of(CATALOGUE, PAGES, page, stream(packed, b"/Filter /FlateDecode"), HELVETICA)


def form_in_itself() -> bytes:
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /XObject << /X 5 0 R >> >> >>"
    )
    form = stream(b"/X Do", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>")
    return pdf_of(CATALOGUE, PAGES, page, stream(b"/X Do"), form)


def noise() -> bytes:
    return b"%PDF-1.7\n" + random.Random(3).randbytes(200_000)


READ = ""
"""The file is read; otherwise a part of the sentence that refuses it."""
ANY = "?"
"""Either is right; what counts is that the reader lives on."""

PDFS: dict[str, tuple[Maker, str]] = {
    "empty.pdf": (lambda: b"", "is empty"),
    "letter.pdf": (lambda: b"Dear Sir or Madam, this is a letter.", "is not a PDF file"),
    "header.pdf": (lambda: b"%PDF-1.7\n", "damaged"),
    "half.pdf": (lambda: written()[: len(written()) // 3], "damaged"),
    "noise.pdf": (noise, "damaged"),
    "pageless.pdf": (lambda: sound().replace(b"/Kids [3", b"/Kids [9"), "page 1 is damaged: its text is missing."),
    "locked.pdf": (lambda: written(password="secret"), "has a password"),
    "many-pages.pdf": (many_pages, "has 50,000 pages"),
    "pages-in-themselves.pdf": (
        lambda: pdf_of(CATALOGUE, b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"), ANY,
    ),
    "no-pages.pdf": (lambda: pdf_of(CATALOGUE, b"<< /Type /Pages /Kids [] /Count 0 >>"), ANY),
    "enormous-page.pdf": (lambda: one_page(line(b"Small print on a large sheet."), b"[0 0 9000000 9000000]"), READ),
    "negative-page.pdf": (lambda: one_page(line(b"A page turned inside out."), b"[612 792 0 0]"), ANY),
    "bomb.pdf": (bomb, ANY),
    "form-in-itself.pdf": (form_in_itself, ANY),
    "deep.pdf": (lambda: one_page(b"q " * 200_000 + line(b"Below many states.")), ANY),
    "deep-array.pdf": (lambda: one_page(b"[" * 300_000), ANY),
    "script.pdf": (
        lambda: one_page(
            line(b"The harbour office keeps a list of every boat."),
            catalogue=b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>",
        ),
        READ,
    ),
    "launch.pdf": (
        lambda: one_page(
            line(b"The harbour office keeps a list of every boat."),
            catalogue=b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /Launch /F (/bin/sh) >> >>",
        ),
        READ,
    ),
    "image.pdf": (lambda: written(image=True), "is an image without text"),
    "blank.pdf": (lambda: one_page(b""), "has no text"),
    "other-name.txt": (sound, READ),
}  # fmt: skip
