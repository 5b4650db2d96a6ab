"""Answers the question on the screen and keeps the answer: with the built-in reader at once, else in the background.

The built-in reader answers as soon as a choice changes. A language model, or any component that sends texts away, is
called only when Ask is pressed, and texts leave only after a person has agreed to the host that they are sent to.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitAPIException

from workbench.app import BackgroundAnswer, StreamObserver, Workbench, checked_question, detect_question
from workbench.core import Answer
from workbench.data import languages
from workbench.languages import Detection
from workbench.pipeline import OnStep, Recipe, languages_in
from workbench.ui.ask import answer_view
from workbench.ui.ask.ask_state import Choice
from workbench.ui.parts import access, safe_html, signed_in
from workbench.ui.parts.frame import BACKGROUND, stop_background

ANSWER = "answered"
"""The session's key for the latest answer."""
PARTS = ("answer_card", "answer_documents")
"""The parts of the screen that an answer given at once is in."""
FOLDS = ("ask_tour", "downloads", "prompt", "steps")
"""The session's keys for what shows more of an answer, outside of its parts, where it is open."""
AGREED, GO = "agreed_hosts", "agreed_just_now"
"""The session's keys for the hosts that texts may be sent to, and for an agreement that starts the answer."""
AGAIN = "ask_again_now"
"""The session's key for the wish to answer again without the cache."""
EVERY = 0.2
"""Seconds between updates of an answer that is being written."""

CHANGED = "This answer belongs to the previous settings. Press Ask to use the current ones."
PRESS = "Press Ask: language models and services are called only then."


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer on the screen, with the choice that it answers.

    `detection` is that of the question's language, None where a person selected it or the answer came in the
    background.
    """

    choice: Choice
    answer: Answer
    detection: Detection | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """What is to be answered: the choice, the languages of its corpus, and the hosts that texts are sent to.

    `pressed`: Ask was pressed just now.
    """

    choice: Choice
    in_corpus: tuple[str, ...]
    hosts: tuple[str, ...]
    pressed: bool

    @property
    def at_once(self) -> bool:
        """Whether it is answered without pressing Ask: nothing is sent away, and no slow model is needed."""
        return not self.choice.recipe.language_models and not self.hosts

    def detect(self) -> Detection | None:
        """The question's language where none was selected. Raises UsageError when none is detected."""
        if self.choice.language:
            return None
        likely = sorted({*self.in_corpus, *languages()})
        return detect_question(self.choice.question, access.workbench().registry.identifier(), likely)

    def language(self) -> str:
        """The language that was selected, or the one detected. Raises as `detect` does."""
        detection = self.detect()
        return self.choice.language if detection is None else detection.language


def ask(workbench: Workbench, asking: Asking) -> ShownAnswer | None:
    """The answer to show, None while there is none.

    Raises what the workbench raises where the answer is given at once; an error in the background is shown as a
    sentence.
    """
    checked_question(asking.choice.question)
    again = st.session_state.pop(AGAIN, False)
    shown = None
    if asking.at_once:
        stop_background()
        shown = _answer_at_once(workbench, asking, again=again)
    elif may_send(asking.hosts):
        if asking.pressed or again or st.session_state.pop(GO, False):
            stop_background()
            language = asking.language()
            _check_scope(asking, language)
            work = background_answer(workbench, asking.choice, asking.choice.recipe, language, cached=not again)
            st.session_state[BACKGROUND] = work.start()
        shown = _watched(asking.choice)
    if shown is not None:
        st.session_state[ANSWER] = shown
    return shown


def latest() -> ShownAnswer:
    """The answer that is shown, once there is one."""
    shown: ShownAnswer = st.session_state[ANSWER]
    return shown


def draw_answer_alone() -> None:
    """Where an answer is shown, draws nothing else again, unless what shows more of it is open. Only in a callback."""
    if not any(st.session_state.get(key) for key in FOLDS):
        with suppress(StreamlitAPIException):  # No answer is shown.
            st.rerun(PARTS)


def may_send(hosts: tuple[str, ...]) -> bool:
    """Whether a person agreed to every host; where not, shows where texts would be sent, with a button to agree."""
    if set(hosts) <= st.session_state.get(AGREED, set()):
        return True
    stop_background()
    safe_html.message(
        f"With these settings, texts leave this machine: the question, and what else the selected components process "
        f"(prompts, documents), are sent to {_listed(hosts)}. Nothing has been sent yet."
    )
    plain = all(safe_html.is_host(host) for host in hosts)
    label = f"Send to {_listed(hosts)}" if plain else "Send to the hosts named above"
    st.button(label, key="agree", type="primary", icon=":material/send:", on_click=_agree, args=(hosts,))
    return False


def background_answer(
    workbench: Workbench, choice: Choice, recipe: Recipe, language: str, *, cached: bool
) -> BackgroundAnswer[Choice]:
    """One recipe's answer to the question of a choice, not started."""

    def work(on_step: OnStep, observer: StreamObserver) -> Answer:
        return workbench.ask(choice.question, language, recipe, on_step=on_step, observer=observer, cached=cached)

    return BackgroundAnswer(choice.to_answer, work, access.error_message)


def forget() -> None:
    """Drops the latest answer, so that the question is answered anew: the corpus's index changed."""
    st.session_state.pop(ANSWER, None)


def again_button() -> None:
    """A button that answers the same question anew, without reading or writing the cache."""
    st.button(
        "Ask again",
        key="ask_again",
        icon=":material/refresh:",
        on_click=lambda: st.session_state.update({AGAIN: True}),
        help="Runs every step again, not from the cache: how long does it take, does a model answer the same twice?",
    )


def _answer_at_once(workbench: Workbench, asking: Asking, *, again: bool) -> ShownAnswer:
    choice = asking.choice
    key = choice.to_answer
    cached = st.session_state.get(ANSWER)
    if isinstance(cached, ShownAnswer) and cached.choice == key and not again:
        return cached
    detection = asking.detect()
    language = choice.language if detection is None else detection.language
    _check_scope(asking, language)
    with st.spinner("Answering", show_time=True):  # appears after half a second
        answer = workbench.ask(choice.question, language, choice.recipe, cached=not again)
    return ShownAnswer(key, answer, detection)


def _check_scope(asking: Asking, language: str) -> None:
    """Raises EmptyScopeError before anything is called where the scope holds nothing."""
    recipe = asking.choice.recipe
    if recipe.mode != "baseline":
        languages_in(recipe.scope, language, asking.in_corpus)


def _watched(choice: Choice) -> ShownAnswer | None:
    background = st.session_state.get(BACKGROUND)
    if not isinstance(background, BackgroundAnswer):
        safe_html.message(PRESS)
        return None
    progress = background.progress()
    if background.choice != choice.to_answer:
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


@signed_in.refreshed(EVERY)
def _writing(background: BackgroundAnswer[Choice]) -> None:
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


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _agree(hosts: tuple[str, ...]) -> None:
    st.session_state[AGREED] = {*st.session_state.get(AGREED, set()), *hosts}
    st.session_state[GO] = True
