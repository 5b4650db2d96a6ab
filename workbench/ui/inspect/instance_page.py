"""One instance, complete: question, golds, answer, scores, documents, prompt and steps, between its neighbours.

A compact list leads to the same question in other languages and under other recipes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from workbench.experiments import Beside, Instance, beside, gold_spans, run_names, siblings, stop_of_instance
from workbench.ui.ask import answer_view, documents
from workbench.ui.dashboard import instances_view, result_frames
from workbench.ui.diagnosis import proposal_view
from workbench.ui.inspect import evidence_view, replay_view
from workbench.ui.inspect.inspect_state import SESSION
from workbench.ui.inspect.instance_list import InstanceListing
from workbench.ui.parts import access, folds, safe_html
from workbench.ui.parts.answer_rows import answer_row, score_bar, scores_table
from workbench.ui.parts.badges import chip, language_badge, language_option
from workbench.ui.parts.folds import folded
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, marked_text, text_block
from workbench.ui.tours import tour_list

COMPARE = "pages/compare.py"
ROWS = 30
"""Rows of a list; the comparison has the rest."""


@folded("The same question in other languages and recipes", "view_column", "inspect_siblings")
def draw_siblings(instance: Instance, metric: str) -> None:
    """The lists of the answers next to this one."""
    rows = siblings(result_frames.store(), instance)
    titles = run_names([row.run for row in rows])
    languages, recipes = beside(rows, instance, "languages"), beside(rows, instance, "recipes")
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**In other languages, under the same recipe**")
        _list(instance, languages, [language_option(row.language) for row in languages], "languages", metric)
    with right:
        st.markdown("**Under other recipes, in the same language**")
        _list(instance, recipes, [titles[row.run.id] for row in recipes], "recipes", metric)


def _list(instance: Instance, rows: Sequence[Instance], names: Sequence[str], what: Beside, metric: str) -> None:
    others = [(row, name) for row, name in zip(rows, names, strict=True) if row.answer != instance.answer]
    if not others:
        safe_html.message("There is no other answer of this kind in the experiment.")
        return
    for row, name in others[:ROWS]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"sibling_{row.answer}"):
            _go("Open", row.answer, f"inspect_sibling_{row.answer}", "open_in_full")
            safe_html.show(answer_row(row, name, [metric] if metric else []))
    if len(others) > ROWS:
        safe_html.message(f"The first {ROWS} of {len(others)} are listed.")
    st.page_link(
        COMPARE,
        label=f"Compare these {len(rows)} side by side",
        icon=":material/compare:",
        query_params={"view": what, "instance": str(instance.answer)},
    )


LOOK_AT_IT = """setTimeout(() => {
  const top = document.querySelector('.st-key-inspect_item, .st-key-inspect_ways');
  if (top && top.getBoundingClientRect().top < 40) top.scrollIntoView({block: 'start'});
}, 150)"""
OUTSIDE = "The filters hide this answer from the list."


def draw(instance: Instance, rows: InstanceListing) -> None:
    """The instance with the ways to its neighbours in `rows` and back to the list."""
    _ways(instance, rows)
    in_english = evidence_view.reads_english()
    safe_html.show(question_card(instance, english=in_english))
    metric = rows.metric
    score = score_bar(metric, instance.scores.get(metric), instance.reasons.get(metric, "")) if metric else NOTHING
    safe_html.show(answer_card(instance, english=in_english, score=score))
    _links(instance)
    with access.guarded():
        proposal_view.draw(instance)
    if instance.scores:
        title, scores = f"All scores ({len(instance.scores)})", partial(scores_table, instance.scores, instance.reasons)
        folds.draw(title, "scoreboard", "inspect_scores", lambda: safe_html.show(scores()))
    draw_siblings(instance, rows.metric)
    trace = evidence_view.trace_of(instance)
    st.header(f"Documents ({len(trace.evidence or instance.passages)})", help=documents.SCORES)
    if trace.note:
        safe_html.message(trace.note)
    evidence_view.draw(instance, trace.evidence, instance.gold_passages, in_english=in_english)
    replay_view.draw(instance, trace)
    answer_view.draw_making(trace.prompt, trace.steps)
    show_beginning(instance.answer)


def show_beginning(number: int) -> None:
    """Shows what is read from its beginning where the page was scrolled down; `number` differs from one to the next."""
    safe_html.run_script(LOOK_AT_IT, number)


def question_card(instance: Instance, *, english: bool, blind: bool = False) -> Html:
    """The question with its golds; where `blind` without the names of the run and the question."""
    names = [] if blind else [chip(instance.question), _run_name(instance)]
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


def _ways(instance: Instance, rows: InstanceListing) -> None:
    place, before, after = rows.around(instance)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="inspect_ways"):
        _go("List", 0, "inspect_list", "list")
        _go("Previous", before, "inspect_previous", "chevron_left", disabled=not before)
        st.markdown(f"Question {place:,} of {len(rows.questions):,}" if place else OUTSIDE, width="content")
        _go("Next", after, "inspect_next", "chevron_right", disabled=not after)


def _go(label: str, instance: int, key: str, icon: str, *, disabled: bool = False) -> None:
    go = partial(SESSION.change, instance=instance)
    st.button(label, key=key, icon=f":material/{icon}:", disabled=disabled, on_click=go)


def _links(instance: Instance) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if choice := instances_view.again(instance):
            params, icon = choice.to_params(), ":material/open_in_new:"
            st.page_link("pages/ask.py", label="Open in Ask", icon=icon, query_params=params)
        tour_list.draw_adding(partial(stop_of_instance, access.workbench(), instance), "inspect")


def _run_name(instance: Instance) -> Html:
    """The run in words, and its choices as they are typed, on demand."""
    name = run_names([instance.run])[instance.run.id]
    return element("span", escaped(name), css="wb-muted", title=instance.run.title)


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")
