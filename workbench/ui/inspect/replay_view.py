"""“Change one thing” of an answer: the form, what it may send, the run, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from workbench.experiments import Change, Instance, Reach, Replay, Retrace, as_replay, reach, recipe_of, replay
from workbench.ui.inspect import replay_form, replay_result
from workbench.ui.parts import access, safe_html

RESULT = "inspect_replay"
"""The session's key for the latest replay."""
TITLE = "Change one thing"
WHAT_IT_IS = (
    "Change one thing of this answer and run only what follows: every step before it is kept. Nothing of this is "
    "stored with the results of the experiment."
)
NOTHING_CHANGED = "Nothing is changed yet."
FORM_CHANGED = "The form has changed since this replay was run."
NO_RECIPE = "This answer has no recipe that this version knows, so nothing of it can be run again."


@dataclass(frozen=True, slots=True)
class _Shown:
    """A replay on the screen: of which answer, and of which change; `error` in a sentence where it could not begin."""

    answer: int
    change: Change
    replay: Replay | None
    error: str = ""


def draw(item: Instance, trace: Retrace) -> None:
    """The expander with the form and the latest replay of this answer."""
    with st.expander(TITLE, icon=":material/alt_route:", key="inspect_replay"), access.guarded():
        recipe = recipe_of(item)
        if recipe is None:
            safe_html.message(NO_RECIPE)
            return
        st.caption(WHAT_IT_IS)
        change = replay_form.draw(item, trace, recipe)
        with access.guarded():
            _run_button(item, change)
        shown = _shown(item)
        if shown is None:
            return
        if shown.error:
            safe_html.message(shown.error, "error")
        if shown.replay is not None:
            if change is not None and change != shown.change:
                safe_html.message(FORM_CHANGED)
            replay_result.draw(item, shown.change, as_replay(item, trace), shown.replay)


def _shown(item: Instance) -> _Shown | None:
    """The latest replay where it is of this answer."""
    shown = st.session_state.get(RESULT)
    return shown if isinstance(shown, _Shown) and shown.answer == item.answer else None


def _run_button(item: Instance, change: Change | None) -> None:
    """What the form changes and may send, with the button that runs it. Raises UsageError for a wrong value."""
    limits = Reach((), "") if change is None else reach(access.workbench(), item, change)
    shown, fields = _shown(item), st.empty()
    # A replay that is shown below names its fields there.
    if change is not None and (shown is None or shown.change != change):
        with fields.container():
            safe_html.show(replay_result.fields_line(item, change))
    if limits.hosts:
        model = f", and the model {limits.model} is called" if limits.model else ""
        safe_html.message(
            f"Texts leave this machine: what the steps process (question, prompt, documents) is sent to "
            f"{', '.join(limits.hosts)}{model}. Nothing has been sent yet."
        )
    elif limits.model:
        safe_html.message(f"The model {limits.model} is called on this machine; nothing is sent.")
    plain = all(safe_html.is_host(host) for host in limits.hosts)
    label = "Run what follows"
    if limits.hosts:
        label = f"Send to {', '.join(limits.hosts)} and run" if plain else "Send to the hosts named above and run"
    place = st.empty()
    pressed = st.button(
        label,
        key="inspect_replay_run",
        type="primary",
        icon=":material/play_arrow:",
        disabled=change is None,
        help=NOTHING_CHANGED if change is None else "Runs the changed step and what follows it.",
    )
    if pressed and change is not None:
        fields.empty()
        with place.container():
            _run(item, change)
        place.empty()


def _run(item: Instance, change: Change) -> None:
    """Runs a replay and keeps it, or the sentence for why it could not begin."""

    def fail(sentence: str) -> None:
        st.session_state[RESULT] = _Shown(item.answer, change, None, sentence)

    with access.caught(fail), st.status("Running what follows", type="compact") as status:

        def watch(name: str, number: int, count: int) -> None:
            status.update(label=f"Step {number} of {count}: {name}")

        outcome = replay(access.workbench(), item, change, watch)
        st.session_state[RESULT] = _Shown(item.answer, change, outcome)
