"""The instances behind a mark, a page at a time: question, golds, answer, scores and the documents handed over."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import UsageError, WorkbenchError
from workbench.recipes.recipe import make_recipe
from workbench.records import Passage
from workbench.results.filters import Filter, answered_in, given_in
from workbench.results.metric_agreement import furthest_apart, question_step
from workbench.results.queries.instances import Instance
from workbench.ui.ask import ask_url
from workbench.ui.ask.ask_url import Choice
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import SINGULAR, DashboardState, Mark, from_mark, narrowed
from workbench.ui.shared import access, safe_html
from workbench.ui.shared.badges import chip, hue, language_badge
from workbench.ui.shared.safe_html import NOTHING, Html, element, escaped, inline, text_block

PAGE = 10
UNPERTURBED = "none"
EXCERPT = 420
"""Characters of a document that are shown."""
CLOSED = "dash_closed"
TURNED = "dash_turned"
SEEN = "dash_seen"
"""In the session: the mark and the page that were scrolled to last."""


def draw(look: DashboardState) -> None:
    """The instances of the look's mark, with what closes them and turns their pages."""
    marked = from_mark(look.mark)
    chosen = narrowed(look.chosen, marked.chosen)
    count, found = _page(chosen, marked, look.page)
    pages = max(1, -(-count // PAGE))
    with st.container(key="instances"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.header(f"Instances ({count:,})", anchor=safe_html.INSTANCES)
            st.button("Close", key=CLOSED, icon=":material/close:", type="tertiary")
        safe_html.show(described(marked))
        if marked.apart and (every := question_step(result_frames.view(chosen), marked.apart[0])) > 1:
            safe_html.message(f"There are very many answers: those to one question in {every:,} are looked through.")
        if not found:
            safe_html.message(
                "There is no instance here: the results have changed, or the page lies beyond the last one."
            )
        beside = st.toggle("The documents' text", key="dash_documents", help="As the corpus holds it now.")
        texts = _texts(found) if beside else {}
        for item in found:
            with st.container(border=True, gap="small", key=f"instance_{item.answer}"):
                safe_html.show(card(item, texts))
                if choice := again(item):
                    st.page_link(
                        "pages/ask.py",
                        label="Open in Ask: the exact prompt, steps and timings",
                        icon=":material/open_in_new:",
                        query_params=ask_url.to_params(choice),
                    )
        if pages > 1:
            with st.container(horizontal=True, vertical_alignment="center", key="instances_pages"):
                st.button("Earlier", disabled=look.page <= 1, key="dash_earlier", on_click=_turn, args=(-1,))
                st.markdown(f"Page {min(look.page, pages):,} of {pages:,}")
                st.button("Later", disabled=look.page >= pages, key="dash_later", on_click=_turn, args=(1,))
    # Once: whoever then scrolls away is not brought back by the next run.
    if st.session_state.get(SEEN) != (look.mark, look.page):
        st.session_state[SEEN] = (look.mark, look.page)
        safe_html.look_at_instances()


def described(marked: Mark) -> Html:
    """What the mark stands for, as chips."""
    chips = [
        chip(SINGULAR[name], ", ".join(str(value) for value in getattr(marked.chosen, name)))
        for name in SINGULAR
        if getattr(marked.chosen, name)
    ]
    if marked.document:
        chips.append(chip("given a document in", marked.document))
    if marked.answer is not None:
        chips.append(chip("answered in", marked.answer or "a language not detected"))
    if marked.apart:
        chips.append(chip("apart, the furthest first", " and ".join(marked.apart)))
    if marked.failed:
        chips.append(chip("failed"))
    return element("div", *chips, css="wb-row")


def card(item: Instance, texts: Mapping[str, Passage]) -> Html:
    """One instance."""
    head = [chip(item.question), language_badge(item.language), element("span", inline(item.run.title), css="wb-muted")]
    lines = [text_block(item.text, item.language, "wb-ask")]
    if item.error:
        lines.append(element("div", text_block(f"Failed: {item.error}"), css="wb-message wb-error"))
    else:
        badge = language_badge(item.answer_language) if item.answer_language else chip("language not detected")
        lines.append(element("div", element("span", escaped("answer"), css="wb-label"), badge, css="wb-row"))
        lines.append(text_block(item.output or "(nothing)", item.answer_language, "wb-long"))
    golds = [inline(gold, item.language, "wb-chip") for gold in item.golds] or [chip("none")]
    lines.append(element("div", element("span", escaped("gold"), css="wb-label"), *golds, css="wb-row"))
    lines.append(element("div", *_scores(item), css="wb-row"))
    if item.passages:
        lines.append(
            element("div", element("span", escaped("documents"), css="wb-label"), *_documents(item), css="wb-row")
        )
    for rank, (name, _, _) in enumerate(item.passages, start=1):
        if name in texts:
            lines.append(_document(rank, texts[name]))
    return element("article", element("header", *head), *lines, css="wb-doc wb-instance", hue=hue(item.language))


def again(item: Instance) -> Choice | None:
    """What asks the same again on the Ask screen; None where that cannot: an answer from elsewhere, or one to evidence
    that was perturbed.
    """
    if not item.run.recipe or item.run.perturbation != UNPERTURBED:
        return None
    try:
        return Choice(item.text, item.language, make_recipe(json.loads(item.run.recipe)), submitted=True)
    except (UsageError, ValueError):
        # Written by a version that had other choices.
        return None


def _scores(item: Instance) -> list[Html]:
    shown = []
    for name, value in item.scores.items():
        told = "unscored" if value is None else f"{value:.3f}"
        shown.append(chip(name, told))
        if value is None and item.reasons.get(name):
            shown.append(element("span", inline(item.reasons[name]), css="wb-muted"))
    return shown


def _documents(item: Instance) -> list[Html]:
    return [
        element(
            "span",
            escaped(f"{rank} "),
            inline(name),
            escaped(f" {code}"),
            element("b", escaped(" · gold")) if name in item.gold_passages else NOTHING,
            css="wb-badge",
            hue=hue(code),
        )
        for rank, (name, code, _) in enumerate(item.passages, start=1)
    ]


def _document(rank: int, passage: Passage) -> Html:
    text = passage.text if len(passage.text) <= EXCERPT else passage.text[:EXCERPT] + "…"
    head = element("div", escaped(f"{rank} "), inline(passage.title, passage.language, "wb-title"), css="wb-row")
    return element(
        "div", head, text_block(text, passage.language, "wb-muted"), css="wb-part", hue=hue(passage.language)
    )


def _page(chosen: Filter, marked: Mark, page: int) -> tuple[int, list[Instance]]:
    view, start = result_frames.view(chosen), (page - 1) * PAGE
    if marked.apart:
        return furthest_apart(view, *marked.apart, start=start, limit=PAGE)
    failed = True if marked.failed else None
    conditions = [*given_in(marked.document), *answered_in(marked.answer)]
    count = view.count(failed=failed, conditions=conditions)
    return count, view.instances(start=start, limit=PAGE, failed=failed, conditions=conditions)


def _texts(found: Sequence[Instance]) -> dict[str, Passage]:
    """The passages of some instances by id, from their corpora as they are now; what is gone is left out."""
    wanted: dict[str, set[str]] = {}
    for item in found:
        wanted.setdefault(item.run.corpus, set()).update(name for name, _, _ in item.passages)
    texts: dict[str, Passage] = {}
    for corpus, names in wanted.items():
        try:
            held = access.workbench().corpus(corpus)
        except WorkbenchError as error:
            safe_html.message(str(error))
            continue
        rows = held.lexical.rows_of(names)
        texts.update({item.id: item for item in held.table.passages(list(rows.values()))})
    return texts


def _turn(by: int) -> None:
    st.session_state[TURNED] = by


def turned(look: DashboardState) -> DashboardState:
    """The look after the buttons pressed just now."""
    if st.session_state.pop(CLOSED, False):
        st.session_state.pop(SEEN, None)
        return replace(look, mark="", page=1)
    by = st.session_state.pop(TURNED, 0)
    return replace(look, page=max(1, look.page + by)) if by else look


def none_open() -> Html:
    """What stands where no instances are open."""
    return element(
        "div", escaped("Click a mark of the figure, or a row of its table, to open its instances."), css="wb-muted"
    )
