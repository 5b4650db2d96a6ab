"""The instances behind a mark, one page at a time: question, golds, answer, scores and the documents.

One question in all runs of the selected experiments: their answers next to each other, the best score first.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from math import inf

import streamlit as st

from workbench.core import Passage, UsageError, WorkbenchError
from workbench.experiments import (
    Filter,
    Instance,
    answered_in,
    furthest_apart,
    given_in,
    gold_documents,
    of_question,
    question_step,
    run_names,
)
from workbench.metrics import scale_of
from workbench.pipeline import make_recipe
from workbench.ui.ask.ask_state import Choice
from workbench.ui.dashboard import instance_controls, result_frames
from workbench.ui.dashboard.dashboard_state import SESSION, URL_NAMES, DashboardState, Mark, from_mark, mark, narrow
from workbench.ui.parts import access, figure, safe_html
from workbench.ui.parts.badges import chip, hue, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block

RUNS_LIMIT = 100
"""Runs whose answers are shown."""
SCORES = 4
"""Scores of each answer that are shown, the chosen metric first."""


def open_question(question_id: int) -> None:
    """Opens a question in all runs, as a click on a figure would."""
    st.session_state[figure.CLICKED_MARK] = mark(question=question_id)


def draw_question(dashboard: DashboardState, question_id: int) -> int:
    """The question, its golds and a table of its answers; returns how many answers there are."""
    # Whatever else is filtered: every run of the experiments that asked it.
    view = result_frames.result_view(Filter(experiments=dashboard.filter_.experiments))
    conditions = of_question(question_id)
    count = view.count(conditions=conditions)
    answers = view.instances(limit=RUNS_LIMIT, conditions=conditions)
    if not answers:
        safe_html.message("The selected experiments have no answer to this question.")
        return count
    first = answers[0]
    golds = [inline(gold, first.language, "wb-chip") for gold in first.golds] or [chip("none")]
    safe_html.show(
        joined(
            [
                element("div", chip(first.question), language_badge(first.language), css="wb-row"),
                text_block(first.text, first.language, "wb-ask"),
                element("div", element("span", escaped("Gold answers"), css="wb-label"), *golds, css="wb-row"),
            ]
        )
    )
    safe_html.show(answers_table(answers, dashboard.metric, gold_documents(access.workbench(), answers)))
    if count > len(answers):
        safe_html.message(f"The first {len(answers):,} of {count:,} runs.")
    return count


def answers_table(answers: Sequence[Instance], metric: str, golds: Mapping[int, Collection[str]]) -> Html:
    """One row per run with its answer and scores, the best value of `metric` first and those without one last.

    `golds` are the gold ones among the documents, by the answer's number.
    """
    goodness = scale_of(metric).goodness
    titles = run_names([answer.run for answer in answers])
    names = list(dict.fromkeys([metric, *(name for answer in answers for name in answer.scores)]))[:SCORES]

    def place(instance: Instance) -> float:
        value = instance.scores.get(metric)
        return inf if value is None else -goodness(value)

    rows = [
        [
            inline(titles[answer.run.id], css="wb-title"),
            _answer(answer),
            *(escaped(_score(answer, name)) for name in names),
            _document_cell(answer, golds.get(answer.answer, ())),
        ]
        for answer in sorted(answers, key=place)
    ]
    return table(["Run", "Answer", *names, "Documents"], rows, css="wb-stacked")


def _answer(instance: Instance) -> Html:
    if instance.error:
        return element("span", inline(f"Failed: {instance.error}"), css="wb-missing")
    badge = language_badge(instance.answer_language) if instance.answer_language else chip("language not detected")
    return joined([text_block(instance.output or "(empty)", instance.answer_language), badge, *_set_reasons(instance)])


def _set_reasons(instance: Instance) -> list[Html]:
    """Why scores are set instead of measured, as for an output that breaks the demanded form; each reason once."""
    reasons = {instance.reasons.get(name, ""): None for name, value in instance.scores.items() if value is not None}
    return [element("div", inline(reason), css="wb-muted") for reason in reasons if reason]


def _score(instance: Instance, name: str) -> str:
    value = instance.scores.get(name)
    return "–" if value is None else f"{value:.2f}"


def _document_cell(instance: Instance, golds: Collection[str]) -> Html:
    """The languages of the documents in their order, the gold ones marked."""
    words = [f"{code}{' (gold)' if name in golds else ''}" for name, code, _ in instance.passages]
    return escaped(", ".join(words) or "–")


PAGE = 10
UNPERTURBED = "none"
EXCERPT = 420
"""Characters of a document that are shown."""
SEEN = "dash_seen"
"""In the session: the mark and the page that were scrolled to last."""


def draw(dashboard: DashboardState) -> None:
    """A page of the instances behind the open mark, with their controls."""
    mark = from_mark(dashboard.mark)
    filter_ = narrow(dashboard.filter_, mark.filter_)
    with st.container(key="instances"):
        container = st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
        safe_html.show(described(mark))
        count = draw_question(dashboard, mark.question) if mark.question else _list(dashboard, mark, filter_)
        with container:
            st.header(f"Answers ({count:,})", anchor=safe_html.INSTANCES)
            st.button("Close", key="dash_closed", icon=":material/close:", type="tertiary", on_click=_close)
    # Once: a user who then scrolls away is not brought back by the next run.
    if st.session_state.get(SEEN) != (dashboard.mark, dashboard.page):
        st.session_state[SEEN] = (dashboard.mark, dashboard.page)
        safe_html.look_at_instances()


def _list(dashboard: DashboardState, mark: Mark, filter_: Filter) -> int:
    """The cards of a page, and how many instances there are."""
    if not mark.metrics:
        instance_controls.choose(dashboard)
    count, instances = _page(dashboard, filter_, mark, PAGE)
    pages = max(1, -(-count // PAGE))
    if mark.metrics and (every := question_step(result_frames.result_view(filter_), mark.metrics[0])) > 1:
        safe_html.message(f"There are very many answers: only those to one question in {every:,} are searched.")
    if not instances:
        safe_html.message("No answers here: none has such a score, or this page is past the last one.")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        with_texts = st.toggle(
            "Show document texts", key="dash_documents", help="The texts as they are in the corpus now."
        )
        if count:
            first = dashboard.with_(page=1)
            instance_controls.download(lambda: _page(first, filter_, mark, instance_controls.CSV_LIMIT)[1], count)
    texts = _texts(instances) if with_texts else {}
    golds = gold_documents(access.workbench(), instances)
    for instance in instances:
        with st.container(border=True, gap="small", key=f"instance_{instance.answer}"):
            safe_html.show(card(instance, texts, golds[instance.answer]))
            _links(instance)
    if pages > 1:
        with st.container(horizontal=True, vertical_alignment="center", key="instances_pages"):
            st.button(
                "Previous", disabled=dashboard.page <= 1, key="dash_earlier", on_click=_turn, args=(dashboard.page - 1,)
            )
            st.markdown(f"Page {min(dashboard.page, pages):,} of {pages:,}")
            st.button(
                "Next", disabled=dashboard.page >= pages, key="dash_later", on_click=_turn, args=(dashboard.page + 1,)
            )
    return count


def _links(instance: Instance) -> None:
    """What an instance leads to: the same question in all runs, and in Ask."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "All runs of this question",
            key=f"question_of_{instance.answer}",
            icon=":material/view_column:",
            on_click=open_question,
            args=(instance.question_id,),
        )
        st.page_link(
            "pages/inspect.py",
            label="Open in Inspect",
            icon=":material/fact_check:",
            query_params={"experiment": instance.run.experiment_id, "instance": str(instance.answer)},
        )
        if choice := again(instance):
            st.page_link(
                "pages/ask.py",
                label="Open in Ask: exact prompt, steps and timings",
                icon=":material/open_in_new:",
                query_params=choice.to_params(),
            )


