"""One question in all its languages at once, under one recipe: answers, shared documents, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.core import DISPUTED, Question, TranslationFailed
from workbench.data import DatasetInfo, gold_passages, in_every_language, question_page
from workbench.languages import ENGLISH, is_known, known_languages, language as known_language
from workbench.pipeline import BUILTIN
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import Asking
from workbench.ui.compare import compare_asking, compare_state, recipe_controls, recipes_view
from workbench.ui.compare.compare_asking import AskColumn
from workbench.ui.compare.compare_state import FOLD, FOLD_LABEL, TYPED, CompareState
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_option

QUESTIONS_LIMIT = 200
"""Questions of a dataset that are offered at once; a search finds the others."""
TYPED_LANGUAGES = 13
"""Languages that a typed question is offered in: those of the sample first."""
NO_SUCH_QUESTION = "The dataset has no question with the id that the link names: choose one in the box."


def draw(state: CompareState, corpora: Mapping[str, Sequence[str]]) -> None:
    """The question, the languages and the recipe, then the answers in every language."""
    datasets = {info.name: info for info in access.datasets()}
    _dataset(state, list(datasets))
    info = datasets.get(compare_state.SESSION.current.dataset)
    if info is not None:
        _question(compare_state.SESSION.current, info)
        translations = _translations(
            access.workbench().settings.home.as_posix(), info, compare_state.SESSION.current.name
        )
        if not translations:
            safe_html.message(NO_SUCH_QUESTION, "error")
            return
        codes = [code for code in info.languages if code in translations]
    else:
        recipes_view.question_line()
        codes = [language.code for language in known_languages()][:TYPED_LANGUAGES]
    state = compare_state.SESSION.current
    selection = [code for code in state.languages if code in codes] or codes
    if absent := [language_option(code) for code in state.languages if code not in codes]:
        safe_html.message(f"The question is not available in {', '.join(absent)}.", "error")
    count = f"{len(selection)} language{'' if len(selection) == 1 else 's'}"
    if info is not None:
        st.button(
            f"Ask in {count}",
            key="compare_ask_all",
            type="primary",
            icon=":material/search:",
            on_click=compare_asking.press,
        )
    with st.expander(FOLD_LABEL, key=FOLD, icon=":material/tune:", on_change="rerun") as fold:
        if fold.open:
            _languages(codes)
            recipe_controls.row(
                state.recipe, 99, list(corpora), lambda _, recipe: compare_state.SESSION.change(of_languages=(recipe,))
            )
    state = compare_state.SESSION.current
    if not state.submitted or not (info or state.question.strip()):
        safe_html.message("Choose a question and press Ask: it is answered in every language at once.")
        return
    access.prepare(state.recipe.corpus)
    in_corpus = corpora.get(state.recipe.corpus, ())
    if info is not None:
        columns = [_of_dataset(translations[code], info, state, in_corpus) for code in selection]
    else:
        columns = _of_typed(state, selection, in_corpus)
    if columns:
        compare_asking.draw(columns, "languages")


def _dataset(state: CompareState, names: Sequence[str]) -> None:
    st.segmented_control(
        "Question",
        [*names, TYPED],
        format_func=lambda name: "One that I type" if name == TYPED else f"From {name}",
        required=True,
        wrap=True,
        help="A dataset has its questions in several languages, with gold answers. A question that you type is "
        "translated by the built-in translator, as far as it can.",
        **compare_state.SESSION.control("dataset", shown=state.dataset if state.dataset in names else TYPED),
    )


def _question(state: CompareState, info: DatasetInfo) -> None:
    """The box of the dataset's questions in one of its languages."""
    code = ENGLISH if ENGLISH in info.languages else next(iter(info.languages))
    search = ""
    if info.languages[code] > QUESTIONS_LIMIT:
        search = st.text_input("Search questions", key="compare_search", placeholder="A word, or an id such as q07")
    page = question_page(access.dataset_library(), info.name, language=code, search=search, limit=QUESTIONS_LIMIT)
    texts = {question.id: question.text for question in page.questions}
    if not texts:
        safe_html.message("No question has these words: search for others.")
        return
    name = state.name if state.name in texts or (state.name and not search) else next(iter(texts))
    st.selectbox(
        "Question of the dataset",
        list(dict.fromkeys([*texts, name])),
        format_func=lambda item: f"{item} · {texts[item]}" if item in texts else item,
        **compare_state.SESSION.control("name", shown=name),
    )
    if name != state.name:
        compare_state.SESSION.change(name=name)
    if page.total > len(texts):
        safe_html.message(f"The first {len(texts)} of {page.total:,} questions: search to find others.")


def _languages(codes: Sequence[str]) -> None:
    """The languages to ask in, all of them where none is selected."""
    st.multiselect(
        "Languages",
        codes,
        format_func=language_option,
        placeholder=f"All {len(codes)}",
        help="The languages in which the question is asked. Empty: all of them.",
        **compare_state.SESSION.control("languages", among=codes),
    )


@st.cache_data(show_spinner="Reading the question in its languages", max_entries=64)
def _translations(home: str, info: DatasetInfo, name: str) -> dict[str, Question]:  # noqa: ARG001
    """The question in every language; `home` and the dataset's header are part of the key."""
    return in_every_language(access.dataset_library(), info.name, name)


def _of_dataset(question: Question, info: DatasetInfo, state: CompareState, in_corpus: Sequence[str]) -> AskColumn:
    golds = tuple(gold_passages(info, question, in_corpus))
    name, is_disputed = _name(question.language), question.evidence_in == DISPUTED
    return AskColumn(name, question.text, question.language, state.recipe, question.answers, golds, is_disputed)


def _of_typed(state: CompareState, codes: Sequence[str], in_corpus: Sequence[str]) -> list[AskColumn]:
    """The typed question in its language and translated into the others."""
    choice = Choice(question=state.question, language=state.language, recipe=state.recipe, submitted=True)
    source = recipes_view.language_of(Asking(choice, tuple(in_corpus), (), pressed=False))
    columns = []
    for code in dict.fromkeys([source, *codes]) if source else ():
        text, error = (state.question, "") if code == source else _translated(state.question, source, code)
        columns.append(AskColumn(_name(code), text or state.question, code, state.recipe, error=error))
    return columns


def _translated(text: str, source: str, target: str) -> tuple[str, str]:
    """A question in another language, or why there is none."""
    try:
        (translation,) = access.workbench().registry.translator(BUILTIN).translate([text], source, target)
    except TranslationFailed:
        translation = None
    if translation is None or (translation.match is not None and translation.kind == "gloss"):
        return "", f"The built-in translator has no translation of the question into {known_language(target).name}."
    return translation.text, ""


def _name(code: str) -> str:
    return known_language(code).name if is_known(code) else code
