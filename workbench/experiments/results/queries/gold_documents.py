"""Which of the documents that answers were given are gold: by their ids, or as passages of a gold page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.app import Workbench
from workbench.core import WorkbenchError, page_key
from workbench.experiments.results.queries.instances import Instance


def gold_documents(workbench: Workbench, items: Sequence[Instance]) -> Mapping[int, frozenset[str]]:
    """The ids of the gold ones among each answer's documents, by the answer's number.

    Which passages are of a gold page is looked up in the corpus as it is now; where it is gone, none is named.
    """
    return {
        item.answer: frozenset(
            _on_gold_pages(workbench, item)
            if any(map(page_key, item.gold_passages))
            else {name for name, _, _ in item.passages}.intersection(item.gold_passages)
        )
        for item in items
    }


def _on_gold_pages(workbench: Workbench, item: Instance) -> set[str]:
    """The documents of an answer that are on a page that its question names as gold."""
    ids = [name for name, _, _ in item.passages]
    if not ids or not item.run.corpus:
        return set()
    try:
        return workbench.corpus(item.run.corpus).golds.among(item.gold_passages, ids)
    except WorkbenchError:
        return set()
