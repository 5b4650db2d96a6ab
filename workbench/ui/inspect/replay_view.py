"""“Change one thing” of an answer: the form, what it may send, the run, and the result beside the former answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from workbench.experiments import (
    Change,
    Difference,
    Instance,
    PieceKind,
    Reach,
    Replay,
    ReplayedStep,
    ReplayStatus,
    Retrace,
    as_replay,
    difference,
    reach,
    recipe_changes,
    recipe_of,
    replay,
    replay_to_json,
)
from workbench.metrics import Score, metric_name
from workbench.pipeline import field_title
from workbench.ui.ask import answer_view, documents
from workbench.ui.inspect import replay_form
from workbench.ui.parts import access, downloads, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, Tag, element, escaped, inline, joined, table, text_block

STATUS_WORDS: Mapping[ReplayStatus, tuple[str, str]] = {
    "kept": ("kept", "wb-idle"),
    "run": ("run", "wb-ready"),
    "run again": ("run again: no longer in the cache", "wb-missing"),
    "skipped": ("not needed", "wb-idle"),
}
"""The words for what became of a step, and their style."""
FROM_CACHE = "run before, from the cache"
MARKS: Mapping[PieceKind, Tag] = {"removed": "del", "added": "ins"}


def draw_result(instance: Instance, change: Change, before: Replay, after: Replay) -> None:
    """The result of a replay, top to bottom, with the file of it."""
    delta = difference(before, after)
    safe_html.show(change_line(instance, change))
    safe_html.show(steps_line(after))
    if after.note:
        safe_html.message(after.note)
    if after.failure:
        safe_html.message(f"The replay failed: {after.failure}", "error")
    else:
        safe_html.show(answers(before, after, delta))
    safe_html.show(documents_table(before, after, delta))
    if not after.failure:
        safe_html.show(scores_table(delta))
    safe_html.show(steps_table(after))
    if st.toggle("Show the documents and the prompt of the replay", key=f"inspect_replay_texts_{instance.answer}"):
        safe_html.show(documents.documents_list(after.evidence, ()))
        if after.prompt is not None:
            answer_view.draw_prompt(after.prompt.system, after.prompt.user)
    downloads.button(
        "Replay (JSON)",
        downloads.json_text(replay_to_json(instance, change, before, after)),
        "replay.json",
        "inspect_replay_json",
        help="The change, both answers with documents, prompts and steps, and what differs.",
    )


def fields_line(instance: Instance, change: Change) -> Html:
    """The fields of the recipe that a change reaches; nothing where it is one, which the form shows."""
    fields = _fields(instance, change)
    return element("div", *fields, css="wb-row") if len(fields) > 1 else NOTHING


def change_line(instance: Instance, change: Change) -> Html:
    """What was changed, as chips: each field of the recipe with its value before and after."""
    chips = _fields(instance, change)
    chips += [] if change.evidence is None else [chip("documents", "changed")]
    chips += [] if change.question is None else [chip("question", change.question)]
    return element("div", element("span", escaped("Changed"), css="wb-label"), *chips, css="wb-row")


def _fields(instance: Instance, change: Change) -> list[Html]:
    return [
        chip(field_title(name), f"{before or 'default'} → {after or 'default'}")
        for name, before, after in recipe_changes(instance, change)
    ]


def steps_line(after: Replay) -> Html:
    """The steps in order as chips: kept, run or not needed."""
    chips = [chip(step.name, STATUS_WORDS[step.status][0].partition(":")[0]) for step in after.steps]
    return element("div", element("span", escaped("Steps"), css="wb-label"), *chips, css="wb-row")


def answers(before: Replay, after: Replay, delta: Difference) -> Html:
    """Both answers side by side, with the words that left and came marked."""
    if delta.same_answer:
        note = text_block("The answer is the same, word for word.", "en", "wb-muted")
        return element(
            "section", _head("Before and after", after), note, _answer(after, delta, "added"), css="wb-answer"
        )
    left = element("section", _head("Before", before), _answer(before, delta, "removed"), css="wb-answer wb-side")
    right = element("section", _head("After", after), _answer(after, delta, "added"), css="wb-answer wb-side")
    return element("div", left, right, css="wb-two")


def _head(title: str, side: Replay) -> Html:
    code = side.answer_language
    badge = language_badge(code) if code else chip("language not detected")
    return element("div", element("span", escaped(title), css="wb-label"), badge, css="wb-row")


def _answer(side: Replay, delta: Difference, kind: PieceKind) -> Html:
    if side.failure:
        return text_block(f"Failed: {side.failure}", "en", "wb-missing")
    if not side.answer.strip():
        return text_block("No answer", "en", "wb-none")
    inside = [
        escaped(piece.text) if piece.kind == "same" else element(MARKS[kind], escaped(piece.text))
        for piece in delta.answer
        if piece.kind in ("same", kind)
    ]
    return element("div", *inside, css="wb-text wb-long", lang=side.answer_language, direction="auto")


def documents_table(before: Replay, after: Replay, delta: Difference) -> Html:
    """The documents that left, came, moved or were edited, with their ranks before and after."""
    if delta.same_documents:
        return text_block(f"Documents: the same {len(after.evidence)} in the same order.", "en", "wb-muted")
    ranks = {item.passage.id: item.rank for item in before.evidence}
    rows = [("left", item, str(item.rank), "") for item in delta.left]
    rows += [("came", item, "", str(item.rank)) for item in delta.came]
    rows += [("moved", item.document, str(item.before), str(item.after)) for item in delta.moved]
    rows += [("edited", item, str(ranks[item.passage.id]), str(item.rank)) for item in delta.edited]
    cells = [
        [
            chip(word),
            inline(item.passage.title or item.passage.id, item.passage.language, "wb-title"),
            language_badge(item.passage.language),
            _cell("before ", old),
            _cell("after ", new),
        ]
        for word, item, old, new in rows
    ]
    return table(["Document", "Title", "Language", "Rank before", "Rank after"], cells, "wb-stacked")


def scores_table(delta: Difference) -> Html:
    """One row per metric that differs, before and after, and the names of the others."""
    same = [metric_name(score.metric) for score in delta.scores if score.before == score.after]
    rows = [
        [
            inline(metric_name(score.metric), css="wb-title"),
            _score("before ", score.before),
            _score("after ", score.after),
            escaped("" if score.gain is None else f"{score.gain:+.3f}"),
        ]
        for score in delta.scores
        if score.before != score.after
    ]
    line = text_block(f"Scores that are the same: {', '.join(same)}.", "en", "wb-muted") if same else NOTHING
    return joined([table(["Metric", "Before", "After", "Change"], rows, "wb-stacked") if rows else NOTHING, line])


def _score(word: str, score: Score) -> Html:
    if score.value is not None:
        return _cell(word, f"{score.value:.3f}")
    return element("span", _cell(word, "unscored"), escaped(" "), inline(score.reason, css="wb-muted"))


def _cell(word: str, value: str) -> Html:
    """A value, on a phone with the word that a stacked table has no head for."""
    return element("span", element("span", escaped(word), css="wb-phone"), escaped(value or "–"))


def steps_table(after: Replay) -> Html:
    """One row per step: whether it was kept or run, its time and its details."""
    rows = [
        [
            escaped(step.name),
            _status(step),
            element("span", escaped(_milliseconds(step)), css="wb-once"),
            inline(" · ".join(f"{name}: {value}" for name, value in step.facts.items())),
        ]
        for step in after.steps
    ]
    return table(["Step", "What happened", "Time", "Details"], rows, "wb-stacked")


def _milliseconds(step: ReplayedStep) -> str:
    return "" if step.status == "skipped" else f"{1000 * step.seconds:,.1f} ms"


def _status(step: ReplayedStep) -> Html:
    words, css = STATUS_WORDS[step.status]
    return inline(FROM_CACHE if step.status == "run" and step.cached else words, css=css)


RESULT = "inspect_replay"
"""The session's key for the latest replay."""
TITLE = "Change one thing"
WHAT_IT_IS = (
    "Change one thing about this answer and run only the steps after it; every earlier step is kept. Nothing is stored "
    "with the results of the experiment."
)
NOTHING_CHANGED = "Nothing is changed yet."
FORM_CHANGED = "The form has changed since this replay was run."
NO_RECIPE = "This version cannot read the recipe of this answer, so nothing can be run again."


