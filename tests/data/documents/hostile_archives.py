"""Zip files, office files and books that are damaged, locked or meant to harm; each with what becomes of it."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

from tests.data.documents.hostile_pdfs import ANY, READ, Maker

SECRET = "root:x:0"
ENTITY = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "haha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="{}"/></Relationships>'
)
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="{}"/></rootfiles></container>'
)
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>Boats</dc:title><dc:language>en</dc:language></metadata><manifest>{}</manifest><spine>{}</spine></package>"
)
CHAPTER = "<html><body><h1>Boats</h1><p>The harbour office keeps a list of every boat.</p></body></html>"


def zipped(members: Mapping[str, str | bytes], *, comment: bytes = b"") -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = comment
    return data.getvalue()


def word(body: str, start: str = "", extra: Mapping[str, str | bytes] | None = None) -> bytes:
    document = f'{start}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    members = {"[Content_Types].xml": TYPES, "_rels/.rels": RELATIONS.format("word/document.xml")}
    return zipped({**members, "word/document.xml": document, **(extra or {})})


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def office(main: str, content: str, extra: Mapping[str, str | bytes] | None = None) -> bytes:
    return zipped({"[Content_Types].xml": TYPES, "_rels/.rels": RELATIONS.format(main), main: content, **(extra or {})})


def book(package: str, extra: Mapping[str, str | bytes]) -> bytes:
    return zipped({"META-INF/container.xml": CONTAINER.format("OEBPS/a.opf"), "OEBPS/a.opf": package, **extra})


def chapters(*names: str) -> str:
    items = "".join(f'<item id="i{n}" href="{name}"/>' for n, name in enumerate(names))
    return PACKAGE.format(items, "".join(f'<itemref idref="i{n}"/>' for n, _ in enumerate(names)))


def linked() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("passwords.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return data.getvalue()


def locked(data: bytes) -> bytes:
    """The archive with the bit that states a password, in both places."""
    changed = bytearray(data)
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = changed.find(sign)
        while place >= 0:
            changed[place + offset] |= 1
            place = changed.find(sign, place + 4)
    return bytes(changed)


def sharing() -> bytes:
    """Two hundred entries of the directory for the same bytes."""
    content = bytes(range(256)) * 40
    data = zipped({"a.txt": content})
    start = data.find(b"PK\x01\x02")
    entry, end = data[start : data.find(b"PK\x05\x06")], data[data.find(b"PK\x05\x06") :]
    counts = struct.pack("<HH", 200, 200) + struct.pack("<II", 200 * len(entry), start)
    return data[:start] + entry * 200 + end[:8] + counts + end[20:]


def damaged(data: bytes) -> bytes:
    middle = len(data) // 3
    return data[:middle] + bytes(255 - byte for byte in data[middle : middle + 40]) + data[middle + 40 :]


SENTENCE = "The harbour office keeps a list of every boat."
MANY = {f"{number}.txt": "x" for number in range(20_050)}
DEEP = "<w:p>" * 60_000 + "</w:p>" * 60_000

ARCHIVES: dict[str, tuple[Maker, str]] = {
    "empty.docx": (lambda: b"", "is empty"),
    "half.docx": (lambda: word(paragraph(SENTENCE))[:300], "is damaged"),
    "damaged.docx": (lambda: damaged(word(paragraph(SENTENCE * 50))), ANY),
    "not-word.docx": (lambda: zipped({"a.txt": SENTENCE}), "is not what its name states"),
    "locked.docx": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000), "has a password"),
    "old.doc": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000), "old Office program"),
    "macros.docm": (lambda: word(paragraph(SENTENCE), extra={"word/vbaProject.bin": b"Sub AutoOpen()"}), READ),
    "entity.docx": (lambda: word(paragraph("&e;"), ENTITY), "document type"),
    "laughs.docx": (lambda: word(paragraph("&j;"), LAUGHS), "document type"),
    "bomb.docx": (lambda: word(paragraph(" " * (64 << 20))), "zip bomb"),
    "deep.docx": (lambda: word(DEEP), ANY),
    "endless-row.docx": (lambda: word(paragraph("boat " * 400_000)), READ),
    "no-text.docx": (lambda: word(""), "has no text"),
    "half.pptx": (lambda: office("ppt/presentation.xml", "<p/>")[:200], "is damaged"),
    "not-slides.pptx": (lambda: office("ppt/presentation.xml", "<p/>"), "not a complete PowerPoint file"),
    "entity.pptx": (lambda: office("ppt/presentation.xml", f"{ENTITY}<p>&e;</p>"), "document type"),
    "entity.xlsx": (lambda: office("xl/workbook.xml", f"{ENTITY}<w>&e;</w>"), "not a complete .xlsx workbook"),
    "bomb.xlsx": (lambda: office("xl/workbook.xml", "<w>" + " " * (64 << 20) + "</w>"), "zip bomb"),
    "not-a-book.epub": (lambda: zipped({"a.xhtml": CHAPTER}), "is not what its name states"),
    "no-package.epub": (lambda: zipped({"META-INF/container.xml": CONTAINER.format("a.opf")}), "lacks its part"),
    "outside.epub": (lambda: book(chapters("../../../etc/passwd", "/etc/passwd"), {}), "has no text"),
    "entity.epub": (lambda: book(ENTITY + chapters("a.xhtml"), {"OEBPS/a.xhtml": CHAPTER}), "document type"),
    "page-entity.epub": (
        lambda: book(chapters("a.xhtml"), {"OEBPS/a.xhtml": f"{ENTITY}<html><p>Boat &e;</p></html>"}), READ,
    ),
    "again.epub": (lambda: book(chapters(*["a.xhtml"] * 500), {"OEBPS/a.xhtml": CHAPTER}), READ),
    "protected.epub": (
        lambda: book(chapters("a.xhtml"), {"OEBPS/a.xhtml": bytes(64), "META-INF/encryption.xml": "<e/>"}), ANY,
    ),
    "empty.zip": (lambda: zipped({}), ANY),
    "bomb.zip": (lambda: zipped({"a.txt": bytes(64 << 20)}), "zip bomb"),
    "sharing.zip": (sharing, "zip bomb"),
    "many.zip": (lambda: zipped(MANY), "holds more than"),
    "outside.zip": (lambda: zipped({"../../../tmp/outside.txt": SENTENCE, "C:\\windows\\inside.txt": SENTENCE}), READ),
    "zip-in-zip.zip": (lambda: zipped({"inner.zip": zipped({"a.txt": SENTENCE})}), "holds no document"),
    "locked.zip": (lambda: locked(zipped({"a.txt": SENTENCE})), "has a password"),
    "link.zip": (linked, "holds no document"),
    "damaged.zip": (lambda: damaged(zipped({"a.txt": SENTENCE * 30})), "is damaged"),
    "programs.zip": (lambda: zipped({"a.exe": b"MZ", "b.dll": b"MZ"}), "holds no document"),
}  # fmt: skip
