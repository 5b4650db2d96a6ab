"""Tables as coloured cells: metrics by scope, documents by language, correlations of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from workbench.experiments import choice_name
from workbench.languages import CHIRKOVA_LANGUAGES
from workbench.metrics import Scale, metric_name, scale_of
from workbench.pipeline import SCOPES, VARIANTS
from workbench.ui.dashboard.dashboard_state import mark
from workbench.ui.parts.chart_style import (
    NOTHING_SCORED,
    empty_figure,
    finish_figure,
    hover_texts,
    is_missing,
    language_label,
    number_range,
    plain_text,
    published_cells,
    published_name,
    scored_counts,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

BLUES = ((0.0, "rgba(47, 127, 159, 0.03)"), (1.0, "rgba(47, 127, 159, 0.58)"))
"""From the page itself to half of a blue: on a light and a dark page alike 0 is faint, and the page's text reads."""
DIVERGING = ((0.0, "rgba(179, 86, 107, 0.58)"), (0.5, "rgba(124, 135, 148, 0.04)"), (1.0, "rgba(47, 127, 159, 0.58)"))
"""Faint in the middle, likewise."""
CELL = "#2f7f9f"
CELL_TEXT = "#33424c"
"""The text on cells in a saved picture; on the page it has the page's colour (screen.css)."""
ROW = 42
HEADS = 40
"""Pixels of the columns' names above the cells."""
PROMPT_LINE = 30
"""Characters of a line of a prompt's name."""
CROWDED = 14
"""Measured columns; with more, the cells have no room for intervals, which the hover texts and the table have."""
NO_DOCUMENTS = "No documents match these filters."


def cell_chart(
    cells: DataFrame,
    title: str,
    subtitle: str,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    published: DataFrame | None = None,
    bounds: tuple[float, float] = (0, 1),
    colours: Sequence[tuple[float, str]] = BLUES,
    height: int = ROW,
) -> Figure:
    """Cells in the order of `rows` and `columns`, the darker the nearer `value` is to the upper of the `bounds`.

    `cells` has `row`, `column`, `value`, `text`, `hover` (both escaped) and `mark`. `published` has the columns of
    published figures, `row` and `column`; its rows are below, in the measured columns where they have any of these.
    `height` is that of a row in pixels.
    """
    from plotly.graph_objects import Figure, Heatmap, Scatter

    x, y = cells["column"].tolist(), cells["row"].tolist()
    (low, high), scale = bounds, [list(stop) for stop in colours]
    shown = {"showscale": False, "xgap": 2, "ygap": 2, "hoverinfo": "skip"}
    heat = Heatmap(x=x, y=y, z=cells["value"].tolist(), zmin=low, zmax=high, colorscale=scale, **shown)
    # Plotly's heat maps cannot be clicked, points over their cells can.
    points = Scatter(
        x=x,
        y=y,
        mode="markers+text",
        marker={"symbol": "square", "size": 26, "opacity": 0, "color": CELL},
        selected={"marker": {"opacity": 0.25}},
        unselected={"marker": {"opacity": 0}, "textfont": {"color": CELL_TEXT}},
        text=cells["text"].tolist(),
        textfont={"color": CELL_TEXT, "size": 12},
        customdata=[[query] for query in cells["mark"]],
        hovertext=cells["hover"].tolist(),
        hovertemplate="%{hovertext}<extra></extra>",
        name="your results",
        showlegend=False,
    )
    figure, citation = Figure([heat, points]), ""
    if published is not None:
        if set(published["column"]) & set(x):
            published = published[published["column"].isin(x)]
        places, citation = "published · " + published["row"], published_name(published)
        figure.add_trace(published_cells(published["column"].tolist(), places.tolist(), published, citation))
        rows, columns = [*rows, *dict.fromkeys(places)], list(dict.fromkeys([*columns, *published["column"]]))
    common = {"categoryorder": "array", "showgrid": False}
    figure.update_xaxes(categoryarray=list(columns), range=[-0.5, len(columns) - 0.5], side="top", **common)
    figure.update_yaxes(categoryarray=list(rows), range=[len(rows) - 0.5, -0.5], zeroline=False, **common)
    finish_figure(figure, title, subtitle, height=max(270, 190 + height * len(rows)), reference=citation)
    figure.layout.margin.t += HEADS
    return figure


