"""The one way that questions, documents and answers reach the screen: as escaped text, never as markup.

Streamlit reads Markdown in labels, captions, badges and messages, and Markdown fetches images and follows links.
Therefore texts that we did not write are shown through this module alone. `Html` can be created only here: from an
escaped text, and from our tags around such pieces. `show` alone puts data on a page with `st.html`.

Beyond its letters `rich` lets a text show **bold**, and citations such as [2] that lead to their documents; any other
Markdown stays as it was written.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NewType

import regex
import streamlit as st

COPY = Path(__file__).with_name("copy.js").read_text("utf-8")
"""Copies a text; where the browser does not let it, the text is selected instead. A constant, like every script."""

MARKDOWN = regex.compile(r"[!-/:-@\[-`{-~]")
"""Every sign that means something in Markdown."""
ADDRESS = regex.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", regex.IGNORECASE)
"""Where an address is cut so that Markdown does not take it for a link: escaping does not hinder that."""
HOST = regex.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")

Html = NewType("Html", str)
"""Markup whose tags are all ours and whose texts are all escaped."""

Tag = Literal[
    "a", "article", "b", "bdi", "button", "dd", "del", "details", "div", "dl", "dt", "h1", "h2", "header", "ins", "li",
    "mark", "ol", "pre", "section", "small", "span", "summary", "table", "tbody", "td", "th", "thead", "tr",
]  # fmt: skip
Direction = Literal["auto", "ltr", "rtl", ""]

NOTHING = Html("")

LENGTHS = ("share", "low", "high")
"""The variables of the style sheet that `element` sets to its `shares`."""
INSTANCES = "instances"
LOOK_AT_INSTANCES = (
    f"<script>(() => {{ const place = document.getElementById('{INSTANCES}'); if (!place) return; "
    "place.tabIndex = -1; place.focus({preventScroll: true}); place.scrollIntoView({block: 'start'}) })()</script>"
)
"""The Dashboard's script. Like every script it is constant: no data goes into it."""


def escaped(text: object) -> Html:
    """`text` with every character that has a meaning in HTML escaped.

    >>> escaped('<img src="x">')
    '&lt;img src=&quot;x&quot;&gt;'
    """
    return Html(html.escape(str(text), quote=True))


def joined(pieces: Iterable[Html]) -> Html:
    """The pieces one after another."""
    return Html("".join(pieces))


def element(
    tag: Tag,
    *inside: Html,
    css: str = "",
    lang: str = "",
    direction: Direction = "",
    role: str = "",
    hue: int | None = None,
    shares: Sequence[float] = (),
    anchor: str = "",
    title: str = "",
    value: str = "",
) -> Html:
    """One of our tags around pieces. `css` names classes of screen.css; `hue` (0 to 359) is the colour they may use.

    `shares` (0 to 1) are the length of a bar and the two ends of its interval; `anchor` is the id that `jump` leads to;
    `title` is shown on hovering; `value` is a button's, for a script to read.
    """
    values = {
        "id": anchor,
        "class": css,
        "value": value,
        "lang": lang,
        "dir": direction,
        "role": role,
        "style": ";".join([*([] if hue is None else [f"--hue:{hue:d}"]), *map("--{}:{:.1%}".format, LENGTHS, shares)]),
        "title": title,
    }
    attributes = "".join(f' {name}="{escaped(value)}"' for name, value in values.items() if value)
    return Html(f"<{tag}{attributes}>{joined(inside)}</{tag}>")


def jump(inside: Html, anchor: str) -> Html:
    """A link to the element of this page whose `anchor` is given; it leads nowhere else."""
    return Html(f'<a class="wb-jump" href="#{escaped(anchor)}">{inside}</a>')


def fold(summary: Html, *inside: Html, css: str = "") -> Html:
    """Pieces that are shown once their summary, which is always there, is pressed."""
    return element("details", element("summary", summary), *inside, css=f"wb-fold {css}".strip())


def fragments(text: str) -> str:
    r"""An answer of several quotations with each on a line of its own, which so has the direction of its own letters.

    >>> fragments("one … two")
    'one …\ntwo'
    """
    return text.replace(" … ", " …\n")


def text_block(text: object, lang: str = "", css: str = "") -> Html:
    """A text as a block, set in the direction of its first letter; line breaks are kept."""
    return element("div", escaped(text), css=f"wb-text {css}".strip(), lang=lang, direction="auto")


def inline(text: object, lang: str = "", css: str = "") -> Html:
    """A text inside a line, isolated so that its direction does not disturb the words around it."""
    return element("bdi", escaped(text), css=css, lang=lang)


def marked_text(text: str, spans: Iterable[tuple[int, int]], lang: str = "", css: str = "", anchor: str = "") -> Html:
    """`text` as a block with the characters of each (start, end) marked; spans are cut at the text's end.

    Spans may touch, overlap and come in any order: each character is marked once. With the `anchor` of the text each
    mark has one as well, which `sentence_anchor` names.
    """
    pieces: list[Html] = []
    place = 0
    for start, end in _apart(spans, len(text)):
        name = sentence_anchor(anchor, start) if anchor else ""
        pieces += [escaped(text[place:start]), element("mark", escaped(text[start:end]), anchor=name)]
        place = end
    pieces.append(escaped(text[place:]))
    return element("div", *pieces, css=f"wb-text {css}".strip(), lang=lang, direction="auto")


