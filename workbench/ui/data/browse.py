"""One page of a dataset's questions, or of a corpus's passages or documents, with links and a download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from workbench.core import BY_PAGE, Passage, Question, WorkbenchError, page_key, page_name
from workbench.data import (
    Corpus,
    DatasetInfo,
    DatasetLibrary,
    DocumentEntry,
    document_page,
    gold_passages,
    passage_of,
    passage_page,
    question_page,
)
from workbench.languages import ENGLISH
from workbench.pipeline import make_recipe
from workbench.ui.ask import ask_state
from workbench.ui.data import data_state, data_view, manage
from workbench.ui.data.data_state import PER_PAGE, Selection
from workbench.ui.parts import access, figure, safe_html

if TYPE_CHECKING:
    from pandas import DataFrame

DATA, ASK = "pages/data.py", "pages/ask.py"
Item = TypeVar("Item")

GOLDS = 20
"""Gold passages of one question that a link shows together."""


def questions(info: DatasetInfo, selection: Selection) -> None:
    """The questions of a dataset that the selection names, each with its golds and a link to Ask."""
    library = DatasetLibrary(access.workbench().settings.datasets)

    def page_from(start: int) -> tuple[Sequence[Question], int]:
        page = question_page(
            library, info.name, language=selection.language, search=selection.search, start=start, limit=PER_PAGE
        )
        return page.questions, page.total

    items, total, number = _page(page_from, selection.page)
    _heading(total, "question", number, len(items))
    corpus = _corpus(info.corpus)
    if corpus and info.gold_level == BY_PAGE:
        corpus.golds.prepare(page_name(key) for item in items for key in item.gold)
    for place, item in enumerate(items):
        golds = gold_passages(info, item, corpus.languages if corpus else ())
        with st.container(border=True, gap="small", key=f"data_question_{place}"):
            safe_html.show(data_view.question_card(item, by_page=info.gold_level == BY_PAGE))
            with st.container(horizontal=True, gap="small"):
                _ask(info, item)
                if corpus:
                    _golds(corpus, item, golds)
    data_state.pages(total, number)
    if items:
        _download("Questions", data_view.questions_frame(items), info.name)


def corpus_content(name: str, selection: Selection) -> None:
    """The passages or the documents of a corpus that the selection names."""
    corpus = access.workbench().corpus(name)
    if selection.show == "documents":
        _documents(corpus, selection)
    else:
        _passages(corpus, selection)


def _passages(corpus: Corpus, selection: Selection) -> None:
    if selection.passage or selection.document:
        st.button("Show all passages", key="data_all", icon=":material/arrow_back:", on_click=data_state.everything)
    if selection.passage:
        named = [passage_of(corpus, name) for name in selection.passage.split("\n")[:GOLDS]]
        safe_html.show(data_view.passages_list(named))
        if len(named) == 1:
            _neighbours(corpus, named[0])
        return
    complete = True

    def page_from(start: int) -> tuple[Sequence[Passage], int]:
        nonlocal complete
        page = passage_page(
            corpus,
            language=selection.language,
            document=selection.document,
            search=selection.search,
            start=start,
            limit=PER_PAGE,
        )
        complete = page.complete
        return page.passages, page.total

    items, total, number = _page(page_from, selection.page)
    _heading(total, "passage", number, len(items))
    if not complete:
        st.caption("There may be more: a search looks at the 1,000 best hits. Add a word to narrow it down.")
    safe_html.show(data_view.passages_list(items))
    data_state.pages(total, number)
    if items:
        _download("Passages", data_view.passages_frame(items), corpus.manifest.name)


def _documents(corpus: Corpus, selection: Selection) -> None:
    if selection.search:
        st.caption("The search is for passages; documents are listed by language.")

    def page_from(start: int) -> tuple[Sequence[DocumentEntry], int]:
        page = document_page(corpus, language=selection.language, start=start, limit=PER_PAGE)
        return page.documents, page.total

    items, total, number = _page(page_from, selection.page)
    _heading(total, "document", number, len(items))
    for place, item in enumerate(items):
        with st.container(border=True, gap="small", key=f"data_document_{place}"):
            safe_html.show(data_view.document_card(item))
            shown = Selection(view="corpora", name=corpus.manifest.name, language=item.language, document=item.id)
            st.page_link(DATA, label="Show its passages", icon=":material/article:", query_params=shown.to_params())
            manage.remove_button(corpus.manifest.name, item.id, place)
    data_state.pages(total, number)
    if items:
        _download("Documents", data_view.documents_frame(items), corpus.manifest.name)


def _neighbours(corpus: Corpus, item: Passage) -> None:
    """Links to the passages before and after one, and to all of its document."""
    name = corpus.manifest.name
    links = {
        "Previous passage": Selection(view="corpora", name=name, passage=item.previous) if item.previous else None,
        "Next passage": Selection(view="corpora", name=name, passage=item.next) if item.next else None,
        "All passages of this document": Selection(
            view="corpora", name=name, language=item.language, document=item.document
        ),
    }
    with st.container(horizontal=True, gap="small"):
        for label, selection in links.items():
            if selection:
                st.page_link(DATA, label=label, query_params=selection.to_params())


def _ask(info: DatasetInfo, item: Question) -> None:
    recipe = make_recipe({"corpus": info.corpus} if info.corpus else {})
    choice = ask_state.Choice(question=item.text, language=item.language, recipe=recipe, submitted=True)
    params = choice.to_params()
    st.page_link(ASK, label="Ask this", icon=":material/search:", query_params=params)


def _golds(corpus: Corpus, item: Question, golds: Sequence[str]) -> None:
    """A link to a question's gold passages, those in its language first; to the first ones of its gold pages."""
    if any(map(page_key, golds)):
        _gold_pages(corpus, item, golds)
        return
    rows = corpus.lexical.rows_of(golds)
    missing = len(golds) - len(rows)
    if missing:
        st.caption(f"Not in the corpus: {missing:,} of {len(golds):,} gold passages.")
    if rows:
        languages = {each.id: each.language for each in corpus.table.passages(list(rows.values()))}
        names = sorted(rows, key=lambda name: (languages[name] != item.language, golds.index(name)))[:GOLDS]
        shown = Selection(view="corpora", name=corpus.manifest.name, passage="\n".join(names))
        st.page_link(
            DATA,
            label="Gold passage" if len(names) == 1 else f"Gold passages ({len(names):,})",
            icon=":material/article:",
            query_params=shown.to_params(),
        )


