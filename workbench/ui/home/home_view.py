"""What the Home screen shows: the workspace's corpora and datasets, and the state of the components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.languages import language
from workbench.ui.shared.badges import language_badge
from workbench.ui.shared.safe_html import Html, element, escaped, inline, joined, table, text_block

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from workbench.datasets.dataset_library import DatasetInfo
    from workbench.workspace.doctor import Check


def totals(corpora: Mapping[str, Mapping[str, int]], datasets: Sequence[DatasetInfo]) -> dict[str, int]:
    """Counts of what the workspace contains, each under its name in the singular or the plural."""
    languages = {code for counts in corpora.values() for code in counts}
    return {
        "corpus" if len(corpora) == 1 else "corpora": len(corpora),
        "language" if len(languages) == 1 else "languages": len(languages),
        "passages": sum(sum(counts.values()) for counts in corpora.values()),
        "dataset" if len(datasets) == 1 else "datasets": len(datasets),
        "questions": sum(sum(item.languages.values()) for item in datasets),
    }


def figures(named: Mapping[str, int]) -> Html:
    """Large numbers with their names."""
    shown = [
        element("div", element("b", escaped(f"{value:,}")), escaped(name), css="wb-figure")
        for name, value in named.items()
    ]
    return element("div", *shown, css="wb-figures")


def passages_figure(counts: Mapping[str, int], corpus: str) -> Figure:
    """One bar per language: the number of the corpus's passages in it."""
    from plotly.graph_objects import Bar, Figure

    names = [language(code).name for code in counts]
    figure = Figure(
        Bar(
            x=names,
            y=list(counts.values()),
            marker_color="#2f7f9f",
            text=list(counts.values()),
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{x}: %{y:,} passages<extra></extra>",
        )
    )
    figure.update_layout(
        title=f"Passages per language, corpus {corpus} (n = {sum(counts.values()):,})",
        yaxis_title="passages",
        height=300,
        margin={"l": 0, "r": 0, "t": 50, "b": 0},
        bargap=0.35,
    )
    return figure


def corpora_table(corpora: Mapping[str, Mapping[str, int]]) -> Html:
    """One row per corpus: its passages and languages."""
    rows = [
        [inline(name, css="wb-title"), escaped(f"{sum(counts.values()):,}"), _badges(list(counts))]
        for name, counts in corpora.items()
    ]
    return table(["Corpus", "Passages", "Languages"], rows)


def datasets_table(datasets: Sequence[DatasetInfo]) -> Html:
    """One row per dataset: its corpus, questions and languages."""
    rows = [
        [
            inline(item.name, css="wb-title"),
            inline(item.corpus),
            escaped(f"{sum(item.languages.values()):,}"),
            _badges(list(item.languages)),
        ]
        for item in datasets
    ]
    return table(["Dataset", "Corpus", "Questions", "Languages"], rows)


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


def _badges(codes: Sequence[str]) -> Html:
    return element("div", joined(language_badge(code) for code in codes), css="wb-row")
