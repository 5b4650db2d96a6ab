"""The pages of a `pages-articles` dump (XML, bz2, gzip), streamed and resumable, their wikitext as plain paragraphs.

A dump of Wikipedia is one XML document of up to a hundred gigabytes. Its `<page>` elements never nest, so the bytes
between the tags are cut out and parsed one by one: memory holds one page, and the place after a page is known exactly.
In a bz2 file of several streams (`-multistream`) reading goes on from the stream that holds the place; in a file of one
stream what comes before is decompressed again and dropped.

Of the wikitext, read by mwparserfromhell, templates, tables, references, galleries, comments, links to files and to
categories are left out. A template is text that its page does not hold (it lies on another page), so a fact that stands
in an infobox alone is lost; the hub's and KILT's extractions do the same.
"""

from __future__ import annotations

import bz2
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast
from xml.etree import ElementTree

import regex

from workbench.core import DataError, UsageError, shorten
from workbench.data.datasets.records import GZIP, checked_file
from workbench.data.documents.wikipedia.article import Place, WikiArticle, WikiParagraph
from workbench.languages import language

TAGS_WITHOUT_TEXT = frozenset(
    {"ref", "gallery", "math", "score", "timeline", "table", "syntaxhighlight", "imagemap", "references"}
)
LIST_TAGS = frozenset({"li", "dt", "dd", "hr", "br"})
FILE_PREFIXES = frozenset({"file", "image", "category", "media"})
"""MediaWiki understands these in every language, beside the language's own."""
TEMPLATE_DEPTH = 40
"""Braces nested deeper than this are no wikitext, and would take the parser long."""
LONGEST = 2 << 20
"""Characters of one page that are parsed: MediaWiki's own limit, in bytes."""
BULLETS = regex.compile(r"^[*#:;]+\s*")
SPACES = regex.compile(r"[ \t\u00a0]+")
EMPTY_BRACKETS = regex.compile(r"\s?[(（][\s,;:،、]*[)）]")


