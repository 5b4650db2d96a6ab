"""What a text may show beyond its letters: **bold**, and citations such as [2] that lead to their documents.

Everything is escaped first; any other Markdown stays as it was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import regex

from workbench.ui.parts.safe_html import Html, element, escaped, joined, jump

TOKEN = regex.compile(
    r"\*\*(?P<bold>[^\s*](?:[^*\n]{0,400}[^\s*])?)\*\*|\[(?P<cited>\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,40})\]"
)
"""Bold text within one line, or a citation."""
NUMBER = regex.compile(r"(\d+)")
HEAD = regex.compile(r"\s*\[(\d{1,3})\]\s*(?:\([a-z]{2,3}\)\s*)?")
"""The document that a line begins with, as in `[2] (fr) “…”`."""


def anchor_of(rank: int, answer: str = "") -> str:
    """The anchor of a document on the page; `answer` distinguishes several answers on one page.

    >>> anchor_of(2), anchor_of(2, "trag")
    ('document-2', 'trag-document-2')
    """
    return f"{answer}-document-{rank:d}" if answer else f"document-{rank:d}"


def rich(text: str, ranks: Collection[int] = (), answer: str = "") -> Html:
    """`text` escaped, with bold and with links from citations to the documents of `ranks` (from 1)."""
    return joined(_pieces(text, ranks, answer))


def rich_block(text: str, lang: str = "", css: str = "", ranks: Collection[int] = (), answer: str = "") -> Html:
    """`rich` as a block, set in the direction of its first letter; line breaks are kept."""
    return element("div", rich(text, ranks, answer), css=f"wb-text {css}".strip(), lang=lang, direction="auto")


def first_cited(line: str) -> tuple[int, int]:
    """The rank of the document that a line begins with, and where its text starts; (0, 0) where it begins with none.

    >>> first_cited("[2] (fr) “Oui”"), first_cited("Yes [2]")
    ((2, 9), (0, 0))
    """
    match = HEAD.match(line)
    return (int(match[1]), match.end()) if match else (0, 0)


def _pieces(text: str, ranks: Collection[int], answer: str) -> Iterator[Html]:
    place = 0
    for match in TOKEN.finditer(text):
        yield escaped(text[place : match.start()])
        if match["bold"] is not None:
            yield element("b", rich(match["bold"], ranks, answer))
        else:
            yield _citation(match["cited"], ranks, answer)
        place = match.end()
    yield escaped(text[place:])


def _citation(body: str, ranks: Collection[int], answer: str) -> Html:
    """The numbers of a citation, each a link where there is such a document."""
    if body.isdecimal() and int(body) in ranks:
        return jump(escaped(f"[{body}]"), anchor_of(int(body), answer))
    pieces = [
        jump(escaped(piece), anchor_of(int(piece), answer)) if piece.isdecimal() and int(piece) in ranks
        else escaped(piece)
        for piece in NUMBER.split(body)
    ]  # fmt: skip
    return joined([escaped("["), *pieces, escaped("]")])
