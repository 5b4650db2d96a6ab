"""What of a corpus the golds of questions name: passages by their ids, or pages with all of their passages.

A passage belongs to the page that is its document, or its group: the article in several languages, where the corpus
knows which articles are linked. Source: Petroni et al. (2021), KILT, whose provenance names pages of Wikipedia.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from workbench.core import Hit, Passage, page_key, page_name
from workbench.data.corpora.passage_table import PassageTable, Rows
from workbench.retrieval import LexicalIndex

OF_PAGES = ("document", "group")
"""The columns that hold the key of a passage's page."""

GoldLanguages = Mapping[str, frozenset[str]]
"""The languages in which a corpus has a gold, by its name; golds that it does not have are left out."""


class GoldPlaces:
    """The golds of questions in one corpus, each looked up once.

    A page is kept as the rows of its passages, 8 bytes each. All pages of a call to `prepare` are looked up in one pass
    over the corpus, so call it with the golds of many questions.
    """

    def __init__(self, table: PassageTable, lexical: Callable[[], LexicalIndex]) -> None:
        """`lexical` opens the index that knows passages by their ids; pages do without."""
        self._table = table
        self._lexical = lexical
        self._pages: dict[str, Mapping[str, Rows]] = {}

    def prepare(self, golds: Iterable[str]) -> None:
        """Looks up the pages among some golds."""
        keys = {key for name in golds if (key := page_key(name)) and key not in self._pages}
        if not keys:
            return
        rows = self._table.rows_with(keys, OF_PAGES)
        by_key: dict[str, dict[str, list[int]]] = {key: {} for key in keys}
        for row, (language, *pages) in zip(rows, self._table.values(rows, ("language", *OF_PAGES)), strict=True):
            for key in keys.intersection(pages):
                by_key[key].setdefault(language, []).append(row)
        for key, places in by_key.items():
            self._pages[key] = {language: np.array(items, dtype=np.int64) for language, items in places.items()}

    def languages(self, golds: Collection[str]) -> GoldLanguages:
        """The languages in which the corpus has each of the golds."""
        self.prepare(golds)
        ids = [name for name in golds if not page_key(name)]
        rows = self._lexical().rows_of(ids) if ids else {}
        texts = self._table.values(rows.values(), ("language",))
        languages = {name: frozenset(language) for name, language in zip(rows, texts, strict=True)}
        for name in golds:
            if (key := page_key(name)) and self._pages[key]:
                languages[name] = frozenset(self._pages[key])
        return languages

    def units(self, golds: Sequence[str], hits: Sequence[Hit]) -> tuple[str, ...]:
        """The unit of each hit in which golds are counted: its id or, where golds are pages, the name of its page.

        A page stands as often as it has passages among the hits; measures count it once, in the first one's place.
        """
        if not any(map(page_key, golds)):
            return tuple(hit.id for hit in hits)
        pages = self._table.values((hit.row for hit in hits), OF_PAGES)
        return tuple(_unit(golds, document, group) for document, group in pages)

    def units_of_ids(self, golds: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
        """As `units`, of passages by their ids; one that the corpus does not have is a unit of its own."""
        if not any(map(page_key, golds)):
            return tuple(ids)
        rows = self._lexical().rows_of(ids)
        pages = dict(zip(rows, self._table.values(rows.values(), OF_PAGES), strict=True))
        return tuple(_unit(golds, *pages[name]) if name in pages else name for name in ids)

    def among(self, golds: Collection[str], ids: Sequence[str]) -> set[str]:
        """The ids of those passages that are gold, or of a gold page."""
        rows = self._lexical().rows_of(ids)
        pages = dict(zip(rows, self._table.values(rows.values(), OF_PAGES), strict=True))
        named = {name for name, keys in pages.items() if any(page_name(key) in golds for key in keys if key)}
        return named | set(golds).intersection(ids)

    def passages(self, gold: str, languages: Collection[str], limit: int | None = None) -> list[tuple[int, Passage]]:
        """The passages of a gold in some languages with their rows, ascending; of a page `limit` at most."""
        key = page_key(gold)
        if key:
            self.prepare([gold])
            rows = sorted(int(row) for code in languages for row in self._pages[key].get(code, ()))[:limit]
        else:
            rows = list(self._lexical().rows_of([gold]).values())
        passages = zip(rows, self._table.passages(rows), strict=True)
        return [(row, passage) for row, passage in passages if passage.language in languages]


def _unit(golds: Sequence[str], document: str, group: str) -> str:
    """The page of a passage: the gold one that it belongs to, else by its group, or by its document without one."""
    names = [page_name(key) for key in (group, document) if key]
    return next((name for name in names if name in golds), names[0] if names else page_name(""))