@dataclass(frozen=True, slots=True)
class _Shown:
    """A replay on the screen: of which answer, and of which change; `error` in a sentence where it could not begin."""

    answer: int
    change: Change
    replay: Replay | None
    error: str = ""


def draw(instance: Instance, trace: Retrace) -> None:
    """The expander with the form and the latest replay of this answer."""
    with st.expander(TITLE, icon=":material/alt_route:", key="inspect_replay"), access.guarded():
        recipe = recipe_of(instance)
        if recipe is None:
            safe_html.message(NO_RECIPE)
            return
        st.caption(WHAT_IT_IS)
        change = replay_form.draw(instance, trace, recipe)
        with access.guarded():
            _run_button(instance, change)
        shown = _shown(instance)
        if shown is None:
            return
        if shown.error:
            safe_html.message(shown.error, "error")
        if shown.replay is not None:
            if change is not None and change != shown.change:
                safe_html.message(FORM_CHANGED)
            draw_result(instance, shown.change, as_replay(instance, trace), shown.replay)


def _shown(instance: Instance) -> _Shown | None:
    """The latest replay where it is of this answer."""
    shown = st.session_state.get(RESULT)
    return shown if isinstance(shown, _Shown) and shown.answer == instance.answer else None


def _run_button(instance: Instance, change: Change | None) -> None:
    """What the form changes and may send, with the button that runs it. Raises UsageError for a wrong value."""
    limits = Reach((), "") if change is None else reach(access.workbench(), instance, change)
    shown, fields = _shown(instance), st.empty()
    # A replay that is shown below names its fields there.
    if change is not None and (shown is None or shown.change != change):
        with fields.container():
            safe_html.show(fields_line(instance, change))
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
    placeholder = st.empty()
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
        with placeholder.container():
            _run(instance, change)
        placeholder.empty()


def _run(instance: Instance, change: Change) -> None:
    """Runs a replay and keeps it, or the sentence for why it could not begin."""

    def fail(sentence: str) -> None:
        st.session_state[RESULT] = _Shown(instance.answer, change, None, sentence)

    with access.caught(fail), st.status("Running what follows", type="compact") as status:

        def watch(name: str, number: int, count: int) -> None:
            status.update(label=f"Step {number} of {count}: {name}")

        outcome = replay(access.workbench(), instance, change, watch)
        st.session_state[RESULT] = _Shown(instance.answer, change, outcome)
