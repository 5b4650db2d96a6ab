"""The gold passages of a question in a sister corpus.

A gold passage of the original corpus becomes those passages of the sister which overlap it in the document's text and,
where some of the overlapping parts hold a gold answer, only those. Why: what was judged relevant is the gold passage's
text, so a new passage without any of it was never judged; and of a long gold passage that is cut into small ones only
the part with the answer still answers the question. Only the overlapping part is looked at, not the rest of a new
passage: the answer may stand there in a text that nobody judged. Where no part holds the answer, as for one in other
words or one that is cut in two, all that overlap are gold.

"Holds" is flexible exact match (`metrics.answers.flexible_em`), as it counts answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from workbench.core import Passage, page_key
from workbench.data.corpora.corpus import Corpus
from workbench.data.documents.rechunking.rebuilt_text import Stretch, stretches
from workbench.data.documents.rechunking.sister_corpus import Origin, origin_of
from workbench.languages import is_known, language
from workbench.metrics import flexible_em

MAPPING_VERSION = 1
"""The definition of mapped golds, which results of one experiment must share."""


@dataclass(frozen=True, slots=True)
class NewPassage:
    """A passage of the sister corpus with where it comes from."""

    id: str
    origin: Origin


class GoldMap:
    """Where the passages of a corpus are in its sister. Reads the documents of the passages that it is made for."""

    def __init__(self, original: Corpus, sister: Corpus, passages: Collection[str]) -> None:
        """`passages` are the ids that will be mapped; unknown ones are allowed."""
        rows = original.lexical.rows_of(passages)
        documents = {passage.document for passage in original.table.passages(list(rows.values()))}
        all_rows = original.table.rows_of_documents(documents)
        self._places: dict[str, tuple[Stretch, int]] = {}
        for stretch in stretches(zip(all_rows, original.table.passages(all_rows), strict=True)):
            for number, passage in enumerate(stretch.passages):
                if passage.id in rows:
                    self._places[passage.id] = stretch, number
        self._new: Mapping[str, list[NewPassage]] = _by_stretch(
            sister.table.passages(sister.table.rows_of_documents(documents))
        )

    def map(self, passages: Sequence[str], answers: Sequence[str]) -> tuple[str, ...]:
        """The ids in the sister corpus of what answers a question, in order, each once.

        `answers` are the gold answers in whatever languages. A passage that the original corpus lacks has none. A page
        keeps its name: the sister has the same documents.
        """
        return tuple(dict.fromkeys(name for passage in passages for name in self._mapped(passage, answers)))

    def _mapped(self, passage: str, answers: Sequence[str]) -> list[str]:
        if page_key(passage):
            return [passage]
        if passage not in self._places:
            return []
        stretch, number = self._places[passage]
        new = self._new.get(stretch.name, [])
        return gold_in(stretch, number, new, answers)


def gold_in(stretch: Stretch, number: int, new: Sequence[NewPassage], answers: Sequence[str]) -> list[str]:
    """The ids of those of the stretch's new passages that stand for its passage `number`, from 0."""
    start, end = stretch.spans[number]
    parts = {
        item.id: stretch.text[max(start, item.origin.start) : min(end, item.origin.end)]
        for item in new
        if item.origin.start < end and start < item.origin.end
    }
    if len(parts) < 2:
        return list(parts)
    code = stretch.passages[number].language
    holding = [name for name, text in parts.items() if is_known(code) and _holds(text, answers, code)]
    return holding or list(parts)


def _holds(text: str, answers: Sequence[str], code: str) -> bool:
    return bool(answers) and flexible_em(text, answers, language=language(code)).value == 1.0


def _by_stretch(passages: Sequence[Passage]) -> dict[str, list[NewPassage]]:
    new: defaultdict[str, list[NewPassage]] = defaultdict(list)
    for passage in passages:
        if origin := origin_of(passage.id):
            new[origin.stretch].append(NewPassage(passage.id, origin))
    return new
