"""One instance, complete: question, golds, answer, scores, documents, prompt and steps, between its neighbours.

A compact list leads to the same question in other languages and under other recipes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from workbench.experiments import Beside, Instance, beside, gold_spans, run_names, siblings, stop_of_instance
from workbench.metrics import metric_help, metric_name
from workbench.ui.ask import answer_view, documents
from workbench.ui.dashboard import instances_view, result_frames
from workbench.ui.diagnosis import proposal_view
from workbench.ui.inspect import evidence_view, replay_view
from workbench.ui.inspect.inspect_state import SESSION
from workbench.ui.inspect.instance_list import InstanceListing
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.answer_rows import score_bar
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, marked_text, table, text_block
from workbench.ui.tours import tour_list

COMPARE = "pages/compare.py"
EXCERPT = 90
"""Characters of an answer in a row."""
ROWS = 30
"""Rows of a list; the comparison has the rest."""


def draw_siblings(instance: Instance, metric: str) -> None:
    """The lists in a closed expander, read only while it is open."""
    opened = st.expander(
        "The same question in other languages and recipes",
        icon=":material/view_column:",
        key="inspect_siblings",
        on_change="rerun",
    )
    if not opened.open:
        return
    with opened:
        rows = siblings(result_frames.store(), instance)
        titles = run_names([row.run for row in rows])
        languages, recipes = beside(rows, instance, "languages"), beside(rows, instance, "recipes")
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown("**In other languages, under the same recipe**")
            _list(instance, languages, [language_badge(row.language) for row in languages], "languages", metric)
        with right:
            st.markdown("**Under other recipes, in the same language**")
            _list(instance, recipes, [inline(titles[row.run.id]) for row in recipes], "recipes", metric)


def _list(instance: Instance, rows: Sequence[Instance], names: Sequence[Html], what: Beside, metric: str) -> None:
    others = [(row, name) for row, name in zip(rows, names, strict=True) if row.answer != instance.answer]
    if not others:
        safe_html.message("There is no other answer of this kind in the experiment.")
        return
    for row, name in others[:ROWS]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"sibling_{row.answer}"):
            st.button(
                "Open",
                key=f"inspect_sibling_{row.answer}",
                type="tertiary",
                icon=":material/open_in_full:",
                on_click=SESSION.change,
                kwargs={"instance": row.answer},
            )
            safe_html.show(element("div", name, _score(row, metric), _excerpt(row), css="wb-row wb-sibling"))
    if len(others) > ROWS:
        safe_html.message(f"The first {ROWS} of {len(others)} are listed.")
    st.page_link(
        COMPARE,
        label=f"Compare these {len(rows)} side by side",
        icon=":material/compare:",
        query_params={"view": what, "instance": str(instance.answer)},
    )


def _score(row: Instance, metric: str) -> Html:
    """The chosen metric's value as a bar; nothing where there is no metric."""
    return score_bar(metric, row.scores.get(metric), row.reasons.get(metric, "")) if metric else NOTHING


def _excerpt(row: Instance) -> Html:
    if row.error:
        return element("span", escaped("failed"), css="wb-missing")
    text = row.output if len(row.output) <= EXCERPT else row.output[:EXCERPT] + "…"
    return inline(text or "(empty)", row.answer_language)


OUTSIDE = "The filters hide this answer from the list."


