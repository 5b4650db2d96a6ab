"""Answers the question on the screen and keeps the answer: with the built-in reader at once, else in the background.

The built-in reader answers as soon as a choice changes. A language model, or any component that sends texts away, is
called only when Ask is pressed, and texts leave only after a person has agreed to the host that they are sent to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.corpora import sample
from workbench.errors import UsageError
from workbench.languages import known_languages
from workbench.pipeline.executor import OnStep
from workbench.recipes.recipe import EXTRACTIVE
from workbench.records import Answer
from workbench.ui.ask import answer_view, step_table
from workbench.ui.ask.ask_url import Choice
from workbench.ui.ask.background_answer import BackgroundAnswer
from workbench.ui.shared import access, safe_html
from workbench.ui.shared.frame import BACKGROUND, stop_background
from workbench.workspace.answer_stream import StreamObserver
from workbench.workspace.checked_question import checked_question
from workbench.workspace.workbench import Workbench

ANSWER = "answered"
"""The session's key for the latest answer that was given at once."""
AGREED, GO = "agreed_hosts", "agreed_just_now"
"""The session's keys for the hosts that texts may be sent to, and for an agreement that starts the answer."""
EVERY = 0.2
"""Seconds between updates of an answer that is being written."""

CHANGED = "This answer belongs to the previous settings. Press Ask to use the current ones."


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer on the screen, with the choice that it answers."""

    choice: Choice
    answer: Answer


def question_language(choice: Choice, in_corpus: tuple[str, ...]) -> str:
    """The language of the choice, or the one detected: first among the corpus's and the sample's, then among all known.

    Raises UsageError when none is detected, and what the workspace's language identifier raises.
    """
    if choice.language:
        return choice.language
    detect = access.workbench().registry.identifier()
    likely = sorted({*in_corpus, *sample.languages()})
    detection = detect(choice.question, likely) or detect(choice.question, [item.code for item in known_languages()])
    if not detection:
        raise UsageError("The question's language could not be identified. Select it under “Question language”.")
    return detection


def at_once(choice: Choice, hosts: tuple[str, ...]) -> bool:
    """Whether the choice is answered without pressing Ask: nothing is sent away, and no slow model is needed."""
    return choice.recipe.generator == EXTRACTIVE and not hosts


def ask(
    workbench: Workbench, choice: Choice, in_corpus: tuple[str, ...], *, hosts: tuple[str, ...], pressed: bool
) -> ShownAnswer | None:
    """The answer to show, None while there is none.

    `hosts` are those that texts are sent to; `pressed`: Ask was pressed just now. Raises what the workbench raises
    where the answer is given at once; an error in the background is shown as a sentence.
    """
    # Drawn in every run, so that what comes below keeps its place and open expanders stay open.
    place = st.empty()
    checked_question(choice.question)
    if at_once(choice, hosts):
        stop_background()
        return _answer_at_once(workbench, choice, in_corpus, place)
    agreed = set(hosts) <= st.session_state.get(AGREED, set())
    if not agreed:
        stop_background()
        _ask_permission(hosts)
        return None
    if pressed or st.session_state.pop(GO, False):
        stop_background()
        st.session_state[BACKGROUND] = _begin(workbench, choice, question_language(choice, in_corpus))
    return _watched(choice)


def _answer_at_once(
    workbench: Workbench, choice: Choice, in_corpus: tuple[str, ...], place: DeltaGenerator
) -> ShownAnswer:
    key = replace(choice, submitted=True)
    cached = st.session_state.get(ANSWER)
    if isinstance(cached, ShownAnswer) and cached.choice == key:
        return cached
    code = question_language(choice, in_corpus)
    with place.status("Answering", type="compact") as status:

        def watch(name: str, number: int, count: int) -> None:
            status.update(label=f"Step {number} of {count}: {name}")

        answer = workbench.ask(choice.question, code, choice.recipe, on_step=watch)
        status.update(label=step_table.summary(answer.steps), state="complete")
    place.empty()
    shown = ShownAnswer(key, answer)
    st.session_state[ANSWER] = shown
    return shown


def _begin(workbench: Workbench, choice: Choice, code: str) -> BackgroundAnswer:
    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        return workbench.ask(choice.question, code, choice.recipe, on_step=on_step, observer=observer)

    return BackgroundAnswer(replace(choice, submitted=True), work, access.error_message).start()


def _watched(choice: Choice) -> ShownAnswer | None:
    background = st.session_state.get(BACKGROUND)
    if not isinstance(background, BackgroundAnswer):
        safe_html.message("Press Ask: language models and services are called only then.")
        return None
    progress = background.progress()
    if background.choice != replace(choice, submitted=True):
        safe_html.message(CHANGED)
    if progress.state == "running":
        _writing(background)
        return None
    if progress.answer is not None:
        return ShownAnswer(background.choice, progress.answer)
    if progress.error:
        safe_html.message(progress.error, "error")
    safe_html.show(answer_view.part_card(progress.text, progress.state))
    return None


@st.fragment(run_every=EVERY)
def _writing(background: BackgroundAnswer) -> None:
    """The answer as it is written, with Stop; redrawn periodically until it ends."""
    progress = background.progress()
    if progress.state != "running":
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="writing"):
        safe_html.show(answer_view.step_line("Stopping" if progress.stopping else progress.step))
        stop = background.stop
        st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=stop, disabled=progress.stopping)
    text = progress.text
    safe_html.show(answer_view.part_card(text, "stopped") if progress.stopping else answer_view.writing_card(text))


def _ask_permission(hosts: tuple[str, ...]) -> None:
    """Shows where texts would be sent, with a button to agree. Nothing is sent before."""
    safe_html.message(
        f"With these settings, texts leave this machine: the question, and what else the selected components process "
        f"(prompts, documents), are sent to {_listed(hosts)}. Nothing has been sent yet."
    )
    plain = all(safe_html.is_host(host) for host in hosts)
    label = f"Send to {_listed(hosts)}" if plain else "Send to the hosts named above"
    st.button(label, key="agree", type="primary", icon=":material/send:", on_click=_agree, args=(hosts,))


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _agree(hosts: tuple[str, ...]) -> None:
    st.session_state[AGREED] = {*st.session_state.get(AGREED, set()), *hosts}
    st.session_state[GO] = True
