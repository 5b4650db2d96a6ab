"""What the Data screen shows, as CSV that no spreadsheet executes; questions can be imported again as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.data import SEPARATOR
from workbench.workspace import safe_cell

if TYPE_CHECKING:
    from workbench.core import Passage, Question
    from workbench.data import CorpusManifest, DatasetInfo, DocumentEntry


def questions_csv(questions: Iterable[Question]) -> str:
    """One row per question; several answers or gold passages are separated as an import expects them."""
    return _csv(
        ["id", "language", "question", "answers", "gold", "unanswerable"],
        (
            [
                item.id,
                item.language,
                item.text,
                SEPARATOR.join(item.answers),
                SEPARATOR.join(item.gold),
                "yes" if item.unanswerable else "",
            ]
            for item in questions
        ),
    )


def passages_csv(passages: Iterable[Passage]) -> str:
    """One row per passage."""
    return _csv(
        ["id", "document", "page", "heading", "language", "title", "text"],
        (
            [item.id, item.document, item.page or "", item.heading, item.language, item.title, item.text]
            for item in passages
        ),
    )


def documents_csv(documents: Iterable[DocumentEntry]) -> str:
    """One row per document, with the number of its passages, and of its pages where it has some."""
    return _csv(
        ["id", "language", "title", "passages", "pages"],
        ([item.id, item.language, item.title, item.passages, item.pages or ""] for item in documents),
    )


def datasets_csv(datasets: Iterable[DatasetInfo]) -> str:
    """One row per dataset."""
    return _csv(
        ["dataset", "questions", "per language", "corpus", "source", "licence", "description"],
        (
            [
                item.name,
                sum(item.languages.values()),
                _counts(item.languages),
                item.corpus,
                item.source,
                item.licence,
                item.description,
            ]
            for item in datasets
        ),
    )


def corpora_csv(corpora: Iterable[CorpusManifest]) -> str:
    """One row per corpus."""
    return _csv(
        ["corpus", "passages", "per language", "source", "licence"],
        ([item.name, item.passages, _counts(item.languages), item.source, item.licence] for item in corpora),
    )


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(head)
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _counts(counts: Mapping[str, int]) -> str:
    return " ".join(f"{code}:{count}" for code, count in counts.items())