def _metric_grid(
    measured: DataFrame,
    published: DataFrame | None,
    title: str,
    metric: str,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    counted: DataFrame,
) -> Figure:
    """Means by `row` and `column`, with their intervals where there is room, as percentages where they are shares.

    `counted` are the rows whose n the title states.
    """
    scale = scale_of(metric)
    cells = measured[measured["mean"].notna()]
    if not len(cells):
        return empty_figure(title, NOTHING_SCORED)
    unit = f"{scale}, × 100" if scale.is_share else str(scale)
    columns = [name for name in columns if name in set(cells["column"])]
    crowded = len(columns) > CROWDED
    values = zip(cells["mean"], cells["low"], cells["high"], strict=True)
    names = [f"{row}, {column}" for row, column in zip(cells["row"], cells["column"], strict=True)]
    cells = cells.assign(
        value=cells["mean"],
        text=[_cell_text(mean, low, high, scale, crowded) for mean, low, high in values],
        hover=hover_texts(cells, names),
    )
    return cell_chart(
        cells,
        title,
        f"{unit} · {scored_counts(counted)}",
        rows=rows,
        columns=columns,
        published=published,
        bounds=(scale.low, scale.high),
    )


def _cell_text(mean: float, low: float, high: float, scale: Scale, crowded: bool) -> str:
    times, digits = (100, 1) if scale.is_share else (1, 2)
    value = f"{mean * times:.{digits}f}"
    if crowded:
        return f'<span style="font-size:10px">{value}</span>'
    # Both ends: an interval near 0 or 1 extends to one side only, which ± would not show.
    interval = f"{low * times:.{digits - 1}f}–{high * times:.{digits - 1}f}"
    return value if is_missing(low) else f'{value}<br><span style="font-size:10px">{interval}</span>'


SCOPE_ROWS = ("none", *SCOPES)
"""The scopes in order; `none` is without retrieval."""
POOLED = "pooled"
"""Replaces the language where all languages are taken together."""