def plain_paragraphs(text: str, link_prefixes: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    r"""(heading, paragraph) of each paragraph and list item with text, in order.

    `link_prefixes` are the wiki's own names, case-folded, of links that are no text (“datei”, “kategorie”).

    >>> plain_paragraphs("'''Oulu''' is a [[city]] in [[Finland|the north]].\n== Name ==\n* From ''oulu''.")
    [('', 'Oulu is a city in the north.'), ('Name', 'From oulu.')]
    """
    import mwparserfromhell

    prefixes = FILE_PREFIXES | link_prefixes
    code = mwparserfromhell.parse(_without_deep_braces(text[:LONGEST]))
    heading, paragraphs = "", []
    pieces: list[str] = []
    for node in [*code.nodes, None]:
        if node is None or isinstance(node, mwparserfromhell.nodes.Heading):
            lines = (_clean(BULLETS.sub("", line)) for line in "".join(pieces).splitlines())
            paragraphs += [(heading, line) for line in lines if line]
            heading, pieces = _clean(node.title.strip_code()) if node else "", []
        else:
            pieces.append(_text(node, prefixes))
    return paragraphs


def _text(node: Any, prefixes: frozenset[str]) -> str:
    """What a node shows, "" for one that is left out. Nodes inside it are stripped by the library."""
    title = getattr(node, "title", None)
    if title is not None and _prefix(str(title)) in prefixes:
        return ""
    tag = getattr(node, "tag", None)
    if tag is not None:
        if str(tag).lower() == "br":
            return " "
        if str(tag).lower() in TAGS_WITHOUT_TEXT:
            return ""
        if node.contents is not None and str(tag).lower() not in LIST_TAGS:
            return "".join(_text(inner, prefixes) for inner in node.contents.nodes)
    return str(node.__strip__(normalize=True, collapse=False, keep_template_params=False) or "")


def _clean(text: str) -> str:
    return SPACES.sub(" ", EMPTY_BRACKETS.sub("", text)).strip()


def _prefix(title: str) -> str:
    """The namespace of a link, case-folded, "" for none; a leading colon makes a link of it that shows its text."""
    head, colon, _ = title.strip().partition(":")
    return head.strip().casefold() if colon else ""


def _without_deep_braces(text: str) -> str:
    """The text; without its braces where they nest too deeply."""
    depth = deepest = 0
    for brace in regex.finditer(r"\{\{|\}\}", text):
        depth = depth + 1 if brace.group() == "{{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return text if deepest <= TEMPLATE_DEPTH else regex.sub(r"[{}]", " ", text)


PIECE = 1 << 20
"""Bytes that are read, or decompressed, at once."""
PAGE_LIMIT = 32 << 20
"""Bytes of one page. MediaWiki allows 2 MiB of wikitext in a page."""
HEADER_LIMIT = 4 << 20
OPEN, CLOSE, END = b"<page>", b"</page>", b"</mediawiki>"
BZIP2 = b"BZh"
ARTICLES = "0"
"""The namespace of articles."""
LANGUAGE = re.compile(rb'<mediawiki[^>]*\sxml:lang="([^"]{1,40})"')
NAMESPACE = re.compile(rb'<namespace key="(-?\d+)"[^>/]*>([^<]{1,200})</namespace>')
FILES_AND_CATEGORIES = (b"6", b"14")
"""The keys of the namespaces whose links are no text of an article."""


class _Decompressor(Protocol):
    eof: bool
    unused_data: bytes
    needs_input: bool

    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


@dataclass(frozen=True, slots=True)
class DumpHeader:
    """What a dump says of itself: its language, and its names for links to files and to categories."""

    language: str
    link_prefixes: frozenset[str]


@dataclass
class PagesArticles:
    """A dump as a source of articles. Raises UsageError for a path that is no file, DataError for another file."""

    path: Path
    header: DumpHeader = field(init=False)

    def __post_init__(self) -> None:
        """Reads the header."""
        checked_file(self.path, example="fiwiki-latest-pages-articles.xml.bz2")
        self.header = _header(self.path)

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def size(self) -> int:
        """Bytes of the file as it is."""
        return self.path.stat().st_size

    def done(self, place: Place) -> int:
        """Bytes of the file before the stream that holds the place; of plain XML, before the place itself."""
        return place.get("stream", 0) + (place.get("skip", 0) if self.name.endswith(".xml") else 0)

    def articles(self, place: Place) -> Iterator[tuple[Place, WikiArticle | None]]:
        """The pages after `place`; None for redirects and what is no article."""
        complete = False
        for entry in _cut(self.path, place):
            if entry is None:
                complete = True
                break
            after, page = entry
            yield after, self._article(page)
        if not complete:
            raise DataError(f"{self.name} ends before “</mediawiki>”: it is not complete. Download it again.")

    def _article(self, page: bytes) -> WikiArticle | None:
        try:
            # A page has no document type, so that no entity can be declared, and nothing outside it is looked up.
            element = ElementTree.fromstring(page)  # noqa: S314
        except ElementTree.ParseError as error:
            raise DataError(f"{self.name} holds a page that is not XML ({error}): {shorten(page[:80])}") from error
        if element.findtext("ns") != ARTICLES or element.find("redirect") is not None:
            return None
        title, number = element.findtext("title") or "", element.findtext("id") or ""
        text = element.findtext("revision/text") or ""
        paragraphs = plain_paragraphs(text, self.header.link_prefixes)
        if not (title and number and paragraphs):
            return None
        pairs = tuple(WikiParagraph(paragraph, heading) for heading, paragraph in paragraphs)
        return WikiArticle(number, title, self.header.language, pairs)


def _header(path: Path) -> DumpHeader:
    buffer = b""
    for _, piece in _pieces(path, 0):
        buffer += piece
        if OPEN in buffer or END in buffer or len(buffer) > HEADER_LIMIT:
            break
    head = buffer.partition(OPEN)[0]
    match = LANGUAGE.search(head)
    if match is None:
        raise DataError(
            f"{path.name} is not a dump of Wikipedia: it does not begin with “<mediawiki … xml:lang=…>”. Choose a file "
            "such as fiwiki-latest-pages-articles.xml.bz2"
        )
    name = match.group(1).decode("ascii", "replace")
    try:
        code = language(name).code
    except UsageError as error:
        raise DataError(f"{path.name} is in “{shorten(name)}”, which the workbench does not know.") from error
    links = {
        prefix.decode("utf-8", "replace") for key, prefix in NAMESPACE.findall(head) if key in FILES_AND_CATEGORIES
    }
    return DumpHeader(code, frozenset(link.casefold() for link in links))


def _cut(path: Path, place: Place) -> Iterator[tuple[Place, bytes] | None]:
    """The pages after `place`, each with the place after it, then None at the dump's end.

    A place is `stream`, the offset in the file of the bz2 stream that it lies in, and `skip`, the decompressed bytes
    from there to it.
    """
    buffer = b""
    streams: list[tuple[int, int]] = []
    """(offset in the file, decompressed offset since the start) of each stream that the buffer touches."""
    skip = place.get("skip", 0)
    start = 0
    """Decompressed offset, since the start, of the buffer's first byte."""
    total = 0
    for stream, piece in _pieces(path, place.get("stream", 0)):
        if not streams or streams[-1][0] != stream:
            streams.append((stream, total))
        total += len(piece)
        if skip >= len(piece):
            skip -= len(piece)
            start = total
            continue
        if skip:
            start = total - len(piece) + skip
            piece, skip = piece[skip:], 0
        buffer += piece
        at = 0
        while True:
            opening = buffer.find(OPEN, at)
            closing = buffer.find(CLOSE, opening) if opening >= 0 else -1
            if closing < 0:
                break
            at = closing + len(CLOSE)
            offset = start + at
            while len(streams) > 1 and streams[1][1] <= offset:
                streams.pop(0)
            yield {"stream": streams[0][0], "skip": offset - streams[0][1]}, buffer[opening:at]
        if buffer.find(END, at) >= 0 and buffer.find(OPEN, at) < 0:
            yield None
            return
        buffer, start = buffer[at:], start + at
        if len(buffer) > PAGE_LIMIT:
            raise DataError(
                f"{path.name} holds a page of more than {PAGE_LIMIT >> 20} MiB: it is not a dump of Wikipedia."
            )


def _pieces(path: Path, stream: int) -> Iterator[tuple[int, bytes]]:
    """Decompressed bytes from the stream at an offset of the file on, with that stream's offset.

    A piece never spans two streams, and never grows beyond `PIECE`, however densely the file is packed.
    """
    with path.open("rb") as file:
        magic = file.read(3)
        file.seek(stream)
        if not (magic.startswith((GZIP, BZIP2))):
            while data := file.read(PIECE):
                yield stream, data
            return
        rest, read = b"", stream
        try:
            while True:
                decompressor = _decompressor(magic)
                began = False
                while not decompressor.eof:
                    if not rest and decompressor.needs_input:
                        rest = file.read(PIECE)
                        read += len(rest)
                        if not rest:
                            if began:
                                raise EOFError
                            return
                    data = decompressor.decompress(rest, PIECE)
                    rest, began = b"", True
                    if data:
                        yield stream, data
                rest = decompressor.unused_data
                stream = read - len(rest)
        except EOFError as error:
            raise DataError(
                f"{path.name} ends within a compressed stream: it is not complete. Download it again."
            ) from error
        except (OSError, zlib.error) as error:
            raise DataError(f"{path.name} is damaged ({shorten(error)}). Download it again.") from error


def _decompressor(magic: bytes) -> _Decompressor:
    return cast(_Decompressor, bz2.BZ2Decompressor() if magic == BZIP2 else _Gunzip())


class _Gunzip:
    """zlib's decompressor of gzip with the interface of bz2's."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._tail = b""

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._tail

    def decompress(self, data: bytes, max_length: int = 0) -> bytes:
        output = self._inner.decompress(self._tail + data, max_length)
        self._tail = self._inner.unconsumed_tail
        return output
