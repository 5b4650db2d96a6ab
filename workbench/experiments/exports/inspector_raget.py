"""Results in the form that InspectorRAGet reads (IBM, github.com/IBM/InspectorRAGet, README).

It needs an evaluation of every model on every task, so questions that some run did not answer are left out.  A metric
that left some answer unscored becomes one of its text metrics, shown with each answer and never averaged over a part.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import UsageError
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultView
from workbench.metrics import scale_of

if TYPE_CHECKING:
    from workbench.app import Workbench

CELLS_LIMIT = 50_000
"""It reads the complete file in a browser."""
STEP = 0.1
WORKER = "system"

Task = tuple[str, str, str]
"""Dataset, language and question id."""


def inspector_raget(workbench: Workbench, view: ResultView) -> str:
    """The JSON text. Raises UsageError for more cells than a browser can read, or where no question has all answers."""
    if (count := view.count()) > CELLS_LIMIT:
        raise UsageError(
            f"{count:,} answers are more than InspectorRAGet can open; choose at most {CELLS_LIMIT:,}, by filters."
        )
    by_task: dict[Task, dict[int, Instance]] = defaultdict(dict)
    for cell in view.instances(limit=CELLS_LIMIT, failed=False):
        by_task[cell.run.dataset, cell.language, cell.question][cell.run.id] = cell
    runs, metrics = view.runs(), view.metrics()
    tasks = {task: list(cells.values()) for task, cells in by_task.items() if len(cells) == len(runs)}
    if not tasks:
        raise UsageError("No question was answered by every run chosen, as InspectorRAGet needs it: choose fewer runs.")
    all_cells = [cell for cells in tasks.values() for cell in cells]
    numeric = {name for name in metrics if all(cell.scores.get(name) is not None for cell in all_cells)}
    document = {
        "name": ", ".join(dict.fromkeys(run.experiment_id for run in runs)),
        "models": [{"model_id": str(run.id), "name": f"{run.number} {run.title}", "owner": run.model} for run in runs],
        "metrics": [_metric(name, name in numeric) for name in metrics],
        "documents": _documents(workbench, all_cells),
        "filters": ["language", "evidence_in"],
        "tasks": [_task(task, cells) for task, cells in tasks.items()],
        "evaluations": [_evaluation(task, cell, numeric) for task, cells in tasks.items() for cell in cells],
    }
    return json.dumps(document, ensure_ascii=False)


def _metric(name: str, numeric: bool) -> dict[str, Any]:
    description: dict[str, Any] = {"name": name, "display_name": name, "description": name, "author": "algorithm"}
    if not numeric:
        return {**description, "description": f"{name}; some answers are unscored", "type": "text"}
    scale = scale_of(name)
    bounds = [scale.low, scale.high, round((scale.high - scale.low) * STEP, 6)]
    return {**description, "type": "numerical", "aggregator": "average", "range": bounds}


def _documents(workbench: Workbench, cells: Sequence[Instance]) -> list[dict[str, str]]:
    by_corpus: dict[str, dict[str, None]] = defaultdict(dict)
    for cell in cells:
        by_corpus[cell.run.corpus].update(dict.fromkeys(name for name, _, _ in cell.passages))
    documents = []
    for name, ids in by_corpus.items():
        corpus = workbench.corpus(name) if name and ids else None
        rows = corpus.lexical.rows_of(set(ids)) if corpus else {}
        passages = {item.id: item for item in corpus.table.passages(list(rows.values()))} if corpus else {}
        for id_ in ids:
            passage = passages.get(id_)
            text, title = (passage.text, passage.title) if passage else ("", id_)
            documents.append({"document_id": _document_id(name, id_), "text": text, "title": title})
    return documents


def _task(task: Task, cells: Sequence[Instance]) -> dict[str, Any]:
    first = cells[0]
    documents = dict.fromkeys(_document_id(cell.run.corpus, name) for cell in cells for name, _, _ in cell.passages)
    return {
        "task_id": "/".join(task),
        "task_type": "rag",
        "language": first.language,
        "evidence_in": first.evidence_in or "unknown",
        "input": [{"speaker": "user", "text": first.text}],
        "contexts": [{"document_id": document} for document in documents],
        "targets": [{"text": gold} for gold in first.golds],
    }


def _evaluation(task: Task, cell: Instance, numeric: set[str]) -> dict[str, Any]:
    def shown(name: str, value: float | None) -> float | str | None:
        return value if name in numeric else "unscored" if value is None else f"{value:.4f}"

    annotations = {name: {WORKER: {"value": shown(name, value)}} for name, value in cell.scores.items()}
    return {
        "task_id": "/".join(task),
        "model_id": str(cell.run.id),
        "model_response": cell.output,
        "annotations": annotations,
    }


def _document_id(corpus: str, passage: str) -> str:
    return f"{corpus}/{passage}"
