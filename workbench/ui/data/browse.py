"""One page of a dataset's questions, or of a corpus's passages or documents, with links and a download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from workbench.core import BY_PAGE, Passage, Question, WorkbenchError, page_key, page_name, shorten
from workbench.data import (
    Corpus,
    DatasetInfo,
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

Item = TypeVar("Item")
GOLDS = 20
"""Gold passages of one question that a link shows together."""


def questions(info: DatasetInfo, selection: Selection) -> None:
    """The questions of a dataset that the selection names, each with its golds and a link to Ask."""
    library, corpus = access.dataset_library(), _corpus(info.corpus)
    by_page = info.gold_level == BY_PAGE

    def page_from(start: int) -> tuple[Sequence[Question], int]:
        page = question_page(
            library, info.name, language=selection.language, search=selection.search, start=start, limit=PER_PAGE
        )
        return page.questions, page.total

    def draw(items: Sequence[Question]) -> None:
        if corpus and by_page:
            corpus.golds.prepare(page_name(key) for item in items for key in item.gold)
        for number, item in enumerate(items):
            golds = gold_passages(info, item, corpus.languages if corpus else ())
            with st.container(border=True, horizontal=True, gap="small", key=f"data_question_{number}"):
                safe_html.show(data_view.question_card(item, by_page=by_page))
                _ask(info, item)
                if corpus:
                    _golds(corpus, item, golds)

    _listing("question", info.name, selection.page, page_from, draw, data_view.questions_frame)


def corpus_content(name: str, selection: Selection) -> None:
    """The passages or the documents of a corpus that the selection names."""
    corpus = access.workbench().corpus(name)
    if selection.show == "documents":
        _documents(corpus, selection)
    else:
        _passages(corpus, selection)


def _passages(corpus: Corpus, selection: Selection) -> None:
    if selection.document and not passage_page(corpus, document=selection.document, limit=1).total:
        safe_html.message(f"The corpus has no document “{shorten(selection.document)}”.", "error")
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
        choices = {name: getattr(selection, name) for name in ("language", "document", "search")}
        page = passage_page(corpus, **choices, start=start, limit=PER_PAGE)
        complete = page.complete
        return page.passages, page.total

    def draw(passages: Sequence[Passage]) -> None:
        if not complete:
            st.caption("There may be more: a search looks at the 1,000 best hits. Add a word to narrow it down.")
        safe_html.show(data_view.passages_list(passages))

    _listing("passage", corpus.manifest.name, selection.page, page_from, draw, data_view.passages_frame)


def _documents(corpus: Corpus, selection: Selection) -> None:
    if selection.search:
        st.caption("The search is for passages; documents are listed by language.")

    def page_from(start: int) -> tuple[Sequence[DocumentEntry], int]:
        page = document_page(corpus, language=selection.language, start=start, limit=PER_PAGE)
        return page.documents, page.total

    def draw(entries: Sequence[DocumentEntry]) -> None:
        for number, item in enumerate(entries):
            with st.container(border=True, gap="small", key=f"data_document_{number}"):
                safe_html.show(data_view.document_card(item))
                _link("Show its passages", corpus, "article", language=item.language, document=item.id)
                manage.remove_button(corpus.manifest.name, item.id, number)

    _listing("document", corpus.manifest.name, selection.page, page_from, draw, data_view.documents_frame)


def _listing(
    noun: str,
    owner: str,
    page: int,
    page_from: Callable[[int], tuple[Sequence[Item], int]],
    draw: Callable[[Sequence[Item]], None],
    frame: Callable[[Sequence[Item]], DataFrame],
) -> None:
    """A page of what belongs to a dataset or corpus `owner`, or the last page where there are fewer, and its file.

    `page_from` gives the items from a number on, counted from 0, and how many there are in all.
    """
    items, total = page_from(PER_PAGE * (page - 1))
    if (last := data_state.SESSION.page_within(-(-total // PER_PAGE))) != page:
        page = last
        items, total = page_from(PER_PAGE * (page - 1))
    if total:
        first, count = PER_PAGE * (page - 1) + 1, len(items)
        text = f"{total:,} {noun}{'' if total == 1 else 's'}"
        st.caption(text if count == total else f"{text}, of which {first:,} to {first + count - 1:,} are shown")
    else:
        safe_html.message(f"No {noun} matches. Change the search or the language.")
    draw(items)
    data_state.SESSION.turn_pages(-(-total // PER_PAGE))
    if items:
        name = f"{owner}-{noun}s"
        figure.csv_button(f"{noun.capitalize()}s shown (CSV)", lambda: frame(items), name, f"download_{name}.csv")


def _link(label: str, corpus: Corpus, icon: str = "", **choices: str) -> None:
    """A link to some choices of what is shown of a corpus."""
    shown = Selection(view="corpora", name=corpus.manifest.name).with_(**choices)
    symbol = f":material/{icon}:" if icon else None
    st.page_link("pages/data.py", label=label, icon=symbol, query_params=shown.to_params())


def _neighbours(corpus: Corpus, passage: Passage) -> None:
    """Links to the passages before and after one, and to all of its document."""
    with st.container(horizontal=True, gap="small"):
        if passage.previous:
            _link("Previous passage", corpus, passage=passage.previous)
        if passage.next:
            _link("Next passage", corpus, passage=passage.next)
        _link("All passages of this document", corpus, language=passage.language, document=passage.document)


def _ask(info: DatasetInfo, question: Question) -> None:
    recipe = make_recipe({"corpus": info.corpus} if info.corpus else {})
    choice = ask_state.Choice(question=question.text, language=question.language, recipe=recipe, submitted=True)
    st.page_link("pages/ask.py", label="Ask this", icon=":material/search:", query_params=choice.to_params())


def _golds(corpus: Corpus, question: Question, golds: Sequence[str]) -> None:
    """A link to a question's gold passages, those in its language first; to the first ones of its gold pages."""
    if any(map(page_key, golds)):
        _gold_pages(corpus, question, golds)
        return
    rows = corpus.lexical.rows_of(golds)
    if missing := len(golds) - len(rows):
        st.caption(f"Not in the corpus: {missing:,} of {len(golds):,} gold passages.")
    if rows:
        languages = {each.id: each.language for each in corpus.table.passages(list(rows.values()))}
        names = sorted(rows, key=lambda name: (languages[name] != question.language, golds.index(name)))[:GOLDS]
        label = "Gold passage" if len(names) == 1 else f"Gold passages ({len(names):,})"
        _link(label, corpus, "article", passage="\n".join(names))


def _gold_pages(corpus: Corpus, question: Question, golds: Sequence[str]) -> None:
    """A link to each of a question's gold pages in the corpus, in its language where the page is there."""
    languages_of = corpus.golds.languages(golds)
    if missing := len(golds) - len(languages_of):
        st.caption(f"Not in the corpus: {missing:,} of {len(golds):,} gold pages.")
    for name in [name for name in golds if name in languages_of][:GOLDS]:
        codes = sorted(languages_of[name], key=lambda code: (code != question.language, code != ENGLISH, code))
        ((_, first),) = corpus.golds.passages(name, codes[:1], 1)
        label = f"Gold page: {safe_html.plain_label(first.title or first.document)}"
        _link(label, corpus, "article", language=first.language, document=first.document)


def _corpus(name: str) -> Corpus | None:
    """The corpus with the gold passages; None where there is none, which is reported unless there never was."""
    if not name:
        return None
    try:
        return access.workbench().corpus(name)
    except WorkbenchError as error:
        safe_html.message(f"The gold passages cannot be shown. {error.on_screen}")
        return None
