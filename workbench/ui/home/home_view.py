"""What the Home screen shows: the workspace's corpora and datasets, and the state of the components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.data import data_view
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table, text_block

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from workbench.app import Check
    from workbench.data import DatasetInfo


def totals(corpora: Mapping[str, Mapping[str, int]], datasets: Sequence[DatasetInfo]) -> dict[str, int]:
    """Counts of what the workspace contains, each under its name in the singular or the plural."""
    languages = {code for counts in corpora.values() for code in counts}
    return {
        "corpus" if len(corpora) == 1 else "corpora": len(corpora),
        "language" if len(languages) == 1 else "languages": len(languages),
        "passages": sum(sum(counts.values()) for counts in corpora.values()),
        "dataset" if len(datasets) == 1 else "datasets": len(datasets),
        "questions": sum(sum(dataset.languages.values()) for dataset in datasets),
    }


@st.cache_resource(max_entries=64, show_spinner=False)
def passages_figure(counts: Mapping[str, int], name: str) -> Figure:
    """The passages of a corpus by language; kept, as plotly takes longer over it than the rest of the page."""
    return data_view.counts_figure(counts, "Passages", name)


def figures(named: Mapping[str, int]) -> Html:
    """Large numbers with their names."""
    shown = [
        element("div", element("b", escaped(f"{value:,}")), escaped(name), css="wb-figure")
        for name, value in named.items()
    ]
    return element("div", *shown, css="wb-figures")


def corpora_table(corpora: Mapping[str, Mapping[str, int]]) -> Html:
    """One row per corpus: its passages and languages."""
    rows = [
        [
            _labelled("Corpus", inline(name, css="wb-title")),
            _number(sum(counts.values()), "passage"),
            _badges(list(counts)),
        ]
        for name, counts in corpora.items()
    ]
    return table(["Corpus", "Passages", "Languages"], rows, "wb-stacked")


def datasets_table(datasets: Sequence[DatasetInfo]) -> Html:
    """One row per dataset: its corpus, questions and languages."""
    rows = [
        [
            _labelled("Dataset", inline(dataset.name, css="wb-title")),
            _labelled("Corpus", inline(dataset.corpus or "none")),
            _number(sum(dataset.languages.values()), "question"),
            _badges(list(dataset.languages)),
        ]
        for dataset in datasets
    ]
    return table(["Dataset", "Corpus", "Questions", "Languages"], rows, "wb-stacked")


def components_table(checks: Sequence[Check]) -> Html:
    """One row per component: ready, or what is missing and the command that provides it."""
    rows = [
        [
            element(
                "span", escaped("ready" if check.ready else "missing"), css="wb-ready" if check.ready else "wb-missing"
            ),
            inline(check.name),
            text_block(check.state),
            text_block(check.remedy),
        ]
        for check in checks
    ]
    return table(["", "Component", "State", "What to do"], rows)


def components_line(checks: Sequence[Check]) -> str:
    """How many components are ready. Only our words, as it is the label of an expander."""
    missing = sum(not check.ready for check in checks)
    count = f"All {len(checks)}" if not missing else f"{len(checks) - missing} of {len(checks)}"
    return f"{count} components are ready"


def _labelled(label: str, name: Html) -> Html:
    """A name; on a phone, where the table has no head, after what it names."""
    return joined([element("span", escaped(f"{label} "), css="wb-phone"), name])


def _number(count: int, noun: str) -> Html:
    """A count; on a phone, where the table has no head, with its noun."""
    words = element("span", escaped(f" {noun}{'' if count == 1 else 's'}"), css="wb-phone")
    return joined([escaped(f"{count:,}"), words])


def _badges(codes: Sequence[str]) -> Html:
    return element("div", joined(language_badge(code) for code in codes), css="wb-row")
