"""From the question's language through the documents' languages to the answer's: where a language is lost."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from workbench.experiments import choice_name
from workbench.ui.parts.chart_style import empty_figure, finish_figure, language_label

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Question → documents → answer"
STEPS = {"language": "question", "document_language": "documents", "answer_language": "answer"}
"""The columns of the flows, each with the heading above its nodes."""
UNKNOWN = "not detected"
PAD = 18


def sankey(flows: DataFrame, scope: str = "") -> Figure:
    """Flows of documents between languages, in numbers of documents.

    `flows` has `language`, `document_language`, `answer_language` and `documents`, all of one `scope` where
    it is given.
    """
    from plotly.graph_objects import Figure, Sankey

    if not len(flows):
        return empty_figure(TITLE, "No documents match these filters.")
    steps = tuple(STEPS)
    nodes = [(step, code) for step in steps for code in sorted(set(flows[step]))]
    index = {node: number for number, node in enumerate(nodes)}
    links = [
        (index[first, one], index[second, other], int(count))
        for first, second in pairwise(steps)
        for one, other, count in flows.groupby([first, second], as_index=False)["documents"]
        .sum()
        .itertuples(index=False)
    ]
    figure = Figure(
        Sankey(
            domain={"y": [0, 0.97]},
            node={
                "label": [language_label(code) if code else UNKNOWN for _, code in nodes],
                "color": [_colour(code) for _, code in nodes],
                # A line of text: names of thin nodes do not overlap.
                "pad": PAD,
                "thickness": 14,
                "hovertemplate": "%{label}: %{value:,} documents<extra></extra>",
            },
            link={
                "source": [source for source, _, _ in links],
                "target": [target for _, target, _ in links],
                "value": [count for _, _, count in links],
                "color": [_colour(nodes[source][1], 0.28) for source, _, _ in links],
                "hovertemplate": "%{source.label} → %{target.label}: %{value:,} documents<extra></extra>",
            },
        )
    )
    lead = f"searching {choice_name('scope', scope)} · " if scope else ""
    subtitle = f"{lead}n = {int(flows['documents'].sum()):,} documents given to the generator"
    for column, title in enumerate(STEPS.values()):
        figure.add_annotation(
            text=f"<b>{title}</b>", x=column / 2, y=1, xref="paper", yref="paper", yanchor="top", yshift=14,
            xanchor=("left", "center", "right")[column], showarrow=False,
        )  # fmt: skip
    tallest = max(len(set(flows[step])) for step in steps)
    return finish_figure(figure, TITLE, subtitle, height=max(360, 190 + (PAD + 14) * tallest))


def _colour(code: str, opacity: float = 0.85) -> str:
    from workbench.ui.parts.badges import hue

    return f"hsla({hue(code) if code else 0}, {45 if code else 0}%, 50%, {opacity})"
