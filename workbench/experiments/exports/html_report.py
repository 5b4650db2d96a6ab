"""A report of runs as one HTML file, which fetches nothing and runs nothing; all text is escaped."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from workbench.experiments.results.filters import Dimension
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.interval_queries import MeanWithInterval
from workbench.experiments.results.result_store import ResultStore, ResultView

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


def html_report(view: ResultView) -> str:
    """Means with intervals by run and by language, reasons of failures, and the first cells."""
    runs, metrics = view.runs(), view.metrics()
    names = {item.id: item.name for item in ResultStore(view.engine).experiment_names()}
    title = ", ".join(dict.fromkeys(names.get(run.experiment_id, run.experiment_id) for run in runs))
    cells, failed = view.count(), view.count(failed=True)
    parts = [
        f"<p>{cells:,} cells of {len(runs):,} runs, {failed:,} failed. Written {time.strftime('%Y-%m-%d %H:%M')}.</p>",
        "<p><small>Each mean is shown with its 95 % interval over questions, n scored and the unscored.</small></p>",
        *_means(view, metrics, "run", {run.id: run.title for run in runs}),
        *_means(view, metrics, "language", {}),
        *_failures(view),
        *_cells(view.instances(limit=CELLS_SHOWN), cells, metrics),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{STYLE}</style></head>'
        f'<body><h1 dir="auto">{escape(title)}</h1>{"".join(parts)}</body></html>\n'
    )


def _means(view: ResultView, metrics: Sequence[str], by: Dimension, names: Mapping[int, str]) -> Iterable[str]:
    columns = {metric: {item.key[0]: item for item in view.means_with_intervals(metric, (by,))} for metric in metrics}
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


def _failures(view: ResultView) -> Iterable[str]:
    failures = view.failures()
    if failures:
        yield "<h2>Failures</h2>"
        yield _table(("reason", "cells"), ((_text(reason), f'<td class="figure">{n:,}</td>') for reason, n in failures))


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
