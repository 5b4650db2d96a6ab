"""Results as files: CSV, JSON lines, Parquet, TREC run and qrels, InspectorRAGet JSON and an HTML report.

Cells are read and written a page at a time, so a million of them need no more memory than a thousand. Text in CSV
cannot run as a formula in a spreadsheet. The HTML report fetches nothing and runs nothing; all of its text is escaped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from workbench.core import UsageError, unknown_name
from workbench.experiments.evaluator_files import inspector_raget, trec_qrels, trec_run
from workbench.experiments.results.filters import Dimension
from workbench.experiments.results.queries.aggregates import MeanWithInterval
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import varied_fields
from workbench.experiments.results.result_store import CELLS_AT_ONCE, ResultStore, ResultView
from workbench.pipeline import stored_words
from workbench.workspace import batched, verb, write_csv

if TYPE_CHECKING:
    import pyarrow as pa

    from workbench.app import Workbench


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
    names = {name.id: name.name for name in ResultStore(view.engine).experiment_names()}
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
    columns = {
        metric: {interval.key[0]: interval for interval in view.means_with_intervals(metric, (by,))}
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


def _figure(interval: MeanWithInterval | None) -> str:
    if interval is None:
        return '<td class="figure">–</td>'
    n = f"n {interval.n:,}" + (f", unscored {interval.unscored:,}" if interval.unscored else "")
    mean = "unscored" if interval.mean is None else f"{interval.mean:.3f}"
    span = "" if interval.low is None or interval.high is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
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


SUFFIXES: Mapping[str, str] = {
    "csv": ".csv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "trec-run": ".run",
    "trec-qrels": ".qrels",
    "inspectorraget": ".json",
    "html": ".html",
}
"""Every format by name, with the suffix of its files."""

TEXTS = (
    *("experiment", "run", "dataset", "corpus", "mode", "scope", "prompt", "model", "perturbation"),
    *("question_id", "language", "question", "answers", "gold_passages", "evidence_in"),
    *("answer", "answer_language", "passages", "error"),
)
INTEGERS = ("run_number", "k", "prompt_tokens", "completion_tokens")
REALS = ("seconds",)
CHOICE = "recipe."
"""What the names of further columns begin with: one per field of recipes in which the runs differ."""


@verb("screens.look")
def export(workbench: Workbench, view: ResultView, kind: str, path: Path) -> int:
    """Writes the cells of a view to a file, completely or not at all; returns how many.

    Raises UsageError for a format that does not exist, and where there are no cells or none that fit the format.
    """
    writers: Mapping[str, Callable[[Path], None]] = {
        "csv": lambda place: _csv(view, place),
        "jsonl": lambda place: _jsonl(view, place),
        "parquet": lambda place: _parquet(view, place),
        "trec-run": lambda place: _trec(place, trec_run(workbench, view)),
        "trec-qrels": lambda place: _trec(place, trec_qrels(workbench, view)),
        "inspectorraget": lambda place: _write_text(place, inspector_raget(workbench, view)),
        "html": lambda place: _write_text(place, html_report(view)),
    }
    if kind not in writers:
        raise unknown_name("export format", kind, writers, "For example: csv")
    cells = view.count()
    if not cells:
        raise UsageError(
            "There are no results to export: choose another experiment or fewer filters.", command="Type: runs list"
        )
    with _replaced(path) as target:
        writers[kind](target)
    return cells


@contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """A place next to `path` that becomes it once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{uuid4().hex}.part")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _varied(view: ResultView) -> tuple[str, ...]:
    """The fields of recipes, beside the columns of runs, in which the runs differ."""
    return tuple(name for name in varied_fields(view.runs()) if name not in TEXTS)


def _record(cell: Instance, varied: Sequence[str]) -> dict[str, Any]:
    """A cell as plain values, lists as lists, with the `varied` fields of its recipe."""
    run, choices = cell.run, stored_words(cell.run.recipe)
    return {
        "experiment": run.experiment_id,
        "run_number": run.number,
        "run": run.title,
        "dataset": run.dataset,
        "corpus": run.corpus,
        "mode": run.mode,
        "scope": run.scope,
        "prompt": run.prompt,
        "model": run.model,
        "k": run.k,
        "perturbation": run.perturbation,
        **{f"{CHOICE}{name}": choices.get(name, "") for name in varied},
        "question_id": cell.question,
        "language": cell.language,
        "question": cell.text,
        "answers": list(cell.golds),
        "gold_passages": list(cell.gold_passages),
        "evidence_in": cell.evidence_in,
        "answer": cell.output,
        "answer_language": cell.answer_language,
        "passages": [{"id": id_, "language": language, "score": score} for id_, language, score in cell.passages],
        "seconds": cell.seconds,
        "prompt_tokens": cell.prompt_tokens,
        "completion_tokens": cell.completion_tokens,
        "error": cell.error,
    }


def _flat(cell: Instance, varied: Sequence[str]) -> dict[str, Any]:
    """A cell as texts and numbers: lists become JSON."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
        for name, value in _record(cell, varied).items()
    }


def _csv(view: ResultView, path: Path) -> None:
    metrics, varied = view.metrics(), _varied(view)

    def rows() -> Iterator[Iterable[object]]:
        for number, cell in enumerate(view.all_instances()):
            row = {**_flat(cell, varied), **{name: cell.scores.get(name) for name in metrics}}
            if not number:
                yield row
            yield row.values()

    with path.open("w", encoding="utf-8-sig", newline="") as file:
        write_csv(file, rows())


def _jsonl(view: ResultView, path: Path) -> None:
    varied = _varied(view)
    with path.open("w", encoding="utf-8") as file:
        for cell in view.all_instances():
            unscored = {name: reason for name, reason in cell.reasons.items() if cell.scores[name] is None}
            scores = {"scores": cell.scores, "unscored": unscored}
            file.write(json.dumps({**_record(cell, varied), **scores}, ensure_ascii=False) + "\n")


def _parquet(view: ResultView, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    metrics, varied = view.metrics(), _varied(view)
    schema = _schema(metrics, varied)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for cells in batched(view.all_instances(), CELLS_AT_ONCE):
            rows = [{**_flat(cell, varied), **{name: cell.scores.get(name) for name in metrics}} for cell in cells]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _schema(metrics: Sequence[str], varied: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    types = {
        **dict.fromkeys(TEXTS, pa.string()),
        **{f"{CHOICE}{name}": pa.string() for name in varied},
        **dict.fromkeys(INTEGERS, pa.int64()),
        **dict.fromkeys(REALS, pa.float64()),
    }
    return pa.schema([*types.items(), *((name, pa.float64()) for name in metrics)])


def _trec(path: Path, parts: Iterator[str]) -> None:
    """Writes the lines of rankings. Raises UsageError where there are none."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if not sum(file.write(part) for part in parts):
            raise UsageError(
                "These results hold no passages that TREC files could list: nothing was retrieved, or no gold passage "
                "is known. Choose another format, for example CSV.",
                command="For example: --format csv",
            )
