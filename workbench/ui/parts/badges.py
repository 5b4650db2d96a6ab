"""Small marks: a language by its native name and code, a value with its name, a passage by its place in its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.core import Passage
from workbench.data import citation
from workbench.languages import is_known, known_languages, language
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline

GOLDEN_ANGLE = 137.508
"""Degrees between the hues of neighbours in the list of languages; the first thirteen are all distinct."""


def hue(code: str) -> int:
    """The language's hue, 0 to 359, the same on every screen."""
    order = [item.code for item in known_languages()]
    place = order.index(code) if code in order else sum(code.encode())
    return round(205 + place * GOLDEN_ANGLE) % 360


def language_badge(code: str) -> Html:
    """The language's native name and its code."""
    return element(
        "span", inline(language(code).native, code), element("small", escaped(code)), css="wb-badge", hue=hue(code)
    )


def language_bar(codes: Sequence[str]) -> Html:
    """The languages of documents: one piece of a slim bar per document, and below it how many each language has."""
    counts = Counter(codes).most_common()
    pieces = [element("span", hue=hue(code)) for code, count in counts for _ in range(count)]
    words = [f"{language(code).name if is_known(code) else code} {count}" for code, count in counts]
    legend = element("small", escaped(", ".join(words)))
    return element("div", element("div", *pieces, css="wb-pieces"), legend, css="wb-languages")


def language_words(code: str) -> str:
    """The language as an option in a list: its native name, its English name and its code."""
    known = language(code)
    if known.native == known.name:
        return f"{known.name} ({code})"
    return f"{known.native} · {known.name} ({code})"


def language_option(code: str) -> str:
    """The language as an option in a list of codes that may be unknown; an unknown code stays as it is."""
    return language_words(code) if is_known(code) else code


def chip(name: str, value: str = "") -> Html:
    """A name, with a value in bold where there is one."""
    inside = [escaped(name)] if not value else [escaped(f"{name} "), element("b", inline(value))]
    return element("span", *inside, css="wb-chip")


def citation_line(passage: Passage) -> Html:
    """The file of a passage with its page and heading; nothing for one that did not come from a file of one's.

    A heading that repeats the title is left out.
    """
    words = citation(passage)
    if not words:
        return NOTHING
    pieces = [element("b", inline(words))]
    if passage.heading and passage.heading != passage.title:
        pieces.append(inline(" ".join(passage.heading.split()), passage.language))
    return element("div", *pieces, css="wb-row wb-muted")
