"""Results in the form that InspectorRAGet reads (IBM, github.com/IBM/InspectorRAGet, README).

It wants an evaluation of every model on every task, so questions that some run did not answer are left out.  A metric
that left some answer unscored becomes one of its text metrics, shown with each answer and never averaged over a part.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine

from workbench.errors import UsageError
from workbench.metrics.scale import scale_of
from workbench.results import result_store
from workbench.results.filters import Filter
from workbench.results.instances import Instance, count, instances

if TYPE_CHECKING:
    from workbench.workspace.workbench import Workbench

CELLS_LIMIT = 50_000
"""It reads its file whole, in a browser."""
STEP = 0.1
WORKER = "system"

Task = tuple[str, str, str]
"""Dataset, language and question id."""


def inspector_raget(workbench: Workbench, engine: Engine, chosen: Filter) -> str:
    """The JSON text. Raises UsageError for more cells than a browser can take, or where no question has all answers."""
    if (cells := count(engine, chosen)) > CELLS_LIMIT:
        raise UsageError(
            f"{cells:,} answers are more than InspectorRAGet can open; choose at most {CELLS_LIMIT:,}, by filters."
        )
    by_task: dict[Task, dict[int, Instance]] = defaultdict(dict)
    for cell in instances(engine, chosen, limit=CELLS_LIMIT, failed=False):
        by_task[cell.run.dataset, cell.language, cell.question][cell.run.id] = cell
    models = result_store.runs(engine, chosen)
    tasks = {task: own for task, own in by_task.items() if len(own) == len(models)}
    if not tasks:
        raise UsageError("No question was answered by every run chosen, as InspectorRAGet needs it: choose fewer runs.")
    everything = [cell for own in tasks.values() for cell in own.values()]
    metrics = result_store.metrics(engine, chosen)
    full = {name for name in metrics if all(cell.scores.get(name) is not None for cell in everything)}
    made = {
        "name": ", ".join(dict.fromkeys(run.experiment for run in models)),
        "models": [
            {"model_id": str(run.id), "name": f"{run.number} {run.title}", "owner": run.model} for run in models
        ],
        "metrics": [_metric(name, name in full) for name in metrics],
        "documents": _documents(workbench, everything),
        "filters": ["language", "found_in"],
        "tasks": [_task(task, list(own.values())) for task, own in tasks.items()],
        "evaluations": [_evaluation(task, cell, full) for task, own in tasks.items() for cell in own.values()],
    }
    return json.dumps(made, ensure_ascii=False)


def _metric(name: str, full: bool) -> dict[str, Any]:
    about: dict[str, Any] = {"name": name, "display_name": name, "description": name, "author": "algorithm"}
    if not full:
        return {**about, "description": f"{name}; some answers are unscored", "type": "text"}
    scale = scale_of(name)
    bounds = [scale.low, scale.high, round((scale.high - scale.low) * STEP, 6)]
    return {**about, "type": "numerical", "aggregator": "average", "range": bounds}


def _documents(workbench: Workbench, cells: list[Instance]) -> list[dict[str, str]]:
    wanted: dict[str, dict[str, None]] = defaultdict(dict)
    for cell in cells:
        wanted[cell.run.corpus].update(dict.fromkeys(name for name, _, _ in cell.passages))
    documents = []
    for corpus, names in wanted.items():
        opened = workbench.corpus(corpus) if corpus and names else None
        rows = opened.lexical.rows_of(set(names)) if opened else {}
        known = {item.id: item for item in opened.table.passages(list(rows.values()))} if opened else {}
        for name in names:
            passage = known.get(name)
            text, title = (passage.text, passage.title) if passage else ("", name)
            documents.append({"document_id": _place(corpus, name), "text": text, "title": title})
    return documents


def _task(task: Task, cells: list[Instance]) -> dict[str, Any]:
    first = cells[0]
    given = dict.fromkeys(_place(cell.run.corpus, name) for cell in cells for name, _, _ in cell.passages)
    return {
        "task_id": "/".join(task),
        "task_type": "rag",
        "language": first.language,
        "found_in": first.found_in or "unknown",
        "input": [{"speaker": "user", "text": first.text}],
        "contexts": [{"document_id": place} for place in given],
        "targets": [{"text": gold} for gold in first.golds],
    }


def _evaluation(task: Task, cell: Instance, full: set[str]) -> dict[str, Any]:
    def value(name: str, given: float | None) -> float | str | None:
        return given if name in full else "unscored" if given is None else f"{given:.4f}"

    annotations = {name: {WORKER: {"value": value(name, given)}} for name, given in cell.scores.items()}
    return {
        "task_id": "/".join(task),
        "model_id": str(cell.run.id),
        "model_response": cell.output,
        "annotations": annotations,
    }


def _place(corpus: str, name: str) -> str:
    return f"{corpus}/{name}"
