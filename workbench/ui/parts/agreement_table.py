"""Agreement between people, or of rules with people, in words and as a table: each value with its n and interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.annotation import LabelAgreement, ProposalAgreement, Taxonomy, is_hidden_by_chance, strength
from workbench.metrics import Agreement
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.data_table import data_table

Rows = Sequence[LabelAgreement | ProposalAgreement]


def agreement_table(rows: Rows, taxonomy: Taxonomy, key: str) -> None:
    """A sentence, then one row per label and language: n, how often the choice was the same, and that beyond chance.

    Labels about which everybody always said the same are one line, folded: nothing can be told of chance there.
    """
    names = {label.key: label.name for label in taxonomy.labels}
    comparable = [row for row in rows if row.alpha.score.value is not None or row.raw.score.value != 1]
    for sentence in sentences(comparable, names):
        safe_html.message(sentence)
    records = [
        {
            "Label": names.get(row.label, "All labels"),
            "Language": language_option(row.language) if row.language else "All languages",
            "n": row.n,
            "Same choice": agreement_text(row.raw, percent=True),
            "Beyond chance": "–" if row.alpha.score.value is None else strength(row.alpha.score.value),
            "Krippendorff’s α": agreement_text(row.alpha),
            "Cohen’s κ": agreement_text(row.kappa),
        }
        for row in comparable
    ]
    # Reasons are sentences: they must not push the other columns off the screen.
    widths = {name: st.column_config.TextColumn(width="medium") for name in ("Cohen’s κ", "Krippendorff’s α")}
    if records:
        data_table(records, hide_index=True, column_config=widths, key=key)
    if rows and not comparable:
        safe_html.message(f"Everybody made the same choices on all answers (n = {rows[0].n:,}).")
    alike = dict.fromkeys(names.get(row.label, "All labels") for row in rows if row not in comparable)
    if alike:
        noun = "label" if len(alike) == 1 else "labels"
        with st.popover(f"{len(alike)} {noun} about which everybody always said the same", type="tertiary"):
            words = "Given to every answer or to none, so agreement cannot be told from chance: "
            safe_html.show(safe_html.text_block(f"{words}{', '.join(alike)}."))


def sentences(rows: Rows, names: Mapping[str, str]) -> list[str]:
    """What the rows say, for somebody who does not know the figures; and why a high agreement may have a κ of 0."""
    scored = [(row.alpha.score.value, row) for row in rows if row.alpha.score.value is not None]
    if not scored:
        return []
    lines = []
    if overall := next((row for value, row in scored if not row.label), None):
        lines.append(
            f"Two people made the same choice in {agreement_text(overall.raw, percent=True)} of comparisons "
            f"(n = {overall.n:,}). That is {strength(overall.alpha.score.value or 0.0)} agreement beyond what chance "
            f"would give (α {agreement_text(overall.alpha)})."
        )
    else:
        (low, least), (high, most) = (choose(scored, key=lambda pair: pair[0]) for choose in (min, max))
        lines.append(
            f"People agree most on “{names[most.label]}”: {strength(high)} agreement beyond chance "
            f"(α {agreement_text(most.alpha)}, n = {most.n:,}). They agree least on “{names[least.label]}”: "
            f"{strength(low)} (α {agreement_text(least.alpha)}, n = {least.n:,})."
        )
    hidden = [row for row in rows if is_hidden_by_chance(row.raw, row.alpha)]
    if hidden:
        labels = ", ".join(f"“{name}”" for name in dict.fromkeys(names.get(row.label, "All labels") for row in hidden))
        lines.append(
            f"{labels}: the same choice nearly always, and still α and κ near 0. Almost every reply was the same, so "
            "chance alone would agree as often. More answers to which the label applies would tell."
        )
    return lines


def agreement_text(value: Agreement, *, percent: bool = False) -> str:
    """A value of agreement with its 95 % interval, or why there is none."""
    if value.score.value is None:
        return value.score.reason or "–"
    form, scale, unit = (".0f", 100, " %") if percent else (".2f", 1, "")
    bounds = [bound for bound in (value.low, value.high) if bound is not None]
    interval = f" [{', '.join(format(bound * scale, form) for bound in bounds)}]" if len(bounds) == 2 else ""
    # A minus, not a hyphen, which the table would keep from being taken for a formula.
    return f"{format(value.score.value * scale, form)}{unit}{interval}".replace("-", "−")
