"""Asks what was chosen, showing the steps as they run, and keeps the answer while the choice stays the same."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from workbench.corpora import sample
from workbench.errors import UsageError
from workbench.languages import known_languages
from workbench.languages.detect import detect
from workbench.pipeline.workbench import Workbench, checked_question
from workbench.records import Answer
from workbench.ui import steps
from workbench.ui.url import Choice

ANSWERED = "answered"


def asked_language(choice: Choice, in_corpus: tuple[str, ...]) -> str:
    """The language chosen, or the one detected: the corpus's and the sample's compete, then all that are known.

    Raises UsageError when it cannot be told.
    """
    if choice.language:
        return choice.language
    likely = sorted({*in_corpus, *sample.languages()})
    found = detect(choice.question, likely) or detect(choice.question, [item.code for item in known_languages()])
    if not found:
        raise UsageError("The question's language cannot be told: choose it under “Question's language”.")
    return found


def ask(workbench: Workbench, choice: Choice, in_corpus: tuple[str, ...]) -> Answer:
    """The answer to the choice. Raises what the workbench raises."""
    # Drawn in every run, so that what comes below keeps its place and folds stay as they were.
    place = st.empty()
    checked_question(choice.question)
    key = replace(choice, asked=True)
    held = st.session_state.get(ANSWERED)
    if held is not None and held[0] == key:
        answer: Answer = held[1]
        return answer
    code = asked_language(choice, in_corpus)
    with place.status("Asking", type="compact") as status:

        def watch(name: str, number: int, count: int) -> None:
            status.update(label=f"Step {number} of {count}: {name}")

        answer = workbench.ask(choice.question, code, choice.recipe, on_step=watch)
        status.update(label=steps.summary(answer.steps), state="complete")
    place.empty()
    st.session_state[ANSWERED] = (key, answer)
    return answer
