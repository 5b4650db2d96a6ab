"""Wikitext as plain paragraphs, by mwparserfromhell.

Left out: templates, tables, references, galleries, comments, links to files and to categories. A template is text that
its page does not hold (it lies on another page), so a fact that stands in an infobox alone is lost; the hub's and
KILT's extractions do the same.
"""

from __future__ import annotations

from typing import Any

import regex

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
HEADING = regex.compile(r"^(={2,6})\s*(.+?)\s*\1\s*$")
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
