"""The parts of a stop, drawn from the file alone: question, documents, answer, scores, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core import Evidence, Passage, Sections, Span, Step, Translation
from workbench.experiments import TourDocument, TourStop
from workbench.languages import ENGLISH
from workbench.metrics import metric_help
from workbench.ui.ask import documents
from workbench.ui.ask.argument_view import sections_card
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.rich_text import rich_block
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block

LONG = 160
"""Number of characters above which an answer is set in a smaller size."""


def recorded_mark(stop: TourStop, place: str) -> Html:
    """The line that is always in sight: that this is recorded, when, and under which recipe; `place` is “2 of 8”."""
    words = (
        element("b", escaped("Recorded")),
        escaped(f"on {stop.recorded} with"),
        inline(stop.recipe_title),
        chip(place),
    )
    return element("div", *words, css="wb-recorded wb-row", role="status")


def question_card(stop: TourStop) -> Html:
    """The question in its language."""
    line = element("div", _label("Question"), *_badge(stop.language), css="wb-row")
    return element("section", line, text_block(stop.question, stop.language, "wb-tour-question"), css="wb-tour")


def answer_card(stop: TourStop) -> Html:
    """The answer with its language."""
    line = element("div", _label("Answer"), *_badge(stop.answer_language), css="wb-row")
    if not stop.answer.strip():
        return element("section", line, text_block("No answer", ENGLISH, "wb-none"), css="wb-answer")
    size = "wb-said wb-long" if len(stop.answer) > LONG else "wb-said"
    ranks = [document.rank for document in stop.documents]
    answer = rich_block(stop.answer, stop.answer_language or stop.language, size, ranks)
    return element("section", line, answer, css="wb-answer")


def argument_card(stop: TourStop) -> Html:
    """In D-RAG the parts that lead to the answer; nothing otherwise."""
    if not stop.sections:
        return NOTHING
    return element("section", sections_card(_sections(stop), evidence(stop.documents)), css="wb-answer")


def documents_card(stop: TourStop, *, marked: bool) -> Html:
    """The documents in their order, golds named; `marked`: with what the answer was taken from."""
    spans = [Span(document.rank, *mark) for document in stop.documents for mark in document.marks] if marked else []
    golds = [str(document.rank) for document in stop.documents if document.gold]
    named = [element("div", escaped(f"Gold passages: {', '.join(golds)}"), css="wb-muted")] if golds and marked else []
    return joined([*named, documents.documents_list(evidence(stop.documents), spans)])


def scores_card(stop: TourStop) -> Html:
    """Golds and scores, or that none are known."""
    golds = [inline(gold, stop.language, "wb-chip") for gold in stop.golds] or [chip("none is known")]
    head = element("div", _label("gold"), *golds, css="wb-row")
    if not stop.scores:
        return element("section", head, css="wb-answer")
    rows = [
        [
            inline(score.metric, css="wb-title"),
            escaped("unscored" if score.value is None else f"{score.value:.3f}"),
            inline(score.reason if score.value is None else metric_help(score.metric), css="wb-muted"),
        ]
        for score in stop.scores
    ]
    return element("section", head, table(["Metric", "Value", "What it measures"], rows, "wb-stacked"), css="wb-answer")


def steps(stop: TourStop) -> list[Step]:
    """The steps as they are drawn elsewhere."""
    return [Step(step.name, step.component, step.seconds, step.cached, dict(step.facts)) for step in stop.steps]


def evidence(items: Sequence[TourDocument]) -> list[Evidence]:
    """The documents as they are drawn elsewhere."""
    return [
        Evidence(
            Passage(item.id, item.id, item.title, item.language or ENGLISH, item.text),
            item.rank,
            dict(item.scores),
            Translation(**item.translation.model_dump()) if item.translation else None,
        )
        for item in items
    ]


def _sections(stop: TourStop) -> Sections:
    parts = stop.sections
    return Sections(parts.get("extraction", ""), parts.get("explanation", ""), parts.get("argumentation", ""))


def _badge(code: str) -> list[Html]:
    return [language_badge(code)] if code else [chip("language not known")]


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")
