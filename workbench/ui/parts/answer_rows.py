"""Answers in a list: a card per question with a row per run, the chosen metric as a bar and a figure on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

import streamlit as st

from workbench.experiments import Instance, run_names
from workbench.languages import language
from workbench.metrics import metric_help, metric_name, scale_of
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import chip, hue, language_badge
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, fragments, inline, joined, table, text_block

EXCERPT = 280
"""Characters of an answer that a row shows."""
GOLDS = 4
"""Gold answers that a question shows."""
WRONG, RIGHT = 0.5, 0.999
"""How good a score must be, from 0 to 1, not to be drawn as wrong, and to be drawn as right."""


def score_bar(metric: str, value: float | None, reason: str = "") -> Html:
    """A score as a bar and a figure, coloured by how good it is; `reason` says why there is none."""
    if value is None:
        return element("span", escaped("unscored"), css="wb-muted", title=reason or metric_name(metric))
    scale = scale_of(metric)
    good = scale.goodness(value)
    kind = "wb-wrong" if good < WRONG else "wb-right" if good >= RIGHT else "wb-half"
    share = (value - scale.low) / (scale.high - scale.low)
    bar = element("span", css=f"wb-bar {kind}", shares=(share,))
    return element("span", bar, element("b", escaped(f"{value:.2f}")), css="wb-score", title=metric_name(metric))


def scores_table(scores: Mapping[str, float | None], reasons: Mapping[str, str]) -> Html:
    """One row per metric: its value, or why there is none, and what it measures."""
    rows = [
        [
            inline(metric_name(name), css="wb-title"),
            escaped("unscored" if value is None else f"{value:.3f}"),
            inline(reasons.get(name) or ("" if value is None else metric_help(name)), css="wb-muted"),
        ]
        for name, value in scores.items()
    ]
    return table(["Metric", "Value", "What it measures"], rows, "wb-stacked")


def question_head(instance: Instance) -> Html:
    """The question of an answer with its language and its gold answers."""
    golds = [inline(gold, instance.language, "wb-chip") for gold in instance.golds[:GOLDS]] or [chip("none")]
    return joined(
        [
            text_block(instance.text, instance.language, "wb-ask"),
            element(
                "div",
                language_badge(instance.language),
                element("span", escaped("gold"), css="wb-label"),
                *golds,
                css="wb-row",
                # Below the question, which begins at the right in Arabic.
                direction=language(instance.language).direction,
            ),
        ]
    )


def answer_row(instance: Instance, name: str, metrics: Sequence[str]) -> Html:
    """An answer in a row: its run's `name`, its text, and its score by each of `metrics`; several are named."""
    if instance.error:
        text = text_block(f"Failed: {instance.error}", "en", "wb-missing")
    else:
        cut = instance.output if len(instance.output) <= EXCERPT else f"{instance.output[:EXCERPT]}…"
        text = text_block(fragments(cut) or "(empty)", instance.answer_language)
    elsewhere = instance.answer_language not in ("", instance.language) and not instance.error
    badge = language_badge(instance.answer_language) if elsewhere else NOTHING
    # A score that is set instead of measured says why, as for an output that breaks the demanded form.
    set_for = {instance.reasons.get(metric, ""): None for metric in metrics if instance.scores.get(metric) is not None}
    notes = [element("div", inline(reason), css="wb-muted") for reason in set_for if reason]
    bars = [
        element(
            "div",
            element("div", escaped(metric_name(metric)), css="wb-muted") if len(metrics) > 1 else NOTHING,
            score_bar(metric, instance.scores.get(metric), instance.reasons.get(metric, "")),
        )
        for metric in metrics
    ]
    return element(
        "div",
        inline(name, css="wb-run-name"),
        element("div", text, badge, *notes, css="wb-run-said"),
        element("div", *bars),
        css="wb-run",
    )


def in_order(
    instances: Sequence[Instance], questions: Sequence[int], metric: str, *, best_first: bool
) -> list[Instance]:
    """Answers in the order of their `questions`, and those to one by how good they are; unscored ones last."""
    sign, goodness = -1 if best_first else 1, scale_of(metric).goodness

    def place(instance: Instance) -> tuple[int, bool, float]:
        value = instance.scores.get(metric)
        return questions.index(instance.question_id), value is None, sign * goodness(value or 0.0)

    return sorted(instances, key=place)


def draw_groups(
    instances: Sequence[Instance],
    metrics: Sequence[str],
    link: Callable[[Instance], None] | None = None,
    ways: Callable[[int, Mapping[int, str]], None] | None = None,
) -> None:
    """A card for each question, in the order of `instances`, which are sorted by question.

    `link` draws what opens an answer, at the end of its row. Or `ways` what opens those of a question, below its rows,
    given the names of their runs by answer: a control for all of them costs a browser much less than one for each.
    """
    names = run_names(list({instance.run.id: instance.run for instance in instances}.values()))
    for question, group in groupby(instances, key=attrgetter("question_id")):
        rows = list(group)
        with st.container(border=True, gap="small", key=f"question_{question}"):
            head = element("div", question_head(rows[0]), css="wb-instance", hue=hue(rows[0].language))
            if ways is not None:
                safe_html.show(joined([head, *(answer_row(row, names[row.run.id], metrics) for row in rows)]))
                ways(question, {row.answer: names[row.run.id] for row in rows})
                continue
            safe_html.show(head)
            for row in rows:
                with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"row_{row.answer}"):
                    safe_html.show(answer_row(row, names[row.run.id], metrics))
                    if link is not None:
                        link(row)
