"""Asks one question in every column, one after another in the background, and shows the answers as they come.

The built-in reader answers when a link is opened; a language model, or any component that sends texts away, is called
only when Ask is pressed and a person has agreed to its host. What several columns have in common is done once: each
step is read from the cache where another column took it before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from workbench.app import AnswerGroup, AnswerProgress, SideAnswer, answer_to_json, side_answer
from workbench.pipeline import Recipe
from workbench.ui.ask import asking, model_controls
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import AGAIN, CHANGED, EVERY, GO, PRESS
from workbench.ui.compare import compare_state, side_tables
from workbench.ui.compare.side_tables import What
from workbench.ui.parts import access, downloads, safe_html, signed_in
from workbench.ui.parts.frame import BACKGROUND, stop_background

RUN = "compare_run"
"""The session's key for the latest comparison."""
PRESSED = "compare_pressed"
"""The session's key for the wish to ask now."""
ASK = "pages/ask.py"


@dataclass(frozen=True, slots=True)
class AskColumn:
    """A question in a language under a recipe, with what is known of it; `error`: why it cannot be asked, else ""."""

    name: str
    question: str
    language: str
    recipe: Recipe
    golds: tuple[str, ...] = ()
    gold_passages: tuple[str, ...] = ()
    is_disputed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class CompareRun:
    """Columns with the answers that are being given, or were."""

    columns: tuple[AskColumn, ...]
    group: AnswerGroup[Choice]


def press(recipes: tuple[Recipe, ...] = ()) -> None:
    """Asks in the next run, under `recipes` where some are given: for the callback of a button."""
    question = str(st.session_state.get(compare_state.QUESTION, ""))
    st.session_state[compare_state.SHOWN] = question
    st.session_state[compare_state.FOLD] = False
    st.session_state[PRESSED] = True
    values: dict[str, object] = {"recipes": recipes} if recipes else {}
    if compare_state.SESSION.current.view == "recipes":
        values["name"] = ""  # of the two questions the typed one is the latest
    compare_state.SESSION.change(question=question, submitted=True, **values)


def draw(columns: Sequence[AskColumn], what: What) -> None:
    """The answers of all columns, or what is missing before they can be asked."""
    columns = tuple(columns)
    recipes = list(dict.fromkeys(column.recipe for column in columns))
    if lacking := list(dict.fromkeys(entry for recipe in recipes for entry in access.unready(recipe))):
        model_controls.missing(lacking)
        return
    hosts = tuple(dict.fromkeys(host for recipe in recipes for host in access.check(recipe)))
    at_once = not hosts and not any(recipe.language_models for recipe in recipes)
    if not asking.may_send(hosts):
        return
    run = st.session_state.get(RUN)
    is_current = isinstance(run, CompareRun) and run.columns == columns
    wishes = [bool(st.session_state.pop(name, False)) for name in (PRESSED, GO, AGAIN)]
    if any(wishes) or (at_once and not is_current):
        stop_background()
        run = CompareRun(columns, _group(columns))
        st.session_state[RUN], st.session_state[BACKGROUND] = run, run.group
    if not isinstance(run, CompareRun):
        safe_html.message(PRESS)
        return
    if run.columns != columns:
        safe_html.message(CHANGED)
    progress = run.group.progress()
    if _open(progress):
        _writing(run, what)
        return
    together = list(zip(run.columns, progress, strict=True))
    side_tables.draw([_side(column, item) for column, item in together], what)
    with st.container(horizontal=True, gap="small"):
        full = [answer_to_json(item.answer, column.recipe) for column, item in together if item.answer is not None]
        downloads.button("Answers in full (JSON)", lambda: downloads.json_text(full), "answers.json")
        choices = [(column.name, _choice(column).to_params()) for column in run.columns]
        side_tables.links("Read one on Ask", "article", ASK, choices)


def _group(columns: Sequence[AskColumn]) -> AnswerGroup[Choice]:
    workbench = access.workbench()
    answers = []
    for column in columns:
        choice = _choice(column)
        answer = asking.background_answer(workbench, choice, column.recipe, column.language, cached=True)
        if column.error:
            answer.stop()
        answers.append(answer)
    return AnswerGroup(Choice(question=columns[0].question, submitted=True), answers)


def _choice(column: AskColumn) -> Choice:
    return Choice(question=column.question, language=column.language, recipe=column.recipe, submitted=True)


def _open(progress: Sequence[AnswerProgress]) -> int:
    """How many have not ended yet."""
    return sum(item.state in ("waiting", "running") for item in progress)


@signed_in.refreshed(EVERY)
def _writing(run: CompareRun, what: What) -> None:
    """The answers so far, with Stop; redrawn periodically until all have ended."""
    progress = run.group.progress()
    count = len(progress)
    if not (left := _open(progress)):
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="compare_writing"):
        step = next((item.step for item in progress if item.state == "running"), "Starting")
        st.progress((count - left) / count, text=f"{count - left} of {count} answered. {step}")
        st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=run.group.stop)
    together = zip(run.columns, progress, strict=True)
    waiting = {column.name: item.step if item.state == "running" else "Waiting" for column, item in together
               if item.state in ("waiting", "running")}  # fmt: skip
    sides = [_side(column, item) for column, item in zip(run.columns, progress, strict=True)]
    safe_html.show(side_tables.answers_table(sides, what, waiting))


def _side(column: AskColumn, progress: AnswerProgress) -> SideAnswer:
    if progress.answer is not None:
        golds = (column.golds, column.gold_passages)
        return side_answer(column.name, progress.answer, *golds, is_disputed=column.is_disputed)
    error = column.error or progress.error or "It was stopped before it answered."
    return SideAnswer(column.name, column.language, column.question, golds=column.golds, error=error)
