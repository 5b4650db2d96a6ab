"""One question under several modes side by side: the answers, their documents, and both as files."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.app import (
    AnswerGroup,
    AnswerProgress,
    ComparedAnswer,
    DocumentUse,
    Workbench,
    checked_question,
    compare,
    comparison_csv,
    comparison_to_json,
    document_uses,
)
from workbench.core import Answer
from workbench.pipeline import Recipe, mode
from workbench.ui.ask import answer_view, documents
from workbench.ui.ask.answer_view import sections_card
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import AGAIN, CHANGED, EVERY, GO, PRESS, Asking, background_answer, may_send
from workbench.ui.parts import downloads, safe_html, signed_in
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.frame import BACKGROUND, stop_background
from workbench.ui.parts.safe_html import Html, anchor_of, element, escaped, inline, jump, table

Pairs = Sequence[tuple[Answer, Recipe]]


def ask(workbench: Workbench, asking: Asking) -> tuple[Choice, tuple[AnswerProgress, ...]] | None:
    """What each mode answered, with the choice that it belongs to; None while there are no answers or they are written.

    Raises UsageError for a question that cannot be answered.
    """
    checked_question(asking.choice.question)
    again = st.session_state.pop(AGAIN, False)
    if not may_send(asking.hosts):
        return None
    group = st.session_state.get(BACKGROUND)
    is_current = isinstance(group, AnswerGroup) and group.choice == asking.choice.to_answer
    if asking.pressed or again or st.session_state.pop(GO, False) or (asking.at_once and not is_current):
        stop_background()
        group = _begin(workbench, asking, cached=not again)
        st.session_state[BACKGROUND] = group
    if not isinstance(group, AnswerGroup):
        safe_html.message(PRESS)
        return None
    if group.choice != asking.choice.to_answer:
        safe_html.message(CHANGED)
    progress = group.progress()
    if _is_running(progress):
        _writing(group)
        return None
    return group.choice, progress


def draw(choice: Choice, progress: Sequence[AnswerProgress]) -> None:
    """The answers in columns, the documents of all, and the files."""
    pairs = answered(choice, progress)
    safe_html.show(answer_view.question_line(pairs[0][0] if pairs else None, choice))
    compared = {item.recipe.mode: item for item in compare(pairs)}
    for column, recipe, item in zip(st.columns(len(progress)), choice.recipes, progress, strict=True):
        with column:
            _column(recipe, item, compared.get(recipe.mode), len(pairs))
    if not pairs:
        return
    uses = document_uses([answer for answer, _ in pairs])
    if uses and len(pairs) > 1:
        shared = sum(use.uses == len(pairs) for use in uses)
        st.header(f"Documents of the {len(pairs)} answers ({len(uses)}, {shared} in all of them)")
        safe_html.show(uses_table(uses, [recipe.mode for _, recipe in pairs]))
    with st.container(horizontal=True, gap="small"):
        downloads.button("Comparison (JSON)", downloads.json_text(comparison_to_json(pairs)), "comparison.json")
        downloads.button("Comparison (CSV)", comparison_csv(pairs), "comparison.csv")


def answered(choice: Choice, progress: Sequence[AnswerProgress]) -> Pairs:
    """The answers that are complete, each with its recipe."""
    together = zip(choice.recipes, progress, strict=True)
    return [(item.answer, recipe) for recipe, item in together if item.answer is not None]


def uses_table(uses: Sequence[DocumentUse], modes: Sequence[str]) -> Html:
    """One row per document: its rank under each mode, which leads to it, or a dash."""
    rows = [
        [
            inline(use.passage.title or use.passage.id, use.passage.language, "wb-title"),
            language_badge(use.passage.language),
            *(_rank(rank, name) for rank, name in zip(use.ranks, modes, strict=True)),
        ]
        for use in uses
    ]
    return table(["Document", "Language", *(mode(name).title for name in modes)], rows)


def _rank(rank: int | None, name: str) -> Html:
    return escaped("–") if rank is None else jump(escaped(f"[{rank}]"), anchor_of(rank, name))


def _begin(workbench: Workbench, asking: Asking, *, cached: bool) -> AnswerGroup[Choice]:
    choice, language = asking.choice, asking.language()
    answers = [background_answer(workbench, choice, recipe, language, cached=cached) for recipe in choice.recipes]
    return AnswerGroup(choice.to_answer, answers)


def _is_running(progress: Sequence[AnswerProgress]) -> bool:
    return any(item.state in ("waiting", "running") for item in progress)


@signed_in.refreshed(EVERY)
def _writing(group: AnswerGroup[Choice]) -> None:
    """The columns while the answers are written, with Stop; redrawn periodically until all have ended."""
    progress = group.progress()
    if not _is_running(progress):
        st.rerun()
    st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=group.stop)
    for column, recipe, item in zip(st.columns(len(progress)), group.choice.recipes, progress, strict=True):
        with column:
            _column(recipe, item, None, 0)


def _column(recipe: Recipe, progress: AnswerProgress, compared: ComparedAnswer | None, count: int) -> None:
    """One mode's column in its present state."""
    if compared is not None:
        answer = compared.answer
        safe_html.show(answer_view.compared_card(compared, count))
        safe_html.show(documents.sources(answer.evidence, recipe.mode))
        if answer.sections:
            with st.expander("How the claims were weighed", key=f"weighed_{recipe.mode}"):
                safe_html.show(sections_card(answer.sections, answer.evidence, recipe.mode))
        return
    safe_html.show(element("div", escaped(mode(recipe.mode).title), css="wb-column"))
    if progress.state in ("waiting", "running"):
        step = "Waiting" if progress.state == "waiting" else "Stopping" if progress.stopping else progress.step
        safe_html.show(answer_view.step_line(step) if progress.answer is None else answer_view.step_line("Done"))
        if progress.text:
            safe_html.show(answer_view.writing_card(progress.text))
    elif progress.answer is not None:
        safe_html.show(answer_view.presented_card(progress.answer))
    elif progress.error:
        safe_html.message(progress.error, "error")
    else:
        safe_html.show(answer_view.part_card(progress.text, progress.state))
