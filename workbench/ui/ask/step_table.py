"""What each step did, how long it took, and whether it came from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.core import Step
from workbench.ui.parts.safe_html import Html, escaped, inline, table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BAR = 26
"""Pixels per bar."""


def summary(steps: Sequence[Step]) -> str:
    """One line: time, number of steps, and how many came from the cache. Only our words, as it is a label."""
    seconds = sum(step.seconds for step in steps)
    cached = sum(step.cached for step in steps)
    return f"Answered in {1000 * seconds:,.0f} ms, {len(steps)} steps" + (
        f", {cached} from the cache" if cached else ""
    )


def steps_table(steps: Sequence[Step]) -> Html:
    """One row per step, in the order they ran."""
    rows = [
        [
            escaped(step.name),
            escaped(f"{1000 * step.seconds:,.1f}"),
            escaped("cache" if step.cached else "fresh"),
            inline(" · ".join(f"{name}: {value}" for name, value in step.facts.items())),
            inline(step.component, css="wb-muted"),
        ]
        for step in steps
    ]
    return table(["Step", "ms", "Source", "Details", "Component"], rows)


def timings_figure(steps: Sequence[Step]) -> Figure:
    """One bar per step, in milliseconds, in the order they ran; cached steps in a lighter colour."""
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    for cached, name, colour in ((False, "fresh", "#2f7f9f"), (True, "from the cache", "#9dbfcb")):
        selection = [step for step in steps if step.cached is cached]
        if selection:
            figure.add_trace(
                Bar(
                    x=[1000 * step.seconds for step in selection],
                    y=[step.name for step in selection],
                    name=name,
                    orientation="h",
                    marker_color=colour,
                    hovertemplate="%{y}: %{x:.1f} ms<extra></extra>",
                )
            )
    figure.update_yaxes(categoryorder="array", categoryarray=[step.name for step in steps][::-1])
    figure.update_layout(
        title=f"Time per step (n = {len(steps)})",
        xaxis_title="milliseconds",
        height=110 + BAR * len(steps),
        margin={"l": 0, "r": 10, "t": 40, "b": 40},
        bargap=0.35,
    )
    return figure