def described(mark: Mark) -> Html:
    """What the mark stands for, as chips."""
    chips = [
        chip(URL_NAMES[name], ", ".join(str(value) for value in getattr(mark.filter_, name)))
        for name in URL_NAMES
        if getattr(mark.filter_, name)
    ]
    if mark.document:
        chips.append(chip("given a document in", mark.document))
    if mark.answer is not None:
        chips.append(chip("answered in", mark.answer or "an unknown language"))
    if mark.metrics:
        chips.append(chip("largest disagreement first", " and ".join(mark.metrics)))
    if mark.failed:
        chips.append(chip("failed"))
    if mark.question:
        chips.append(chip("one question", "all runs"))
    return element("div", *chips, css="wb-row")


def card(instance: Instance, texts: Mapping[str, Passage], gold: Collection[str] = ()) -> Html:
    """One instance as a card; `texts` are passages by id, whose texts are shown too, `gold` its gold documents."""
    head = [
        chip(instance.question),
        language_badge(instance.language),
        element("span", inline(instance.run.title), css="wb-muted"),
    ]
    lines = [text_block(instance.text, instance.language, "wb-ask")]
    if instance.error:
        lines.append(element("div", text_block(f"Failed: {instance.error}"), css="wb-message wb-error"))
    else:
        badge = language_badge(instance.answer_language) if instance.answer_language else chip("language not detected")
        lines.append(element("div", element("span", escaped("answer"), css="wb-label"), badge, css="wb-row"))
        lines.append(text_block(instance.output or "(empty)", instance.answer_language, "wb-long"))
    golds = [inline(gold, instance.language, "wb-chip") for gold in instance.golds] or [chip("none")]
    lines.append(element("div", element("span", escaped("Gold answers"), css="wb-label"), *golds, css="wb-row"))
    lines.append(element("div", *_scores(instance), css="wb-row"))
    if instance.passages:
        label = element("span", escaped("documents"), css="wb-label")
        lines.append(element("div", label, *_documents(instance, gold), css="wb-row"))
    for rank, (name, _, _) in enumerate(instance.passages, start=1):
        if name in texts:
            lines.append(_document(rank, texts[name]))
    return element("article", element("header", *head), *lines, css="wb-doc wb-instance", hue=hue(instance.language))


