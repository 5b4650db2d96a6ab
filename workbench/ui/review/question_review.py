"""Questions that a generator writes from a corpus: their writing as a job, and the review of each draft by a person."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from workbench.jobs import (
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    MOST_PER_LANGUAGE,
    Draft,
    DraftProgress,
    DraftSet,
    DraftStore,
    QuestionWriting,
    WritingJobs,
    WritingRequest,
    checked_writer,
    create_dataset,
)
from workbench.pipeline import EXTRACTIVE
from workbench.ui.data.data_state import SESSION
from workbench.ui.parts import access, outcome, safe_html
from workbench.ui.parts.badges import chip, hue, language_badge, language_words
from workbench.ui.parts.latest import latest
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.review.draft_review import KEY, DraftReview, as_written, model_box, starts, still_needed
from workbench.workspace import opened_store

PLAN = "writing_plan"
"""The session's key for what writing takes, with what that was computed for."""
NO_MODEL = (
    "No language model is ready to write questions: Settings shows which key to set or which model to download, and a "
    "model of your own server can be named below as openai-like:MODEL@ENDPOINT."
)


def _store() -> DraftStore:
    """The sets of questions."""
    return DraftStore(opened_store(access.workbench().settings.database_url))


def _jobs() -> WritingJobs:
    """The writing of questions in the workspace."""
    return WritingJobs(access.workbench().settings)


def _origin(request: WritingRequest) -> Sequence[Html]:
    corpus = inline(request.corpus, css="wb-title")
    return (escaped("From the corpus "), corpus, escaped(" by "), inline(request.generator))


def _source(draft: Draft) -> Html:
    """The passage that a question was written from."""
    title = inline(draft.title or "(no title)", draft.language, "wb-title")
    head = element("header", chip(draft.passage), language_badge(draft.language), title)
    text = text_block(draft.text, draft.language)
    return element("article", head, text, css="wb-doc", hue=hue(draft.language))


def _fields(draft: Draft, keys: Sequence[str]) -> None:
    """The question and the answer."""
    help_ = "Change it if it is wrong or cannot be understood without the passage."
    st.text_area("Question", draft.question, key=keys[0], max_chars=LONGEST_QUESTION, height=100, help=help_)
    help_ = "As short as possible, as the passage writes it."
    st.text_input("Answer", draft.answer, key=keys[1], max_chars=LONGEST_ANSWER, help=help_)


def _decided(draft: Draft) -> Html:
    """The question and answer as they were decided, and as they were written where that differs."""
    pieces = [text_block(draft.question, draft.language, "wb-ask"), text_block(draft.answer, draft.language)]
    if draft.is_edited:
        pieces += as_written(f"{draft.written_question}\n{draft.written_answer}", draft.language)
    return joined(pieces)


def _result(draft_set: DraftSet[WritingRequest], stand: DraftProgress) -> None:
    """The button that makes a dataset of the accepted questions."""
    label, create = f"Create dataset ({stand.counted:,} accepted)", partial(_create, draft_set)
    help_, is_empty = "A dataset of the accepted questions; created again, it is replaced.", not stand.counted
    verb_button(label, "datasets.add", create, key=f"{KEY}create", icon="dataset", disabled=is_empty, help=help_)


def _create(draft_set: DraftSet[WritingRequest]) -> None:
    bench = access.workbench()
    with SESSION.noticed():
        corpus = bench.corpus(draft_set.request.corpus)
        result = create_dataset(_store(), draft_set, corpus, access.dataset_library())
        count = sum(result.dataset.languages.values())
        sentence = f"The dataset “{draft_set.name}” has {count:,} question{'' if count == 1 else 's'}."
        if result.without_passage:
            sentence += f" {result.without_passage:,} are left out: the corpus no longer has their passage."
        outcome.keep(KEY, sentence)


def _form() -> None:
    """What is written, from what and by which model."""
    if not any(item.ready and item.name != EXTRACTIVE for item in access.inventory("generator")):
        safe_html.message(NO_MODEL)
    left, middle, right = st.columns(3, gap="medium")
    corpora = {manifest.name: list(manifest.languages) for manifest in access.manifests()}
    help_ = "Questions are written from its passages."
    corpus: str = left.selectbox("Corpus", list(corpora), key="writing_corpus", help=help_)
    help_ = "The set's name, which becomes the dataset's."
    name = left.text_input("Name", key="writing_name", placeholder="my-questions", help=help_).strip()
    with middle:
        generator = model_box("Generator", "writing_generator", "The language model that writes.")
    help_ = "The number of passages drawn in each language; one question is written from each."
    number = int(
        middle.number_input("Questions per language", 1, MOST_PER_LANGUAGE, 20, key="writing_number", help=help_)
    )
    languages = right.multiselect(
        "Languages",
        corpora[corpus],
        key=f"writing_languages_{corpus}",
        placeholder="All",
        format_func=language_words,
        help="Questions are written in the passage's language.",
    )
    help_ = "Another seed draws other passages."
    seed = int(right.number_input("Seed", 0, 2**31 - 1, key="writing_seed", help=help_))
    if still_needed(name=name, generator=generator):
        return
    request = WritingRequest(corpus, checked_writer(generator), EXTRACTIVE, tuple(sorted(languages)), number, seed)
    safe_html.message(_plan_text(name, request))
    if starts("questions", generator):
        _jobs().start(name, request)
        st.rerun()


def _plan_text(name: str, request: WritingRequest) -> str:
    """What writing takes, in sentences; passages are drawn once for each request, and again after each job."""
    ended = [(job.id, job.state) for job in _jobs().all()]
    key = (name, request, access.workbench().corpus(request.corpus).manifest.version, ended)
    return latest(PLAN, key, lambda: QuestionWriting(access.workbench(), name, request).sentence)


VIEW: DraftReview[Any] = DraftReview(
    "questions",
    "review",
    "A generator can write questions from the passages of a corpus. They wait here until a person accepts them, and "
    "then become a dataset.",
    _store, _jobs, _form, _origin, _source, _fields, _decided, _result,
)  # fmt: skip
