"""Asks what was chosen and keeps the answer: at once with the built-in reader, else in the background and watched.

The built-in reader answers as soon as a choice changes. A language model, or anything that sends texts away, is asked
only when Ask is pressed, and texts leave only after a person has agreed to the host that they go to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.components.identifiers import identifier
from workbench.components.parts import EXTRACTIVE
from workbench.corpora import sample
from workbench.errors import UsageError
from workbench.languages import known_languages
from workbench.pipeline.executor import OnStep
from workbench.records import Answer
from workbench.ui.ask import answer_view, step_table
from workbench.ui.ask.ask_url import Choice
from workbench.ui.ask.background_answer import Asking
from workbench.ui.shared import access, safe_html
from workbench.workspace.answer_stream import StreamObserver
from workbench.workspace.question import checked_question
from workbench.workspace.workbench import Workbench

ANSWERED = "answered"
ASKING = "asking"
AGREED, GO = "agreed_hosts", "agreed_just_now"
EVERY = 0.2
"""Seconds between looks at an answer that is being written."""

CHANGED = "This is the answer to what was chosen before. Press Ask to ask what is chosen now."


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What was asked, and its answer."""

    choice: Choice
    answer: Answer


def asked_language(choice: Choice, in_corpus: tuple[str, ...]) -> str:
    """The language chosen, or the one detected: the corpus's and the sample's compete, then all that are known.

    Raises UsageError when it cannot be told, and what the workspace's language identifier raises.
    """
    if choice.language:
        return choice.language
    detect = identifier(access.workbench().settings.home)
    likely = sorted({*in_corpus, *sample.languages()})
    found = detect(choice.question, likely) or detect(choice.question, [item.code for item in known_languages()])
    if not found:
        raise UsageError("The question's language cannot be told: choose it under “Question's language”.")
    return found


def at_once(choice: Choice, hosts: tuple[str, ...]) -> bool:
    """Whether the choice is answered without being asked for: nothing is sent away, and no model takes its time."""
    return choice.recipe.generator == EXTRACTIVE and not hosts


def ask(
    workbench: Workbench, choice: Choice, in_corpus: tuple[str, ...], *, hosts: tuple[str, ...], pressed: bool
) -> AnswerView | None:
    """The answer to show, None while there is none. `hosts` are those that texts go to; `pressed`: Ask was, just now.

    Raises what the workbench raises for what is answered at once; the rest is shown as its sentence.
    """
    # Drawn in every run, so that what comes below keeps its place and folds stay as they were.
    place = st.empty()
    checked_question(choice.question)
    if at_once(choice, hosts):
        leave()
        return _asked_at_once(workbench, choice, in_corpus, place)
    agreed = set(hosts) <= st.session_state.get(AGREED, set())
    if not agreed:
        leave()
        _ask_leave(hosts)
        return None
    if pressed or st.session_state.pop(GO, False):
        leave()
        st.session_state[ASKING] = _begin(workbench, choice, asked_language(choice, in_corpus))
    return _watched(choice)


def leave() -> None:
    """Stops what is under way: nobody looks at it any more."""
    held = st.session_state.get(ASKING)
    if held is not None:
        held.stop()


def _asked_at_once(
    workbench: Workbench, choice: Choice, in_corpus: tuple[str, ...], place: DeltaGenerator
) -> AnswerView:
    key = replace(choice, asked=True)
    held = st.session_state.get(ANSWERED)
    if isinstance(held, AnswerView) and held.choice == key:
        return held
    code = asked_language(choice, in_corpus)
    with place.status("Asking", type="compact") as status:

        def watch(name: str, number: int, count: int) -> None:
            status.update(label=f"Step {number} of {count}: {name}")

        answer = workbench.ask(choice.question, code, choice.recipe, on_step=watch)
        status.update(label=step_table.summary(answer.steps), state="complete")
    place.empty()
    made = AnswerView(key, answer)
    st.session_state[ANSWERED] = made
    return made


def _begin(workbench: Workbench, choice: Choice, code: str) -> Asking:
    def work(on_step: OnStep, watched: StreamObserver) -> Answer:
        return workbench.ask(choice.question, code, choice.recipe, on_step=on_step, watched=watched)

    return Asking(replace(choice, asked=True), work, access.sentence).start()


def _watched(choice: Choice) -> AnswerView | None:
    held = st.session_state.get(ASKING)
    if not isinstance(held, Asking):
        safe_html.message("Press Ask: a language model, or a service, is asked only when you say so.")
        return None
    look = held.look()
    if held.choice != replace(choice, asked=True):
        safe_html.message(CHANGED)
    if look.state == "running":
        _writing(held)
        return None
    if look.answer is not None:
        return AnswerView(held.choice, look.answer)
    if look.sentence:
        safe_html.message(look.sentence, "error")
    safe_html.show(answer_view.part_card(look.text, look.state))
    return None


@st.fragment(run_every=EVERY)
def _writing(held: Asking) -> None:
    """The answer as it is written, with Stop; drawn anew by itself until it ends."""
    look = held.look()
    if look.state != "running":
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="writing"):
        safe_html.show(answer_view.step_line("Stopping" if look.stopping else look.step))
        st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=held.stop, disabled=look.stopping)
    safe_html.show(
        answer_view.part_card(look.text, "stopped") if look.stopping else answer_view.writing_card(look.text)
    )


def _ask_leave(hosts: tuple[str, ...]) -> None:
    """Says where texts would go, and asks for leave. Nothing is sent before."""
    safe_html.message(
        f"With these choices texts leave this machine: the question, and what else the chosen parts work on (prompts, "
        f"documents), are sent to {_listed(hosts)}. Nothing has been sent yet."
    )
    plain = all(safe_html.is_host(host) for host in hosts)
    label = f"Send to {_listed(hosts)}" if plain else "Send to what is named above"
    st.button(label, key="agree", type="primary", icon=":material/send:", on_click=_agree, args=(hosts,))


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _agree(hosts: tuple[str, ...]) -> None:
    st.session_state[AGREED] = {*st.session_state.get(AGREED, set()), *hosts}
    st.session_state[GO] = True
