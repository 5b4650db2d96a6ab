"""Results in the forms that other evaluators read: InspectorRAGet's JSON, and TREC run and qrels.

InspectorRAGet (IBM, github.com/IBM/InspectorRAGet, README) needs an evaluation of every model on every task, so
questions that some run did not answer are left out. A metric that left some answer unscored becomes one of its text
metrics, shown with each answer and never averaged over a part.

An evaluator that reads the TREC files gives the values that are shown here. A topic is a question in one language. The
qrels hold what our measures count: the gold passages in the languages that were searched, of the questions that have
such passages and were answered. Where a dataset's gold is by page, run and qrels name pages, each once and at the rank
of its first passage (Petroni et al. 2021, KILT). Where several runs are written, a topic begins with its run's tag:
runs may search different languages, and an evaluator takes a topic for one ranking.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core import UsageError, page_key
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultView
from workbench.metrics import gold_in_scope, scale_of, trec_lines, trec_word
from workbench.pipeline import languages_in, scope
from workbench.workspace import batched

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.data import Corpus, GoldLanguages
    from workbench.experiments.results.queries.instances import Instance
    from workbench.experiments.results.result_store import ResultView


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
        passages = corpus.passages_named(ids) if corpus else {}
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


CELLS_AT_ONCE = 1_000


def trec_run(workbench: Workbench, view: ResultView) -> Iterator[str]:
    """Question, Q0, passage, rank, score, tag of the answered cells: one line per passage, or per page.

    Where the corpus is gone, passages stay passages.
    """
    several, golds = len(view.runs()) > 1, _Golds(workbench)
    for batch in batched(view.all_instances(failed=False), CELLS_AT_ONCE):
        golds.prepare(batch)
        for cell in batch:
            yield trec_lines(_topic(cell, several), golds.units(cell), _tag(cell))


def trec_qrels(workbench: Workbench, view: ResultView) -> Iterator[str]:
    """Question, 0, passage, 1 of the answered cells: one line per gold passage, or page, that could be retrieved.

    Where the corpus is gone, all could.
    """
    several, golds = len(view.runs()) > 1, _Golds(workbench)
    for batch in batched(view.all_instances(failed=False), CELLS_AT_ONCE):
        golds.prepare(batch)
        for cell in batch:
            topic = trec_word(_topic(cell, several))
            for name in golds.in_scope(cell):
                yield f"{topic} 0 {trec_word(name)} 1\n"


class _Golds:
    """Golds and their languages, each looked up once, since runs share questions."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._corpora: dict[str, Corpus | None] = {}
        self._languages: dict[tuple[str, tuple[str, ...]], GoldLanguages] = {}

    def prepare(self, cells: Iterable[Instance]) -> None:
        """Looks up the gold pages of some cells together: each look-up reads through the corpus."""
        pages: dict[str, set[str]] = {}
        for cell in cells:
            pages.setdefault(cell.run.corpus, set()).update(filter(page_key, cell.gold_passages))
        for name, golds in pages.items():
            if golds and (corpus := self._corpus(name)):
                corpus.golds.prepare(golds)

    def units(self, cell: Instance) -> Iterable[tuple[str, float]]:
        """A cell's passages with their scores, best first; where its golds are pages, the pages of its passages.

        A page has the score of its first passage.
        """
        corpus = self._corpus(cell.run.corpus)
        names = tuple(name for name, _, _ in cell.passages)
        if corpus is not None and any(map(page_key, cell.gold_passages)):
            names = corpus.golds.units_of_ids(cell.gold_passages, names)
        return zip(names, (score for _, _, score in cell.passages), strict=True)

    def in_scope(self, cell: Instance) -> Sequence[str]:
        """Those in the languages that were searched; all of the corpus where a run was imported, which states none."""
        run = cell.run
        if run.mode == "baseline" or not (run.scope or cell.passages):
            return ()
        corpus = self._corpus(run.corpus)
        if corpus is None:
            return cell.gold_passages
        key = (run.corpus, cell.gold_passages)
        if key not in self._languages:
            self._languages[key] = corpus.golds.languages(cell.gold_passages)
        languages = corpus.languages
        searched = languages_in(scope(run.scope), cell.language, languages) if run.scope else languages
        return gold_in_scope(cell.gold_passages, self._languages[key], searched)

    def _corpus(self, name: str) -> Corpus | None:
        if name not in self._corpora:
            try:
                self._corpora[name] = self._workbench.corpus(name) if name else None
            except UsageError:
                self._corpora[name] = None
        return self._corpora[name]


def _topic(cell: Instance, several: bool) -> str:
    """A parallel dataset has one question id in every language."""
    topic = f"{cell.run.dataset}-{cell.language}-{cell.question}"
    return f"{_tag(cell)}/{topic}" if several else topic


def _tag(cell: Instance) -> str:
    return f"{cell.run.experiment_id}-{cell.run.number}"