def draw(instance: Instance, rows: InstanceListing) -> None:
    """The instance with the ways to its neighbours in `rows` and back to the list."""
    _ways(instance, rows)
    in_english = evidence_view.reads_english()
    safe_html.show(question_card(instance, english=in_english))
    safe_html.show(answer_card(instance, english=in_english, score=_score(instance, rows.metric)))
    _links(instance)
    with access.guarded():
        proposal_view.draw(instance)
    if instance.scores:
        with st.expander(
            f"All scores ({len(instance.scores)})",
            icon=":material/scoreboard:",
            key="inspect_scores",
            on_change="rerun",
        ) as fold:
            if fold.open:
                safe_html.show(scores_table(instance))
    draw_siblings(instance, rows.metric)
    trace = evidence_view.trace_of(instance)
    st.header(f"Documents ({len(trace.evidence or instance.passages)})", help=documents.SCORES)
    if trace.note:
        safe_html.message(trace.note)
    evidence_view.draw(instance, trace.evidence, instance.gold_passages, in_english=in_english)
    replay_view.draw(instance, trace)
    if trace.prompt is not None:
        with st.expander("Exact prompt", icon=":material/chat:", key="inspect_prompt"):
            st.caption("System")
            safe_html.source(trace.prompt.system)
            st.caption("User")
            safe_html.source(trace.prompt.user)
    if trace.steps:
        with st.expander("Steps and timings", icon=":material/timer:", key="inspect_steps"):
            safe_html.show(answer_view.steps_table(trace.steps))


def question_card(instance: Instance, *, english: bool, blind: bool = False) -> Html:
    """The question with its golds; where `blind` without the names of the run and the question."""
    names = [] if blind else [chip(instance.question), inline(instance.run.title, css="wb-muted")]
    golds = [inline(gold, instance.language, "wb-chip") for gold in instance.golds] or [chip("none")]
    return element(
        "section",
        element("div", _label("Question"), language_badge(instance.language), *names, css="wb-row"),
        text_block(instance.text, instance.language, "wb-said wb-long"),
        evidence_view.english(instance.text, instance.language) if english else NOTHING,
        element("div", _label("Gold answers"), *golds, css="wb-row"),
        css="wb-answer",
    )


def answer_card(instance: Instance, *, english: bool, score: Html = NOTHING) -> Html:
    """The answer with what matches a gold marked, or why there is none; and its `score`."""
    code = instance.answer_language
    badge = language_badge(code) if code else chip("language not detected")
    if instance.error:
        inside = text_block(f"Failed: {instance.error}", "en", "wb-message wb-error")
    elif not instance.output.strip():
        inside = text_block("No answer", "en", "wb-none")
    else:
        spans = () if instance.is_format_failure else gold_spans(instance.output, instance.golds, instance.language)
        answer = marked_text(instance.output, spans, code or instance.language, "wb-said wb-long")
        inside = joined([answer, evidence_view.english(instance.output, code) if english else NOTHING])
    return element("section", element("div", _label("Answer"), badge, score, css="wb-row"), inside, css="wb-answer")


def scores_table(instance: Instance) -> Html:
    """One row per metric: its value, or why there is none, and what it measures."""
    rows = [
        [
            inline(metric_name(name), css="wb-title"),
            escaped("unscored" if value is None else f"{value:.3f}"),
            inline(instance.reasons.get(name) or ("" if value is None else metric_help(name)), css="wb-muted"),
        ]
        for name, value in instance.scores.items()
    ]
    return table(["Metric", "Value", "What it measures"], rows, "wb-stacked")


def _ways(instance: Instance, rows: InstanceListing) -> None:
    place, before, after = rows.around(instance)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="inspect_ways"):
        _go("Back to the list", 0, "inspect_list", ":material/list:", disabled=False)
        _go("Previous", before, "inspect_previous", ":material/chevron_left:", disabled=not before)
        st.markdown(f"Question {place:,} of {len(rows.questions):,}" if place else OUTSIDE)
        _go("Next", after, "inspect_next", ":material/chevron_right:", disabled=not after)


def _go(label: str, instance: int, key: str, icon: str, *, disabled: bool) -> None:
    st.button(
        label,
        key=key,
        icon=icon,
        disabled=disabled,
        on_click=SESSION.change,
        kwargs={"instance": instance},
    )


def _links(instance: Instance) -> None:
    if choice := instances_view.again(instance):
        st.page_link(
            "pages/ask.py",
            label="Open in Ask",
            icon=":material/open_in_new:",
            query_params=choice.to_params(),
        )
    tour_list.draw_adding(partial(stop_of_instance, access.workbench(), instance), "inspect")


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")