def _apart(spans: Iterable[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """The spans in order, each without what those before it have."""
    place = 0
    for start, end in sorted((max(0, start), min(end, length)) for start, end in spans):
        if max(start, place) < end:
            yield max(start, place), end
            place = end


def table(head: Sequence[str], rows: Sequence[Sequence[Html]], css: str = "") -> Html:
    """A table, which the keyboard reaches: the head is plain text, the cells are pieces."""
    top = element("tr", *(element("th", escaped(name)) for name in head))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    content = element("table", element("thead", top), element("tbody", *body), css=f"wb-table {css}".strip())
    # On a narrow screen it scrolls sideways, by the keyboard too.
    return Html(f'<div class="wb-scroll" tabindex="0">{content}</div>')


def plain_label(text: str) -> str:
    r"""A text as a label or hint of a control, which Streamlit reads as Markdown: it comes out as it was written.

    >>> print(plain_label("*not* bold"))
    \*not\* bold
    """
    return MARKDOWN.sub(r"\\\g<0>", ADDRESS.sub("\u200b", " ".join(text.split())))


def is_host(text: str) -> bool:
    """Whether a text is a plain host name and may be part of a button's label, which Streamlit reads as Markdown.

    >>> is_host("api.openai.com"), is_host("![x](y)"), is_host("www.a.com:80")
    (True, False, False)
    """
    return HOST.fullmatch(text) is not None


def show(piece: Html) -> None:
    """Puts a piece on the screen, unless it is empty."""
    if piece:
        st.html(piece)


def look_at_instances() -> None:
    """Scrolls down to the instances and moves the keyboard's focus there."""
    st.html(LOOK_AT_INSTANCES, unsafe_allow_javascript=True)


def run_script(script: str, number: int = 0) -> None:
    """Runs a script that is a constant of ours: data never goes into one.

    The browser runs it again whenever `number` differs from the time before. By its width the style sheet knows it.
    """
    st.html(f"<script>/* {number:d} */ {script}</script>", width=1, unsafe_allow_javascript=True)


def source(text: str) -> None:
    """A text to be read exactly and copied, such as a prompt or a command: never interpreted.

    `st.code` would load 1.5 MB to colour it.
    """
    show(element("div", element("pre", escaped(text), direction="auto"), copy_button("Copy"), css="wb-copy wb-exact"))
    run_script(COPY)


def copy_button(label: str) -> Html:
    """A button that copies the text before or after it in a block `wb-copy`; the page runs `COPY` as well."""
    return element("button", escaped(label), css="wb-button wb-copies")


def message(sentence: str, kind: Literal["error", "note"] = "note") -> None:
    """A sentence that may repeat what a person typed. `st.error` and `st.info` would read it as Markdown."""
    show(
        element("div", text_block(sentence), css=f"wb-message wb-{kind}", role="alert" if kind == "error" else "status")
    )


TOKEN = regex.compile(
    r"\*\*(?P<bold>[^\s*](?:[^*\n]{0,400}[^\s*])?)\*\*|\[(?P<cited>\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,40})\]"
)
"""Bold text within one line, or a citation."""
NUMBER = regex.compile(r"(\d+)")
HEAD = regex.compile(r"\s*\[(\d{1,3})\]\s*(?:\([a-z]{2,3}\)\s*)?")
"""The document that a line begins with, as in `[2] (fr) “…”`."""


def anchor_of(rank: int) -> str:
    """The anchor of a document on the page."""
    return f"document-{rank:d}"


def sentence_anchor(text: str, start: int) -> str:
    """The anchor of a sentence that is marked, by that of its text and where it begins.

    >>> sentence_anchor(anchor_of(2), 314)
    'document-2-314'
    """
    return f"{text}-{start:d}"


def rich(text: str, ranks: Collection[int] = ()) -> Html:
    """`text` escaped, with bold and with links from citations to the documents of `ranks` (from 1)."""
    return joined(_pieces(text, ranks))


def rich_block(text: str, lang: str = "", css: str = "", ranks: Collection[int] = ()) -> Html:
    """`rich` as a block, set in the direction of its first letter; line breaks are kept."""
    return element("div", rich(text, ranks), css=f"wb-text {css}".strip(), lang=lang, direction="auto")


def first_cited(line: str) -> tuple[int, int]:
    """The rank of the document that a line begins with, and where its text starts; (0, 0) where it begins with none.

    >>> first_cited("[2] (fr) “Oui”"), first_cited("Yes [2]")
    ((2, 9), (0, 0))
    """
    match = HEAD.match(line)
    return (int(match[1]), match.end()) if match else (0, 0)


def _pieces(text: str, ranks: Collection[int]) -> Iterator[Html]:
    place = 0
    for match in TOKEN.finditer(text):
        yield escaped(text[place : match.start()])
        if match["bold"] is not None:
            yield element("b", rich(match["bold"], ranks))
        else:
            yield _citation(match["cited"], ranks)
        place = match.end()
    yield escaped(text[place:])


def _citation(body: str, ranks: Collection[int]) -> Html:
    """The numbers of a citation, each a link where there is such a document."""
    if body.isdecimal() and int(body) in ranks:
        return jump(escaped(f"[{body}]"), anchor_of(int(body)))
    pieces = [
        jump(escaped(piece), anchor_of(int(piece))) if piece.isdecimal() and int(piece) in ranks
        else escaped(piece)
        for piece in NUMBER.split(body)
    ]  # fmt: skip
    return joined([escaped("["), *pieces, escaped("]")])
