"""Results as TREC run and qrels: an evaluator that reads the two gives the values that are shown here.

A topic is a question in one language.  The qrels hold what our measures count: the gold passages in the languages that
were searched, of the questions that have such passages and were answered.  Where several runs are written, a topic
begins with its run's tag: runs may search different languages, and an evaluator takes a topic for one ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.metrics.ranking import trec_lines, trec_word
from workbench.recipes.scope import languages_in, scope

if TYPE_CHECKING:
    from workbench.corpora.corpus_library import Corpus
    from workbench.results.queries.instances import Instance
    from workbench.results.result_store import ResultView
    from workbench.workspace.workbench import Workbench


def trec_run(view: ResultView) -> Iterator[str]:
    """Question, Q0, passage, rank, score, tag of the answered cells: one line per passage."""
    several = len(view.runs()) > 1
    for cell in view.all_instances(failed=False):
        yield trec_lines(_topic(cell, several), ((name, score) for name, _, score in cell.passages), _tag(cell))


def trec_qrels(workbench: Workbench, view: ResultView) -> Iterator[str]:
    """Question, 0, passage, 1 of the answered cells: one line per gold passage that could be retrieved.

    Where the corpus is gone, all could.
    """
    several, gold = len(view.runs()) > 1, _GoldPassages(workbench)
    for cell in view.all_instances(failed=False):
        topic = trec_word(_topic(cell, several))
        for name in gold.in_scope(cell):
            yield f"{topic} 0 {trec_word(name)} 1\n"


class _GoldPassages:
    """Gold passages and their languages, each looked up once, since runs share questions."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._corpora: dict[str, Corpus | None] = {}
        self._languages: dict[tuple[str, tuple[str, ...]], dict[str, str]] = {}

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
            rows = corpus.lexical.rows_of(cell.gold_passages)
            self._languages[key] = {item.id: item.language for item in corpus.table.passages(list(rows.values()))}
        languages = corpus.languages
        searched = languages_in(scope(run.scope), cell.language, languages) if run.scope else languages
        return [name for name in cell.gold_passages if self._languages[key].get(name) in searched]

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
