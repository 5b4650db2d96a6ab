"""What the Data screen shows: corpora with their indexes, datasets with their languages, questions and passages.

Tables are frames, for the screen and as files; questions can be imported again from theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.data import SEPARATOR
from workbench.languages import is_known, language
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.badges import chip, citation_line, hue, language_badge
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, text_block

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.core import Passage, Question
    from workbench.data import CorpusManifest, DatasetInfo, DocumentEntry

SORTED = 8
"""Rows from which a table is a grid that sorts; fewer are read at a glance, and a grid costs the browser megabytes."""
NAMED = 4
"""Languages up to which a count is given for each."""
BUILT_IN = ("words (BM25)", "built-in encoder")


def corpora_frame(
    corpora: Sequence[CorpusManifest],
    encoders: Mapping[str, Sequence[str]],
    preparing: Mapping[str, Sequence[str]] = MappingProxyType({}),
    stores: Mapping[str, str] = MappingProxyType({}),
) -> DataFrame:
    """One row per corpus: its passages, languages and every index that it has or that is being prepared.

    `stores`: where a corpus is searched, by name; in its files where nothing is stated.
    """
    frame = _frame(
        {
            "Corpus": item.name,
            "Passages": item.passages,
            "Languages": languages_text(item.languages),
            "Per language": counts_text(item.languages),
            "Indexes": ", ".join((*BUILT_IN, *encoders.get(item.name, ()), *preparing.get(item.name, ()))),
            "Store": stores.get(item.name, "its files"),
            "Across languages": _across("aligned", item.aligned, item.languages),
            "Source": item.source,
            "Licence": item.licence,
        }
        for item in corpora
    )
    return frame if stores else frame.drop(columns="Store")


def datasets_frame(datasets: Sequence[DatasetInfo]) -> DataFrame:
    """One row per dataset: its questions, by language, its corpus and its source."""
    return _frame(
        {
            "Dataset": dataset.name,
            "Questions": sum(dataset.languages.values()),
            "Languages": languages_text(dataset.languages),
            "Per language": counts_text(dataset.languages),
            "Corpus": dataset.corpus,
            "Across languages": _across("parallel", dataset.parallel, dataset.languages),
            "Kept for evaluation": "yes" if dataset.evaluation else "",
            "Source": dataset.source,
            "Licence": dataset.licence,
            "Description": dataset.description,
        }
        for dataset in datasets
    )


def questions_frame(questions: Iterable[Question]) -> DataFrame:
    """One row per question; several answers or gold passages are separated as an import expects them."""
    return _frame(
        {
            "id": question.id,
            "language": question.language,
            "question": question.text,
            "answers": SEPARATOR.join(question.answers),
            "gold": SEPARATOR.join(question.gold),
            "unanswerable": "yes" if question.unanswerable else "",
        }
        for question in questions
    )


def passages_frame(passages: Iterable[Passage]) -> DataFrame:
    """One row per passage."""
    names = ("id", "document", "page", "heading", "language", "title", "text")
    return _frame({name: getattr(passage, name) or "" for name in names} for passage in passages)


def documents_frame(documents: Iterable[DocumentEntry]) -> DataFrame:
    """One row per document, with the number of its passages, and of its pages where it has some."""
    names = ("id", "language", "title", "passages", "pages")
    return _frame({name: getattr(document, name) or "" for name in names} for document in documents)


def _frame(rows: Iterable[Mapping[str, object]]) -> DataFrame:
    from pandas import DataFrame

    return DataFrame(list(rows))


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts by language, each under the language's native name and code."""
    return ", ".join(
        f"{f'{language(code).native} ({code})' if is_known(code) else code} {count:,}" for code, count in counts.items()
    )


def languages_text(counts: Mapping[str, int]) -> str:
    """Counts by language in a few words.

    >>> languages_text({"en": 92, "fi": 92, "ar": 92, "th": 92, "zh": 92})
    '5 languages, 92 each'
    """
    if len(counts) <= NAMED:
        return counts_text(counts)
    low, high = min(counts.values()), max(counts.values())
    return f"{len(counts):,} languages, {f'{low:,}' if low == high else f'{low:,} to {high:,}'} each"


def overview(frame: DataFrame, noun: str) -> None:
    """The corpora or datasets, one row each, with their download: a grid where there is something to sort."""
    if len(frame) >= SORTED:
        data_table(frame, hide_index=True, key=f"data_{noun}", alt=noun.capitalize())
    else:
        shown = frame[[name for name in frame.columns if frame[name].astype(bool).any()]]
        shown = shown.drop(columns="Per language", errors="ignore")
        rows = [[inline(f"{cell:,}" if isinstance(cell, int) else cell) for cell in row] for row in shown.to_numpy()]
        safe_html.show(safe_html.table(list(shown.columns), rows))
    figure.csv_button(f"{noun.capitalize()} (CSV)", lambda: frame, noun, f"download_{noun}.csv")


def counts(languages: Mapping[str, int]) -> None:
    """The count of each language, where they differ."""
    if len(set(languages.values())) > 1:
        badges = (element("span", language_badge(code), escaped(f" {count:,}")) for code, count in languages.items())
        safe_html.show(element("div", *badges, css="wb-row"))


def question_card(question: Question, *, by_page: bool = False) -> Html:
    """A question with its golds; `by_page`: whether they are pages."""
    badge = language_badge(question.language) if question.language else NOTHING
    head = element("header", chip(question.id), badge, css="wb-row")
    return joined([head, text_block(question.text, question.language, "wb-ask"), golds_row(question, by_page=by_page)])


def golds_row(question: Question, *, by_page: bool = False) -> Html:
    """The gold answers as chips, then the number of gold passages, or pages; what is missing is stated."""
    if question.unanswerable:
        golds = [chip("no answer in the corpus")]
    else:
        golds = [inline(gold, question.language, "wb-chip") for gold in question.answers] or [chip("no gold answer")]
    if question.gold:
        noun = "gold page" if by_page else "gold passage"
        golds.append(chip(f"{len(question.gold):,} {noun}{'' if len(question.gold) == 1 else 's'}"))
    return element("div", element("span", escaped("gold"), css="wb-label"), *golds, css="wb-row")


def preview_list(questions: Sequence[Question]) -> Html:
    """Rows of a table as they would be imported."""
    return joined(
        element("article", text_block(question.text, question.language, "wb-ask"), golds_row(question), css="wb-doc")
        for question in questions
    )


def document_card(entry: DocumentEntry) -> Html:
    """A document with its id, language, title and number of passages and pages."""
    pages = [chip(f"{entry.pages:,} page{'' if entry.pages == 1 else 's'}")] if entry.pages else []
    count = chip(f"{entry.passages:,} passage{'' if entry.passages == 1 else 's'}")
    title = inline(entry.title or "(no title)", entry.language, "wb-title")
    return element("header", chip(entry.id), language_badge(entry.language), title, *pages, count, css="wb-row")


def passages_list(passages: Sequence[Passage], *, ids: bool = True) -> Html:
    """Passages with their ids, where these are wanted, titles and languages, and where they are in their files."""
    return joined(
        element(
            "article",
            element(
                "header",
                chip(passage.id) if ids else NOTHING,
                language_badge(passage.language),
                inline(passage.title, passage.language, "wb-title"),
            ),
            citation_line(passage),
            text_block(passage.text, passage.language),
            css="wb-doc",
            hue=hue(passage.language),
        )
        for passage in passages
    )


def _across(word: str, is_so: bool, languages: Mapping[str, int]) -> str:
    """How the languages relate; nothing where there is only one."""
    return "" if len(languages) < 2 else word if is_so else f"not {word}"
