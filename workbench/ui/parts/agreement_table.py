"""Agreement between people, or of rules with people, as a table: each value with its interval, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import LabelAgreement, ProposalAgreement, Taxonomy
from workbench.metrics import Agreement
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.data_table import data_table


def agreement_table(rows: Sequence[LabelAgreement] | Sequence[ProposalAgreement], taxonomy: Taxonomy, key: str) -> None:
    """One row per label and language: n, and raw agreement, κ and α with their intervals."""
    names = {label.key: label.name for label in taxonomy.labels}
    records = [
        {
            "Label": names.get(row.label, "All labels"),
            "Language": language_option(row.language) if row.language else "All languages",
            "n": row.n,
            "Raw agreement": agreement_text(row.raw),
            "Cohen’s κ": agreement_text(row.kappa),
            "Krippendorff’s α": agreement_text(row.alpha),
        }
        for row in rows
    ]
    # Reasons are sentences: they must not push the other columns off the screen.
    widths = {name: st.column_config.TextColumn(width="medium") for name in ("Cohen’s κ", "Krippendorff’s α")}
    data_table(records, hide_index=True, column_config=widths, key=key)


def agreement_text(value: Agreement) -> str:
    """A value of agreement with its interval, or why there is none."""
    if value.score.value is None:
        return value.score.reason or "–"
    interval = "" if value.low is None or value.high is None else f" [{value.low:.2f}, {value.high:.2f}]"
    return f"{value.score.value:.2f}{interval}"
