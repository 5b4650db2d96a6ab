"""What the Data screen shows: corpora with their indexes, datasets with their languages, questions and passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.ui.parts.badges import chip, citation_line, hue, language_badge
from workbench.ui.parts.chart_style import language_label, plain_text
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block

if TYPE_CHECKING:
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


def corpora_table(
    corpora: Sequence[CorpusManifest],
    encoders: Mapping[str, Sequence[str]],
    preparing: Mapping[str, Sequence[str]] = MappingProxyType({}),
    stores: Mapping[str, str] = MappingProxyType({}),
) -> Html:
    """One row per corpus: its passages, languages and every index that it has or that is being prepared.

    `stores`: where a corpus is searched, by name; in its files where nothing is stated.
    """
    rows = [
        [
            inline(item.name, css="wb-title"),
            escaped(f"{item.passages:,}"),
            element("div", *(language_badge(code) for code in item.languages), css="wb-row wb-wide"),
            _indexes(
                (*BUILT_IN, *encoders.get(item.name, ())), preparing.get(item.name, ()), stores.get(item.name, "")
            ),
            _across("aligned", item.aligned, item.languages),
            text_block(f"{item.source}\n{item.licence}", css="wb-muted wb-wide"),
        ]
        for item in corpora
    ]
    return table(["Corpus", "Passages", "Languages", "Indexes", "Across languages", "Source and licence"], rows)


def _indexes(ready: Sequence[str], preparing: Sequence[str], store: str) -> Html:
    under_way = (element("span", inline(words), css="wb-idle") for words in preparing)
    chips = element("div", *(chip(name) for name in ready), *under_way, css="wb-row")
    return joined([chips, text_block(store, css="wb-muted wb-wide")]) if store else chips


def datasets_table(datasets: Sequence[DatasetInfo]) -> Html:
    """One row per dataset: its questions, by language, its corpus and its source."""
    rows = [
        [
            inline(item.name, css="wb-title"),
            escaped(f"{sum(item.languages.values()):,}"),
            element("div", *(_count(code, count) for code, count in item.languages.items()), css="wb-row wb-wide"),
            inline(item.corpus or "none"),
            _across("parallel", item.parallel, item.languages),
            text_block("\n".join(filter(None, [item.source, item.licence, item.description])), css="wb-muted"),
        ]
        for item in datasets
    ]
    return table(["Dataset", "Questions", "Per language", "Corpus", "Across languages", "Source and licence"], rows)


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


def question_card(item: Question, *, by_page: bool = False) -> Html:
    """A question with its golds; `by_page`: whether they are pages."""
    badge = language_badge(item.language) if item.language else NOTHING
    head = element("header", chip(item.id), badge, css="wb-row")
    return joined([head, text_block(item.text, item.language, "wb-ask"), golds_row(item, by_page=by_page)])


def golds_row(item: Question, *, by_page: bool = False) -> Html:
    """The gold answers as chips, then the number of gold passages, or pages; what is missing is stated."""
    if item.unanswerable:
        golds = [chip("no answer in the corpus")]
    else:
        golds = [inline(gold, item.language, "wb-chip") for gold in item.answers] or [chip("no gold answer")]
    if item.gold:
        noun = "gold page" if by_page else "gold passage"
        golds.append(chip(f"{len(item.gold):,} {noun}{'' if len(item.gold) == 1 else 's'}"))
    return element("div", element("span", escaped("gold"), css="wb-label"), *golds, css="wb-row")


def preview_list(questions: Sequence[Question]) -> Html:
    """Rows of a table as they would be imported."""
    return joined(
        element("article", text_block(item.text, item.language, "wb-ask"), golds_row(item), css="wb-doc")
        for item in questions
    )


def document_card(item: DocumentEntry) -> Html:
    """A document with its id, language, title and number of passages and pages."""
    pages = [chip(f"{item.pages:,} page{'' if item.pages == 1 else 's'}")] if item.pages else []
    count = chip(f"{item.passages:,} passage{'' if item.passages == 1 else 's'}")
    title = inline(item.title or "(no title)", item.language, "wb-title")
    return element("header", chip(item.id), language_badge(item.language), title, *pages, count, css="wb-row")


def passages_list(passages: Sequence[Passage]) -> Html:
    """Passages with their ids, titles and languages, and where they are in their files."""
    return joined(
        element(
            "article",
            element(
                "header", chip(item.id), language_badge(item.language), inline(item.title, item.language, "wb-title")
            ),
            citation_line(item),
            text_block(item.text, item.language),
            css="wb-doc",
            hue=hue(item.language),
        )
        for item in passages
    )


def _across(word: str, is_so: bool, languages: Mapping[str, int]) -> Html:
    """How the languages relate; nothing where there is only one."""
    return escaped("" if len(languages) < 2 else word if is_so else f"not {word}")


def _count(code: str, count: int) -> Html:
    return element("span", language_badge(code), escaped(f" {count:,}"))
