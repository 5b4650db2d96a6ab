"""Results as TREC run and qrels: an evaluator that reads the two gives the values that are shown here.

A topic is a question in one language.  The qrels hold what our measures count: the gold passages in the languages that
were searched, of the questions that have such passages and were answered.  Where a dataset's gold is by page, run and
qrels name pages, each once and in the place of its first passage (Petroni et al. 2021, KILT).  Where several runs are
written, a topic begins with its run's tag: runs may search different languages, and an evaluator takes a topic for one
ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.core import UsageError, page_key
from workbench.metrics import gold_in_scope, trec_lines, trec_word
from workbench.pipeline import languages_in, scope
from workbench.workspace import batched

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.data import Corpus, GoldLanguages
    from workbench.experiments.results.queries.instances import Instance
    from workbench.experiments.results.result_store import ResultView

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
