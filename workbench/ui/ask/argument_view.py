"""The argument of a D-RAG answer: its sections line by line, and its claims as a table with a file to download."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.app import ArgumentClaim, argument_claims, claims_csv
from workbench.core import Answer, Evidence, Sections
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.rich_text import anchor_of, first_cited, rich, rich_block
from workbench.ui.parts.safe_html import Html, element, escaped, joined, jump, table, text_block

PARTS = (("extraction", "Extraction"), ("explanation", "Explanation"), ("argumentation", "Dialectic argumentation"))


def sections_card(sections: Sections, evidence: Sequence[Evidence] = (), answer: str = "") -> Html:
    """D-RAG's sections before the answer, without those that are missing; repeated ones are named.

    Citations lead to the documents of `evidence`; `answer` distinguishes several answers on one page.
    """
    texts = {name: str(getattr(sections, name)) for name, _ in PARTS}
    languages = {item.rank: item.language for item in evidence}
    shown = [
        element(
            "div",
            element("div", escaped(title), css="wb-label"),
            *(_line(line, languages if name == "extraction" else dict.fromkeys(languages, ""), answer)
              for line in texts[name].splitlines() if line.strip()),
            css="wb-part",
            hue=200 + 60 * place,
        )
        for place, (name, title) in enumerate(PARTS)
        if texts[name]
    ]  # fmt: skip
    repeated = (
        [text_block(f"Repeated sections: {', '.join(sections.repeated)}.", css="wb-muted")] if sections.repeated else []
    )
    return element("div", *shown, *repeated, css="wb-parts")


def claims(answer: Answer) -> None:
    """The argument's claims in a closed expander: what each says, its documents and their languages; with a CSV."""
    rows = argument_claims(answer)
    if not rows:
        return
    with st.expander(f"Claims as a table ({len(rows)})", icon=":material/table:", key="claims"):
        safe_html.show(claims_table(rows))
        st.download_button(
            "Claims (CSV)",
            "\ufeff" + claims_csv(rows),
            "claims.csv",
            "text/csv",
            key="download_claims",
            on_click="ignore",
            icon=":material/download:",
        )


def claims_table(rows: Sequence[ArgumentClaim]) -> Html:
    """One row per claim, numbered from 1; each document is a link to its card."""
    cells = [
        [
            escaped(number),
            rich_block(claim.text, ranks=claim.ranks),
            joined(piece for rank in claim.ranks for piece in (_document(rank), escaped(" "))),
            element("div", *(language_badge(code) for code in claim.languages), css="wb-row"),
        ]
        for number, claim in enumerate(rows, start=1)
    ]
    return table(["No.", "Claim", "Documents", "Languages"], cells, "wb-stacked")


def _document(rank: int) -> Html:
    return jump(escaped(f"[{rank}]"), anchor_of(rank))


def _line(line: str, languages: Mapping[int, str], answer: str) -> Html:
    """A line of a section. What follows the document that it begins with is isolated, in that document's language."""
    rank, start = first_cited(line)
    if rank not in languages:
        return rich_block(line, ranks=languages, answer=answer)
    head = rich(line[:start], languages, answer)
    rest = element(
        "bdi", rich(line[start:], languages, answer), lang=languages[rank], direction="auto", css="wb-quoted"
    )
    return element("div", head, rest, css="wb-text wb-line")
