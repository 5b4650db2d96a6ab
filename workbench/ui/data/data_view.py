"""What the Data screen shows: corpora with their indexes, datasets with their languages, questions and passages.

Tables are frames, for the screen and as files; questions can be imported again from theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.data import SEPARATOR
from workbench.languages import is_known, language
from workbench.ui.parts.badges import chip, citation_line, hue, language_badge
from workbench.ui.parts.chart_style import language_label, plain_text
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, text_block

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from workbench.core import Passage, Question
    from workbench.data import CorpusManifest, DatasetInfo, DocumentEntry

BAR = 24
"""Pixels per language."""
FEW = 5
"""Counts up to this one have a tick each: there are no halves."""
SHORT = 10
"""Characters of a name that fit into a figure's title on a phone."""
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
            "Per language": counts_text(dataset.languages),
            "Corpus": dataset.corpus,
            "Across languages": _across("parallel", dataset.parallel, dataset.languages),
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


def differ(counts: Mapping[str, int]) -> bool:
    """Whether the counts differ, so that a figure shows more than the table does."""
    return len(set(counts.values())) > 1


def counts_figure(counts: Mapping[str, int], noun: str, name: str) -> Figure:
    """One bar per language, one below the other, so that the names can be read on a narrow screen as well."""
    from plotly.graph_objects import Bar, Figure

    figure = Figure(
        Bar(
            x=list(counts.values()),
            y=[language_label(code) for code in counts],
            orientation="h",
            marker_color="#2f7f9f",
            text=[f"{count:,}" for count in counts.values()],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:,}<extra></extra>",
        )
    )
    # A title does not wrap, and a phone has no room for a long name in the same line.
    place = "<br>" if len(name) > SHORT else ""
    figure.update_layout(
        title=f"{noun} per language, {place}{plain_text(name)} (n = {sum(counts.values()):,})",
        xaxis_title=noun.lower(),
        height=(130 if place else 110) + BAR * len(counts),
        margin={"l": 0, "r": 40, "t": 70 if place else 50, "b": 0},
        bargap=0.3,
    )
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False)
    figure.update_xaxes(rangemode="tozero", dtick=1 if max(counts.values(), default=0) <= FEW else None)
    return figure


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


def passages_list(passages: Sequence[Passage]) -> Html:
    """Passages with their ids, titles and languages, and where they are in their files."""
    return joined(
        element(
            "article",
            element(
                "header",
                chip(passage.id),
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
