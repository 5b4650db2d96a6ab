"""Results as files: CSV, JSON lines, Parquet, TREC run and qrels, InspectorRAGet JSON and an HTML report.

Cells are read and written a page at a time, so a million of them need no more memory than a thousand. Text in CSV can
run no formula in a spreadsheet.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import Engine

from workbench.errors import UsageError, unknown
from workbench.exports.html_report import html_report
from workbench.exports.inspector_raget import inspector_raget
from workbench.exports.trec import trec_qrels, trec_run
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.instances import Instance, count, instances
from workbench.storage.csv_safety import safe_cell

if TYPE_CHECKING:
    import pyarrow as pa

    from workbench.workspace.workbench import Workbench

CELLS_AT_ONCE = 1_000
SUFFIXES: Mapping[str, str] = {
    "csv": ".csv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "trec-run": ".run",
    "trec-qrels": ".qrels",
    "inspectorraget": ".json",
    "html": ".html",
}
"""Every format by name, and what its files' names end in."""

TEXTS = (
    *("experiment", "run", "dataset", "corpus", "mode", "scope", "prompt", "model", "perturbation"),
    *("question_id", "language", "question", "answers", "gold_passages", "found_in"),
    *("answer", "answer_language", "passages", "error"),
)
WHOLE = ("run_number", "k", "prompt_tokens", "completion_tokens")
REAL = ("seconds",)


def export(workbench: Workbench, engine: Engine, chosen: Filter, kind: str, path: Path) -> int:
    """Writes the cells that a filter lets through, whole or not at all; returns how many.

    Raises UsageError for a format that does not exist, or where nothing is let through or fits it.
    """
    writers: Mapping[str, Callable[[Path], None]] = {
        "csv": lambda place: _csv(engine, chosen, place),
        "jsonl": lambda place: _jsonl(engine, chosen, place),
        "parquet": lambda place: _parquet(engine, chosen, place),
        "trec-run": lambda place: _trec_run(engine, chosen, place),
        "trec-qrels": lambda place: _trec_qrels(workbench, engine, chosen, place),
        "inspectorraget": lambda place: _text(place, inspector_raget(workbench, engine, chosen)),
        "html": lambda place: _text(place, html_report(engine, chosen)),
    }
    if kind not in writers:
        raise unknown("export format", kind, writers, "For example: csv")
    cells = count(engine, chosen)
    if not cells:
        raise UsageError("There are no results to export: choose another experiment or fewer filters. Type: runs list")
    with _whole(path) as place:
        writers[kind](place)
    return cells


def _cells(engine: Engine, chosen: Filter, *, failed: bool | None = None) -> Iterator[Instance]:
    after = 0
    while page := instances(engine, chosen, limit=CELLS_AT_ONCE, failed=failed, after=after):
        yield from page
        after = page[-1].answer


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A place beside `path` that becomes it once all is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _record(cell: Instance) -> dict[str, Any]:
    """A cell as plain values, lists as lists."""
    run = cell.run
    return {
        "experiment": run.experiment,
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
        "question_id": cell.question,
        "language": cell.language,
        "question": cell.text,
        "answers": list(cell.golds),
        "gold_passages": list(cell.gold_passages),
        "found_in": cell.found_in,
        "answer": cell.output,
        "answer_language": cell.answer_language,
        "passages": [{"id": name, "language": code, "score": score} for name, code, score in cell.passages],
        "seconds": cell.seconds,
        "prompt_tokens": cell.prompt_tokens,
        "completion_tokens": cell.completion_tokens,
        "error": cell.error,
    }


def _flat(cell: Instance) -> dict[str, Any]:
    """A cell as texts and figures: lists become JSON."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
        for name, value in _record(cell).items()
    }


def _csv(engine: Engine, chosen: Filter, path: Path) -> None:
    metrics = result_store.metrics(engine, chosen)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer: Any = None
        for cell in _cells(engine, chosen):
            row = {name: safe_cell(value) if isinstance(value, str) else value for name, value in _flat(cell).items()}
            row.update({name: cell.scores.get(name) for name in metrics})
            if writer is None:
                writer = csv.DictWriter(file, list(row))
                writer.writeheader()
            writer.writerow(row)


def _jsonl(engine: Engine, chosen: Filter, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for cell in _cells(engine, chosen):
            scores = {"scores": cell.scores, "unscored": cell.reasons}
            file.write(json.dumps({**_record(cell), **scores}, ensure_ascii=False) + "\n")


def _parquet(engine: Engine, chosen: Filter, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    metrics = result_store.metrics(engine, chosen)
    schema = _schema(metrics)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        rows: list[dict[str, Any]] = []
        for cell in _cells(engine, chosen):
            rows.append({**_flat(cell), **{name: cell.scores.get(name) for name in metrics}})
            if len(rows) == CELLS_AT_ONCE:
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                rows.clear()
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _schema(metrics: list[str]) -> pa.Schema:
    import pyarrow as pa

    kinds = {
        **dict.fromkeys(TEXTS, pa.string()),
        **dict.fromkeys(WHOLE, pa.int64()),
        **dict.fromkeys(REAL, pa.float64()),
    }
    return pa.schema([*kinds.items(), *((name, pa.float64()) for name in metrics)])


def _trec_run(engine: Engine, chosen: Filter, path: Path) -> None:
    _ranked(path, trec_run(_cells(engine, chosen, failed=False), several=_several(engine, chosen)))


def _trec_qrels(workbench: Workbench, engine: Engine, chosen: Filter, path: Path) -> None:
    _ranked(path, trec_qrels(workbench, _cells(engine, chosen, failed=False), several=_several(engine, chosen)))


def _several(engine: Engine, chosen: Filter) -> bool:
    return len(result_store.runs(engine, chosen)) > 1


def _ranked(path: Path, parts: Iterator[str]) -> None:
    """Writes what there is of rankings. Raises UsageError where there is nothing."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        if not sum(file.write(part) for part in parts):
            raise UsageError(
                "These results hold no passages that TREC files could list: nothing was retrieved, or no gold passage "
                "is known. Choose another format, for example: --format csv"
            )
