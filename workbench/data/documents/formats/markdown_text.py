"""Markdown: headings part the text, and marks of emphasis, links and images go; the words stay as they are."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from workbench.data.documents.document_parts import SECTION_LIMIT, DocumentStart, FileRequest, Part, Section, pieces
from workbench.data.documents.formats.plain_text import lines_of

HEADING = regex.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*")
UNDERLINE = regex.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
FENCE = regex.compile(r" {0,3}(```+|~~~+)")
IMAGE_OR_LINK = regex.compile(
    r"!?\[([^\[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)|\[[^\[\]]{0,200}\])"
)
EMPHASIS = regex.compile(r"(?<![\p{L}\p{N}*_])(\*{1,3}|_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?![\p{L}\p{N}*_])")
CODE = regex.compile(r"(`+)(.{1,1000}?)\1")
FRONT = regex.compile(r"(title|lang|language):[ \t]*[\"']?(.*?)[\"']?[ \t]*")
FRONT_LINES = 60
HEADING_LIMIT = 300


def read_markdown(request: FileRequest) -> Iterator[Part]:
    """Yields a Markdown file's paragraphs under their headings; the title is that of its front matter or first heading.

    Raises DataError as `read_text` does.
    """
    lines = lines_of(request)
    first = [line for _, line in zip(range(FRONT_LINES), lines, strict=False)]
    facts, body = _front_matter(first)
    title = facts.get("title", "") or next((match[2] for line in body if (match := HEADING.fullmatch(line))), "")
    yield DocumentStart(request.name, plain(title), facts.get("lang", "") or facts.get("language", ""))
    heading, waiting, fence = "", "", ""

    def section() -> Iterator[Part]:
        yield from (Section(piece, heading=heading) for piece in pieces(waiting))

    def rest() -> Iterator[str]:
        yield from body
        yield from lines

    for line in rest():
        match = None if fence else HEADING.fullmatch(line)
        fenced = FENCE.match(line)
        if fenced and (not fence or fenced[1].startswith(fence)):
            fence = "" if fence else fenced[1]
        elif match:
            yield from section()
            heading, waiting = plain(match[2])[:HEADING_LIMIT], ""
            yield Section(heading, heading=heading, kind="heading")
        elif fence or not UNDERLINE.fullmatch(line):
            waiting += (line if fence else plain(line)) + "\n"
        elif waiting.strip() and not waiting.endswith("\n\n"):
            # A line of = or - makes a heading of the line above it.
            above, _, last = waiting.removesuffix("\n").rpartition("\n")
            waiting = above
            yield from section()
            heading, waiting = last.strip()[:HEADING_LIMIT], ""
            yield Section(heading, heading=heading, kind="heading")
        if len(waiting) >= SECTION_LIMIT:
            yield from section()
            waiting = ""
    yield from section()


def plain(text: str) -> str:
    """A line without the marks of links, images, code and emphasis.

    >>> plain("See **the [map](https://example.org)** of `Oulu`")
    'See the map of Oulu'
    """
    return EMPHASIS.sub(r"\2", CODE.sub(r"\2", IMAGE_OR_LINK.sub(r"\1", text)))


def _front_matter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """What the block between two lines of --- at the beginning states, and the lines after it."""
    if not lines or lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        return {}, lines
    end = [line.strip() for line in lines[1:]].index("---") + 1
    matches = [match for line in lines[1:end] if (match := FRONT.fullmatch(line))]
    return {match[1]: match[2] for match in matches}, lines[end + 1 :]
