"""HTML, and what other formats are turned into: a tree of elements becomes sections under headings.

Parsed by lxml without network, entities or scripts; nothing that the markup names is ever fetched. Of HTML pages the
main text is read, by trafilatura, without menus and footers; short or unusual pages as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from workbench.data.documents.isolated_reading import DocumentStart, FileRequest, Part, Section, pieces

HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "head", "title"))
BLOCK_NAMES = """
p div li item dt dd pre blockquote quote figcaption caption section article main header footer nav aside table ul ol
list dl body html form fieldset address details summary lb br hr
"""
LEFT_OUT_NAMES = "script style noscript template iframe object svg math select button"
BLOCKS = frozenset(BLOCK_NAMES.split())
"""Elements that begin and end a paragraph; `head`, `item`, `row`, `cell`, `list` and `lb` are trafilatura's."""
LEFT_OUT = frozenset(LEFT_OUT_NAMES.split())
CELLS, ROWS = frozenset(("td", "th", "cell")), frozenset(("tr", "row"))
DEPTH_LIMIT = 2_000
"""Elements within each other; deeper ones are left out."""
HEADING_LIMIT = 300


def markup_tree(data: bytes) -> etree._Element | None:
    """The tree of an HTML page, None where it has no element.

    Bytes that are UTF-8 beyond ASCII are read so, others as the page itself states: the parser takes a page that states
    nothing for Latin-1, and hears no XML declaration.
    """
    encoding = "utf-8" if not data.isascii() and _is_utf8(data) else None
    parser = etree.HTMLParser(
        no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding=encoding
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def xml_tree(data: bytes) -> etree._Element:
    """The tree of an XML file; entities are not resolved. Raises etree.XMLSyntaxError."""
    parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def sections(root: etree._Element, *, heading: str = "", page: int = 0) -> Iterator[Section]:
    """The text below `root`: one section per heading and per row of paragraphs under it."""
    waiting: list[str] = []
    for name, text in _blocks(root):
        if name in HEADINGS and text:
            yield from _joined(waiting, heading, page)
            waiting, heading = [], text[:HEADING_LIMIT]
            yield Section(heading, page, heading, "heading")
        elif text:
            waiting.append(text)
    yield from _joined(waiting, heading, page)


def _joined(paragraphs: list[str], heading: str, page: int) -> Iterator[Section]:
    yield from (Section(piece, page, heading) for piece in pieces("\n\n".join(paragraphs)))


def _blocks(root: etree._Element) -> Iterator[tuple[str, str]]:
    """The paragraphs in order, each with the name of its innermost block; a row of a table is one, of its cells."""
    words: list[str] = []
    cells: list[str] = []
    block, depth, rows = "", 0, 0

    def text() -> str:
        joined = " ".join("".join(words).split())
        words.clear()
        return joined

    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name = _name(element)
        is_block = name in BLOCKS or name in HEADINGS
        if event == "start":
            depth += 1
            if name in LEFT_OUT or depth > DEPTH_LIMIT:
                walk.skip_subtree()
                continue
            if (is_block and not rows) or (name in ROWS and not rows):
                yield block, text()
            rows += name in ROWS
            block = name if is_block else block
            words.append((" " if is_block else "") + (element.text or ""))
            continue
        depth -= 1
        if name in CELLS and rows:
            cells.append(text())
        elif name in ROWS:
            rows -= 1
            if not rows:
                yield "row", " | ".join(cell for cell in [*cells, text()] if cell)
                cells = []
        elif is_block and not rows:
            yield block, text()
            block = ""
        words.append((" " if is_block else "") + (element.tail or "" if element is not root else ""))
    yield block, text()


def _name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2].casefold()


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