def again(instance: Instance) -> Choice | None:
    """The choice that asks the same again on the Ask screen.

    None for an imported answer, for one whose evidence was perturbed and for one that this version cannot repeat.
    """
    if not instance.run.recipe or instance.run.perturbation != UNPERTURBED:
        return None
    try:
        return Choice(
            question=instance.text,
            language=instance.language,
            recipe=make_recipe(json.loads(instance.run.recipe)),
            submitted=True,
        )
    except (UsageError, ValueError):
        # Written by a version that had other choices.
        return None


def _scores(instance: Instance) -> list[Html]:
    """The scores with why they are set, and after them each metric without one together with the reason."""
    shown = [chip(name, f"{value:.3f}") for name, value in instance.scores.items() if value is not None]
    shown += _set_reasons(instance)
    for name in (name for name, value in instance.scores.items() if value is None):
        reason = element("span", escaped(" "), inline(instance.reasons.get(name, "")), css="wb-muted")
        shown.append(element("span", chip(name, "unscored"), reason))
    return shown


def _documents(instance: Instance, golds: Collection[str]) -> list[Html]:
    return [
        element(
            "span",
            escaped(f"{rank} "),
            inline(name),
            escaped(f" {code}"),
            element("b", escaped(" · gold")) if name in golds else NOTHING,
            css="wb-badge",
            hue=hue(code),
        )
        for rank, (name, code, _) in enumerate(instance.passages, start=1)
    ]


def _document(rank: int, passage: Passage) -> Html:
    text = passage.text if len(passage.text) <= EXCERPT else passage.text[:EXCERPT] + "…"
    head = element("div", escaped(f"{rank} "), inline(passage.title, passage.language, "wb-title"), css="wb-row")
    return element(
        "div", head, text_block(text, passage.language, "wb-muted"), css="wb-part", hue=hue(passage.language)
    )


def _page(dashboard: DashboardState, filter_: Filter, mark: Mark, size: int) -> tuple[int, list[Instance]]:
    view, start = result_frames.result_view(filter_), (dashboard.page - 1) * size
    if mark.metrics:
        return furthest_apart(view, *mark.metrics, start=start, limit=size)
    failed = True if mark.failed else None
    conditions = [*given_in(mark.document), *answered_in(mark.answer), *instance_controls.conditions(dashboard)]
    order = instance_controls.sorting(dashboard)
    count = view.count(failed=failed, conditions=conditions)
    return count, view.instances(start=start, limit=size, failed=failed, conditions=conditions, order=order)


def _texts(instances: Sequence[Instance]) -> dict[str, Passage]:
    """The passages of some instances by id, from their corpora as they are now; missing ones are left out."""
    passages_by_corpus: dict[str, set[str]] = {}
    for instance in instances:
        passages_by_corpus.setdefault(instance.run.corpus, set()).update(name for name, _, _ in instance.passages)
    texts: dict[str, Passage] = {}
    for name, passage_ids in passages_by_corpus.items():
        try:
            corpus = access.workbench().corpus(name)
        except WorkbenchError as error:
            safe_html.message(str(error))
            continue
        rows = corpus.lexical.rows_of(passage_ids)
        texts.update({passage.id: passage for passage in corpus.table.passages(list(rows.values()))})
    return texts


def _turn(page: int) -> None:
    SESSION.change(page=page)


def _close() -> None:
    st.session_state.pop(SEEN, None)
    SESSION.choose("mark", "")


def hint() -> Html:
    """What is shown where no instances are open."""
    text = "Click a point or cell of the figure, or a row of its table, to see the answers behind it."
    return element("div", escaped(text), css="wb-muted")
