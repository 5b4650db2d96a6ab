"""Results as files: CSV, JSON lines, Parquet, TREC run and qrels, InspectorRAGet JSON, and a report (report.py).

Cells are read and written a page at a time, so a million of them need no more memory than a thousand. Text in CSV
cannot run as a formula in a spreadsheet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from workbench.core import UsageError, unknown_name
from workbench.experiments.evaluator_files import inspector_raget, trec_qrels, trec_run
from workbench.experiments.report import html_report, write_pdf
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import varied_fields
from workbench.experiments.results.result_store import CELLS_AT_ONCE, ResultView
from workbench.experiments.results.summaries.run_names import run_names
from workbench.pipeline import stored_words
from workbench.workspace import batched, verb, write_csv

if TYPE_CHECKING:
    import pyarrow as pa

    from workbench.app import Workbench


EXPORTS: Mapping[str, tuple[str, str]] = {
    "csv": ("CSV", ".csv"),
    "jsonl": ("JSON lines", ".jsonl"),
    "parquet": ("Parquet", ".parquet"),
    "trec-run": ("TREC run", ".run"),
    "trec-qrels": ("TREC qrels", ".qrels"),
    "inspectorraget": ("InspectorRAGet", ".json"),
    "html": ("Report (HTML)", ".html"),
    "pdf": ("Report (PDF)", ".pdf"),
}
"""Every format by name: what people call it, and the suffix of its files."""

TEXTS = (
    *("experiment", "run", "run_name", "dataset", "corpus", "mode", "scope", "prompt", "model", "perturbation"),
    *("question_id", "language", "question", "answers", "gold_passages", "evidence_in"),
    *("answer", "answer_language", "passages", "error"),
)
INTEGERS = ("run_number", "k", "prompt_tokens", "completion_tokens")
REALS = ("seconds",)
CHOICE = "recipe."
"""What the names of further columns begin with: one per field of recipes in which the runs differ."""


@verb("screens.look")
def export(workbench: Workbench, view: ResultView, kind: str, path: Path, metrics: Sequence[str] = ()) -> int:
    """Writes the cells of a view to a file, completely or not at all; returns how many. `metrics` are a report's.

    Raises UsageError for a format that does not exist, and where there are no cells or none that fit the format.
    """
    writers: Mapping[str, Callable[[Path], None]] = {
        "csv": lambda place: _csv(view, place),
        "jsonl": lambda place: _jsonl(view, place),
        "parquet": lambda place: _parquet(view, place),
        "trec-run": lambda place: _trec(place, trec_run(workbench, view)),
        "trec-qrels": lambda place: _trec(place, trec_qrels(workbench, view)),
        "inspectorraget": lambda place: _write_text(place, inspector_raget(workbench, view)),
        "html": lambda place: _write_text(place, html_report(view, metrics)),
        "pdf": lambda place: write_pdf(html_report(view, metrics), place),
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


def _record(cell: Instance, varied: Sequence[str], names: Mapping[int, str]) -> dict[str, Any]:
    """A cell as plain values, lists as lists, with its run's name and the `varied` fields of its recipe."""
    run, choices = cell.run, stored_words(cell.run.recipe)
    return {
        "experiment": run.experiment_id,
        "run_number": run.number,
        "run": run.title,
        "run_name": names[run.id],
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


def _flat(cell: Instance, varied: Sequence[str], names: Mapping[int, str]) -> dict[str, Any]:
    """A cell as texts and numbers: lists become JSON."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
        for name, value in _record(cell, varied, names).items()
    }


def csv_rows(view: ResultView, cells: Iterable[Instance]) -> Iterator[Iterable[object]]:
    """Cells of a view as rows of a CSV file, the head first; no rows where there are no cells."""
    metrics, varied, names = view.metrics(), _varied(view), run_names(view.runs())
    for number, cell in enumerate(cells):
        row = {**_flat(cell, varied, names), **{name: cell.scores.get(name) for name in metrics}}
        if not number:
            yield row
        # Six digits are more than any measurement here has.
        yield (float(f"{value:.6g}") if isinstance(value, float) else value for value in row.values())


def _csv(view: ResultView, path: Path) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        write_csv(file, csv_rows(view, view.all_instances()))


def _jsonl(view: ResultView, path: Path) -> None:
    varied, names = _varied(view), run_names(view.runs())
    with path.open("w", encoding="utf-8") as file:
        for cell in view.all_instances():
            unscored = {name: reason for name, reason in cell.reasons.items() if cell.scores[name] is None}
            scores = {"scores": cell.scores, "unscored": unscored}
            file.write(json.dumps({**_record(cell, varied, names), **scores}, ensure_ascii=False) + "\n")


def _parquet(view: ResultView, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    metrics, varied, names = view.metrics(), _varied(view), run_names(view.runs())
    schema = _schema(metrics, varied)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for cells in batched(view.all_instances(), CELLS_AT_ONCE):
            rows = [
                {**_flat(cell, varied, names), **{name: cell.scores.get(name) for name in metrics}} for cell in cells
            ]
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