def scope_language(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Scope × language, as in Chirkova et al. (2024), Table 1: what searching more languages changes in each.

    `measured` has one row per `scope` and `language`; rows of the mode baseline have the scope `none`.
    """
    languages = set(measured["language"])
    columns = [code for code in CHIRKOVA_LANGUAGES if code in languages]
    cells = measured.assign(row=measured["scope"].map(_scope_row), column=measured["language"].map(_named_column))
    if published is not None:
        published = published.sort_values("scope", key=lambda names: names.map(SCOPE_ROWS.index), kind="stable")
        published = published.assign(
            row=published["scope"].map(_scope_row), column=published["language"].map(_named_column)
        )
    return _metric_grid(
        cells,
        published,
        f"Languages searched × language asked in: {metric_name(metric)}",
        metric,
        rows=[_scope_row(name) for name in SCOPE_ROWS if name in set(measured["scope"])],
        columns=[_named_column(code) for code in [*columns, *sorted(languages - set(columns))]],
        counted=measured,
    )


def _scope_row(scope: str) -> str:
    return choice_name("scope", scope)


def _named_column(code: str) -> str:
    """A column's heading: a language's name above its code."""
    return language_label(code).replace(" (", "<br>").removesuffix(")")


def prompt_scope(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Prompt × scope, as in Chirkova et al. (2024), Tables 5 and 9: recall or correct language rate by system prompt.

    `measured` has one row per `prompt`, `scope` and `language`; languages are next to each other within a scope.
    """
    known = [variant.name for variant in VARIANTS]
    cells = measured.assign(row=[_prompt_row(name) for name in measured["prompt"]], column=_scope_columns(measured))
    if published is not None:
        published = published.sort_values("variant", key=lambda names: names.map(known.index), kind="stable")
        published = published.assign(row=published["variant"].map(_prompt_row), column=_scope_columns(published))
    prompts = list(dict.fromkeys(measured["prompt"]))
    pairs = sorted({*zip(cells["scope"], cells["language"], strict=True)}, key=_pair_order)
    pooled = cells[cells["language"] == POOLED]
    return _metric_grid(
        cells,
        published,
        f"Prompt variant × languages searched: {metric_name(metric)}",
        metric,
        rows=[_prompt_row(name) for name in dict.fromkeys([*(name for name in known if name in prompts), *prompts])],
        columns=[_scope_column(*pair) for pair in pairs],
        counted=pooled if len(pooled) else cells,
    )


def _pair_order(pair: tuple[str, str]) -> tuple[int, str]:
    scope, code = pair
    return (SCOPE_ROWS.index(scope) if scope in SCOPE_ROWS else len(SCOPE_ROWS), "" if code == POOLED else code)


def _prompt_row(name: str) -> str:
    return "<br>".join(wrap(plain_text(choice_name("prompt", name)), PROMPT_LINE))


def _scope_column(scope: str, code: str) -> str:
    name = wrap(choice_name("scope", scope), 14)
    return "<br>".join([*name, code])


def _scope_columns(frame: DataFrame) -> list[str]:
    return [_scope_column(*pair) for pair in zip(frame["scope"], frame["language"], strict=True)]


LANGUAGE_GROUPS = {
    "documents in English": "English",
    "documents in the question language": "question's language",
    "documents in other languages": "other languages",
}
"""The groups as the published table names them, and as a row does; an English question's are always English."""
ENGLISH, UL, OTHERS = LANGUAGE_GROUPS


def language_groups(flows: DataFrame, published: DataFrame | None = None, scope: str = "") -> Figure:
    """Documents in English, the question's language and others, as in Ranaldi et al. (2025, CrossRAG), Table 13.

    Shares by question language and group; those of a question language sum to 1. `flows` has `language`,
    `document_language` and `documents`, all of one `scope` where it is given; `published` rows have a group as their
    `setting`.
    """
    title = "Documents: English, the question's language, others"
    if not len(flows):
        return empty_figure(title, NO_DOCUMENTS)
    groups = [_group(one, other) for one, other in zip(flows["language"], flows["document_language"], strict=True)]
    cells = _document_shares(flows.assign(group=groups), "group")
    cells["mark"] = [
        _group_mark(group, code, scope) for group, code in zip(cells["group"], cells["language"], strict=True)
    ]
    cells = cells.assign(
        row=cells["group"].map(LANGUAGE_GROUPS),
        column=cells["language"],
        text=[f"{share * 100:.1f}" for share in cells["value"]],
    )
    names = [*LANGUAGE_GROUPS.values()]
    if published is not None:
        published = published.assign(row=published["setting"].map(LANGUAGE_GROUPS), column=published["language"])
        published = published.sort_values("row", key=lambda rows: rows.map(names.index), kind="stable")
    lead = f"searching {choice_name('scope', scope)} · " if scope else ""
    return cell_chart(
        cells,
        title,
        f"share of documents × 100 · {lead}n = {int(cells['documents'].sum()):,} documents",
        rows=[name for name in names if name in set(cells["row"])],
        columns=sorted(set(cells["language"])),
        published=published,
    )


def language_map(flows: DataFrame, scope: str = "") -> Figure:
    """Question language × document language: in which languages the documents for each question language are.

    Each row of the map sums to 100 %. `flows` has `language`, `document_language` and `documents`, all of one `scope`
    where it is given.
    """
    title = "Documents by question language"
    if not len(flows):
        return empty_figure(title, NO_DOCUMENTS)
    cells = _document_shares(flows, "document_language")
    pairs = zip(cells["language"], cells["document_language"], strict=True)
    cells = cells.assign(
        row=cells["language"],
        column=cells["document_language"],
        text=[f"{share:.0%}" if share >= 0.005 else "" for share in cells["value"]],
        mark=[mark(scope=scope, language=one, document=other) for one, other in pairs],
    )
    rows, columns = (sorted(set(cells[name])) for name in ("row", "column"))
    lead = f"searching {choice_name('scope', scope)} · " if scope else ""
    subtitle = f"{lead}share of documents · n = {int(cells['documents'].sum()):,} documents given to the generator"
    figure = cell_chart(cells, title, subtitle, rows=rows, columns=columns, height=30)
    figure.update_xaxes(title="document language")
    return figure.update_yaxes(title="question language")


def _document_shares(flows: DataFrame, by: str) -> DataFrame:
    """The `documents` of each question language by a column, and their shares as `value`, with a hover text."""
    cells = flows.groupby(["language", by])[["documents"]].sum().reset_index()
    cells["value"] = cells["documents"] / cells.groupby("language")["documents"].transform("sum")
    names = cells[by] if by == "group" else [f"documents in {language_label(code)}" for code in cells[by]]
    values = zip(cells["language"], names, cells["value"], cells["documents"], strict=True)
    cells["hover"] = [
        f"questions in {language_label(code)}<br>{name}<br><b>{share:.1%}</b>, {count:,} documents"
        for code, name, share, count in values
    ]
    return cells


def _group(question_language: str, document_language: str) -> str:
    if document_language == "en":
        return ENGLISH
    return UL if document_language == question_language else OTHERS


def _group_mark(group: str, code: str, scope: str) -> str:
    # No single mark stands for documents in any of the other languages.
    return "" if group == OTHERS else mark(scope=scope, language=code, document="en" if group == ENGLISH else code)


def correlation(pairs: DataFrame) -> Figure:
    """Pearson's r of every two metrics over the answers that both scored.

    `pairs` has `first`, `second`, `r` (-1 to 1, empty where one does not vary: such metrics are left out and named),
    `n` and `mark`, both ways round.
    """
    title = "Do the metrics agree? Pearson's r"
    if not len(pairs):
        return empty_figure(title, "At least two metrics must have scored the same answers.")
    known = pairs[pairs["r"].notna()]
    if not len(known):
        return empty_figure(title, "None of these metrics varies over the answers that both of a pair scored.")
    hovers = [
        f"{plain_text(metric_name(row))}<br>{plain_text(metric_name(column))}<br><b>r = {r:.3f}</b><br>n = {n:,}"
        for row, column, r, n in zip(known["first"], known["second"], known["r"], known["n"], strict=True)
    ]
    names, varying = dict.fromkeys(pairs["first"]), {*known["first"]}
    # Names are too long for columns: each has the number of its row.
    numbers = {name: str(number) for number, name in enumerate((name for name in names if name in varying), start=1)}
    rows = {name: f"{plain_text(metric_name(name))}  {number}" for name, number in numbers.items()}
    cells = known.assign(
        row=known["first"].map(rows),
        column=known["second"].map(numbers),
        value=known["r"],
        text=[f"{r:.2f}" for r in known["r"]],
        hover=hovers,
    )
    subtitle = f"n = {number_range(pairs['n'].min(), pairs['n'].max())} answers scored by both"
    if constant := [plain_text(metric_name(name)) for name in names if name not in varying]:
        subtitle += f" · the same for every answer here, so not compared: {', '.join(constant)}"
    order, places = list(rows.values()), list(numbers.values())
    figure = cell_chart(
        cells, title, subtitle, rows=order, columns=places, bounds=(-1, 1), colours=DIVERGING, height=34
    )
    # Else numbers as names would be places on a scale.
    return figure.update_xaxes(type="category")
