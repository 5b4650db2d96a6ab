"""HTML pages: the main text by trafilatura, without menus and footers; short or unusual pages as they are."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from workbench.data.documents.document_parts import DocumentStart, FileRequest, Part, Section
from workbench.data.documents.formats.markup_blocks import markup_tree, sections

PAGE_LIMIT = 32 << 20
"""Bytes of one page: a parser keeps all of it in memory, tenfold."""
MAIN_TEXT_LIMIT = 2 << 20
"""Bytes of a page whose main text is looked for; that takes seconds for a megabyte."""
SHORT = 3_000
"""Characters up to which a page is read as it is: little of it can be menus."""
LEAST_SHARE = 0.2
"""The share of a page's text that its main text should have; with less, the page is read as it is."""


def read_web_page(request: FileRequest) -> Iterator[Part]:
    """Yields the main text of an HTML file under its headings. Raises DataError for one that is empty or too large."""
    if request.path.stat().st_size > PAGE_LIMIT:
        raise request.error(f"is an HTML page of more than {PAGE_LIMIT >> 20} MiB", "split it")
    data = request.path.read_bytes()
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise request.error("contains NUL bytes, as no HTML page does", "save it as UTF-8")
    tree = markup_tree(data)
    if tree is None:
        raise request.error("has no text")
    titles = tree.xpath("//head/title//text()")
    yield DocumentStart(request.name, " ".join("".join(titles).split())[:300], str(tree.get("lang") or ""))
    for head in tree.xpath("/html/head"):
        tree.remove(head)
    everything = list(sections(tree))
    yield from _main_text(data, sum(len(section.text) for section in everything)) or everything


def _main_text(data: bytes, characters: int) -> list[Section]:
    """The sections of the main text; none where the page is short or little of it would stay."""
    if characters <= SHORT or len(data) > MAIN_TEXT_LIMIT:
        return []
    import trafilatura

    text = trafilatura.extract(data, output_format="xml", include_comments=False, favor_recall=True)
    if not text:
        return []
    main = etree.fromstring(text.encode("utf-8"), etree.XMLParser(no_network=True, resolve_entities=False))
    result = list(sections(main))
    return result if sum(len(section.text) for section in result) >= LEAST_SHARE * characters else []
