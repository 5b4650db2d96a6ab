"""A report of runs as one HTML file: nothing is fetched, nothing is run, and all text is escaped."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from html import escape

from sqlalchemy import Engine

from workbench.results import result_store
from workbench.results.filters import Dimension, Filter
from workbench.results.instances import Instance, count, instances
from workbench.results.mean_intervals import MeanWithInterval, means_with_intervals

CELLS_SHOWN = 100
RUNS_SHOWN = 200
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:1rem 0;width:100%}
th,td{border-bottom:1px solid #ddd;padding:.35rem .6rem;text-align:start;vertical-align:top}
th{background:#f4f4f4}
td.figure{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
small{color:#595959}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_report(engine: Engine, chosen: Filter) -> str:
    """Means with intervals by run and by language, what failed, and the first cells."""
    runs = result_store.runs(engine, chosen)
    metrics = result_store.metrics(engine, chosen)
    names = {row.id: row.name for row in result_store.experiments(engine)}
    title = ", ".join(dict.fromkeys(names.get(run.experiment, run.experiment) for run in runs))
    cells, failed = count(engine, chosen), count(engine, chosen, failed=True)
    parts = [
        f"<p>{cells:,} cells of {len(runs):,} runs, {failed:,} failed. Written {time.strftime('%Y-%m-%d %H:%M')}.</p>",
        "<p><small>A mean stands with its 95 % interval over questions, n scored and the unscored.</small></p>",
        *_means(engine, chosen, metrics, "run", {run.id: run.title for run in runs}),
        *_means(engine, chosen, metrics, "language", {}),
        *_failures(engine, chosen),
        *_cells(instances(engine, chosen, limit=CELLS_SHOWN), cells, metrics),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{STYLE}</style></head>'
        f'<body><h1 dir="auto">{escape(title)}</h1>{"".join(parts)}</body></html>\n'
    )


def _means(
    engine: Engine, chosen: Filter, metrics: Sequence[str], by: Dimension, names: dict[int, str]
) -> Iterable[str]:
    columns = {
        metric: {item.key[0]: item for item in means_with_intervals(engine, chosen, metric, (by,))}
        for metric in metrics
    }
    keys = list(dict.fromkeys(key for column in columns.values() for key in column))
    yield f"<h2>By {by}</h2>"
    if len(keys) > RUNS_SHOWN:
        yield f"<p>The first {RUNS_SHOWN} of {len(keys):,}.</p>"
    yield _table(
        (by, *metrics),
        (
            (_text(names.get(key, key)), *(_figure(columns[metric].get(key)) for metric in metrics))
            for key in keys[:RUNS_SHOWN]
        ),
    )


def _figure(item: MeanWithInterval | None) -> str:
    if item is None:
        return '<td class="figure">–</td>'
    n = f"n {item.n:,}" + (f", unscored {item.unscored:,}" if item.unscored else "")
    mean = "unscored" if item.mean is None else f"{item.mean:.3f}"
    span = "" if item.low is None or item.high is None else f" [{item.low:.3f}, {item.high:.3f}]"
    return f'<td class="figure">{mean}{span}<br><small>{n}</small></td>'


def _failures(engine: Engine, chosen: Filter) -> Iterable[str]:
    found = result_store.failures(engine, chosen)
    if found:
        yield "<h2>What failed</h2>"
        yield _table(("reason", "cells"), ((_text(reason), f'<td class="figure">{n:,}</td>') for reason, n in found))


def _cells(cells: Sequence[Instance], total: int, metrics: Sequence[str]) -> Iterable[str]:
    yield f"<h2>Cells</h2><p>{len(cells):,} of {total:,}.</p>"
    yield _table(
        ("run", "language", "question", "gold answers", "answer", "passages", *metrics),
        (
            (
                _text(cell.run.title),
                _text(cell.language),
                _text(cell.text),
                _text(" · ".join(cell.golds)),
                _text(cell.output or cell.error),
                _text(" ".join(name for name, _, _ in cell.passages)),
                *(_score(cell, metric) for metric in metrics),
            )
            for cell in cells
        ),
    )


def _score(cell: Instance, metric: str) -> str:
    value = cell.scores.get(metric)
    return f'<td class="figure">{"–" if value is None else f"{value:.3f}"}</td>'


def _text(value: object) -> str:
    return f'<td dir="auto">{escape(str(value))}</td>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