def _gold_pages(corpus: Corpus, item: Question, golds: Sequence[str]) -> None:
    """A link to each of a question's gold pages in the corpus, in its language where the page is there."""
    languages_of = corpus.golds.languages(golds)
    if missing := len(golds) - len(languages_of):
        st.caption(f"Not in the corpus: {missing:,} of {len(golds):,} gold pages.")
    for name in [name for name in golds if name in languages_of][:GOLDS]:
        codes = sorted(languages_of[name], key=lambda code: (code != item.language, code != ENGLISH, code))
        ((_, first),) = corpus.golds.passages(name, codes[:1], 1)
        shown = Selection(view="corpora", name=corpus.manifest.name, language=first.language, document=first.document)
        st.page_link(
            DATA,
            label=f"Gold page: {safe_html.plain_label(first.title or first.document)}",
            icon=":material/article:",
            query_params=shown.to_params(),
        )


def _corpus(name: str) -> Corpus | None:
    """The corpus with the gold passages; None where there is none, which is reported unless there never was."""
    if not name:
        return None
    try:
        return access.workbench().corpus(name)
    except WorkbenchError as error:
        safe_html.message(f"The gold passages cannot be shown. {error.on_screen}")
        return None


def _page(page_from: Callable[[int], tuple[Sequence[Item], int]], page: int) -> tuple[Sequence[Item], int, int]:
    """The items of a page, the number of all, and the page's number: the last one's where there are fewer pages."""
    items, total = page_from(PER_PAGE * (page - 1))
    number = data_state.within(page, total)
    if number != page:
        items, total = page_from(PER_PAGE * (number - 1))
    return items, total, number


def _heading(total: int, noun: str, page: int, count: int) -> None:
    if not total:
        safe_html.message(f"No {noun} matches. Change the search or the language.")
        return
    first = PER_PAGE * (page - 1) + 1
    words = f"{total:,} {noun}{'' if total == 1 else 's'}"
    st.caption(words if count == total else f"{words}, of which {first:,} to {first + count - 1:,} are shown")


def _download(noun: str, frame: DataFrame, owner: str) -> None:
    """A button for the rows that are shown, as CSV."""
    name = f"{owner}-{noun.lower()}"
    figure.csv_button(f"{noun} shown (CSV)", lambda: frame, name, f"download_{name}.csv")
