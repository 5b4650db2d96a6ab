"""An answer as a card: its text, language and origin; a D-RAG answer's argument and claims; steps and timings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.app import ArgumentClaim, ComparedAnswer, argument_claims, claims_csv, is_unsure
from workbench.core import Answer, Evidence, Sections, Step, Translation, Usage, total_usage
from workbench.languages import Detection, language
from workbench.pipeline import Recipe, format_failure, mode
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.page_scripts import ANSWER
from workbench.ui.parts import downloads, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import (
    NOTHING,
    Html,
    anchor_of,
    element,
    escaped,
    first_cited,
    inline,
    joined,
    jump,
    rich,
    rich_block,
    table,
    text_block,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


LONG = 160
"""Number of characters above which an answer is set in a smaller size."""

KINDS = {
    "same": "nothing to translate",
    "exact": "exact match in the translation memory",
    "fuzzy": "near match in the translation memory",
    "gloss": "word for word",
    "mixed": "memory and word for word",
    "model": "translation model",
}
ENDINGS = {
    "stopped": "Stopped: this is only part of the answer.",
    "length": "Cut off: the generator reached its token limit.",
}


def answer_card(answer: Answer, recipe: Recipe, detection: Detection | None = None) -> Html:
    """The complete card: question, answer, notes and how it was produced.

    `detection` is that of the question's language, None where a person selected it.
    """
    failure = format_failure(answer.sections)
    cut_short = answer.generation.finish in ENDINGS
    return element(
        "section",
        _question(answer, detection),
        _answer_text(answer),
        _in_language(answer),
        _translated("Before translation", answer.generation.text, answer.answer_translation),
        text_block(answer.generation.note, css="wb-muted") if answer.generation.note else NOTHING,
        text_block(ENDINGS[answer.generation.finish], "en", "wb-message wb-note") if cut_short else NOTHING,
        text_block(failure, "en", "wb-message wb-note") if failure else NOTHING,
        _facts(answer, recipe),
        css="wb-answer",
        anchor=ANSWER,
    )


def compared_card(compared: ComparedAnswer, count: int) -> Html:
    """One of `count` answers side by side: its text, time and documents, without the question."""
    answer = compared.answer
    failure = format_failure(answer.sections)
    documents = _documents_words(compared) if count > 1 else str(len(answer.evidence))
    chips = [
        *([chip("scope", compared.recipe.scope)] if compared.recipe.mode != "baseline" else []),
        chip("time", time_words(compared.seconds)),
        *([chip("from the cache", f"{compared.steps_from_cache} of {len(answer.steps)} steps")]
          if compared.steps_from_cache else []),
        chip("documents", documents),
    ]  # fmt: skip
    return element(
        "section",
        element("div", escaped(mode(compared.recipe.mode).title), css="wb-column"),
        _answer_text(answer, compared.recipe.mode),
        _in_language(answer),
        text_block(answer.generation.note, css="wb-muted") if answer.generation.note else NOTHING,
        text_block(failure, "en", "wb-message wb-note") if failure else NOTHING,
        element("div", *chips, css="wb-row"),
        css="wb-answer wb-side",
    )


def _documents_words(compared: ComparedAnswer) -> str:
    """How many documents there are, and how many of them another answer has too."""
    count = compared.shared + compared.only_here
    if not count or not compared.only_here:
        return f"{count}, all shared" if count else "0"
    return f"{count}, {compared.shared} shared" if compared.shared else f"{count}, none shared"


def question_line(answer: Answer | None, choice: Choice) -> Html:
    """The question that several answers share, in the language that they were given in."""
    language_code = answer.language if answer is not None else choice.language
    badge = [language_badge(language_code)] if language_code else []
    line = element("div", _label("Question"), *badge, css="wb-row")
    return element("div", line, text_block(choice.question, language_code), anchor=ANSWER)


def presented_card(answer: Answer, name: str = "") -> Html:
    """The answer alone, to be read from afar; `name` is its mode's where several are shown."""
    heading = element("div", escaped(mode(name).title), css="wb-column") if name else NOTHING
    css = "wb-answer wb-side" if name else "wb-answer"
    return element("section", heading, _answer_text(answer, name), _in_language(answer), css=css)


def writing_card(text: str) -> Html:
    """An answer while it is written."""
    line = element("div", _label("Answer"), chip("being written"), css="wb-row")
    return element("section", line, text_block(text, css="wb-said wb-long wb-writing"), css="wb-answer")


def step_line(step: str) -> Html:
    """The step that is running now, in words."""
    return element("div", element("span", css="wb-pulse"), inline(step), css="wb-row wb-muted", role="status")


def part_card(text: str, state: str) -> Html:
    """The part of an answer that is incomplete: `state` is "stopped" by a person, or "failed"."""
    stopped = state == "stopped"
    if not text.strip():
        return text_block("Stopped before the first word.", "en", "wb-message wb-note") if stopped else NOTHING
    ending = text_block(ENDINGS["stopped"], "en", "wb-message wb-note") if stopped else NOTHING
    return element(
        "section", _label("Partial answer"), text_block(text, css="wb-said wb-long"), ending, css="wb-answer"
    )


def translation_line(translation: Translation) -> Html:
    """The two languages, the kind of translation, and how well the translation memory matched."""
    exact = translation.match is None or translation.kind in ("same", "exact")
    match = "" if exact else f"{translation.match:.0%} match"
    pieces = [
        language_badge(translation.source),
        escaped("→"),
        language_badge(translation.target),
        chip(KINDS[translation.kind]),
    ]
    return element("div", *pieces, *([chip(match)] if match else []), css="wb-row")


def time_words(seconds: float) -> str:
    """A time in milliseconds, or in seconds from one second.

    >>> time_words(0.0123), time_words(2.345)
    ('12 ms', '2.3 s')
    """
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{1000 * seconds:,.0f} ms"


def detection_chip(detection: Detection) -> Html:
    """How likely the detected language is, according to the identifier."""
    advice = "; select it if it is wrong" if is_unsure(detection) else ""
    return chip("detected, probability", f"{detection.confidence:.0%}{advice}")


def _question(answer: Answer, detection: Detection | None) -> Html:
    detected = [detection_chip(detection)] if detection is not None else []
    line = element("div", _label("Question"), language_badge(answer.language), *detected, css="wb-row")
    translation = answer.question_translation
    translated = NOTHING
    if translation is not None and translation.kind != "same":
        text = text_block(translation.text, translation.target, "wb-muted")
        translated = joined([translation_line(translation), text])
    return joined([line, text_block(answer.question, answer.language), translated, _searched_with(answer)])


def _searched_with(answer: Answer) -> Html:
    """What the question was expanded to, one query per line; nothing where it was not."""
    expansion = answer.expansion
    if expansion is None:
        return NOTHING
    queries = [text_block(query, expansion.language, "wb-muted") for query in expansion.queries]
    note = [text_block(expansion.note, "en", "wb-muted")] if expansion.note else []
    return joined([_label("Searched with"), *queries, *note])


def notes_card(answer: Answer) -> Html:
    """What the generator read in place of the documents; nothing where it read those."""
    notes = answer.compression
    if notes is None:
        return NOTHING
    ranks = ", ".join(f"[{rank}]" for rank in notes.ranks)
    of = [chip("of the documents", ranks)] if ranks else []
    line = element("div", _label("Notes read by the generator"), language_badge(notes.language), *of, css="wb-row")
    text = [text_block(notes.text, notes.language)] if notes.text else []
    note = [text_block(notes.note, "en", "wb-muted")] if notes.note else []
    return joined([line, *text, *note])


def _answer_text(answer: Answer, column: str = "") -> Html:
    if not answer.text.strip():
        return joined([_label("Answer"), text_block("No answer", "en", "wb-none")])
    code = answer.answer_language
    ending = [chip(answer.generation.finish)] if answer.generation.finish == "stopped" else []
    line = element("div", _label("Answer"), *([language_badge(code)] if code else []), *ending, css="wb-row")
    size = "wb-said wb-long" if len(answer.text) > LONG else "wb-said"
    ranks = [item.rank for item in answer.evidence]
    return joined([line, rich_block(answer.text, code or answer.language, size, ranks, column)])


def _in_language(answer: Answer) -> Html:
    if not answer.text.strip() or answer.answer_language == answer.language:
        return NOTHING
    if not answer.answer_language:
        return text_block("The answer's language could not be identified.", "en", "wb-muted")
    actual, expected = language(answer.answer_language).name, language(answer.language).name
    return text_block(f"The answer is in {actual}; the question was asked in {expected}.", "en", "wb-message wb-note")


def _translated(title: str, before: str, translation: Translation | None) -> Html:
    if translation is None or translation.kind == "same":
        return NOTHING
    text = text_block(before, translation.source, "wb-muted")
    return joined([_label(title), translation_line(translation), text])


def _facts(answer: Answer, recipe: Recipe) -> Html:
    seconds = sum(step.seconds for step in answer.steps)
    cached = sum(step.cached for step in answer.steps)
    besides = total_usage(part.usage for part in (answer.expansion, answer.compression) if part is not None)
    chips = [
        chip("mode", mode(recipe.mode).title),
        *([chip("scope", recipe.scope)] if recipe.mode != "baseline" else []),
        *([chip("prompt", recipe.prompt)] if recipe.mode != "drag" else []),
        *([chip("user turn", "English")] if recipe.user_turn == "en" and recipe.mode != "drag" else []),
        *([chip("neighbours", str(recipe.neighbours))] if recipe.neighbours else []),
        *([chip("least score", f"{recipe.score_threshold:g}")] if recipe.score_threshold is not None else []),
        *([chip("share kept", f"{recipe.score_percentile:g}")] if recipe.score_percentile is not None else []),
        *([chip("at most", f"{recipe.max_new_tokens:,} tokens")] if recipe.max_new_tokens else []),
        chip("time", time_words(seconds)),
        *([chip("tokens", _tokens(answer.generation.usage))] if answer.generation.usage else []),
        *([chip("tokens for queries and notes", _tokens(besides))] if besides else []),
        chip("steps", f"{len(answer.steps)}, {cached} from the cache" if cached else str(len(answer.steps))),
    ]
    return element("div", *chips, css="wb-row")


def _tokens(usage: Usage) -> str:
    counts = f"{usage.prompt_tokens:,} read, {usage.completion_tokens:,} written"
    return f"about {counts}" if usage.estimated else counts


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")


PARTS = (("extraction", "Extraction"), ("explanation", "Explanation"), ("argumentation", "Dialectic argumentation"))


def sections_card(sections: Sections, evidence: Sequence[Evidence] = (), answer: str = "") -> Html:
    """D-RAG's sections before the answer, without those that are missing; repeated ones are named.

    Citations lead to the documents of `evidence`; `answer` distinguishes several answers on one page.
    """
    texts = {name: str(getattr(sections, name)) for name, _ in PARTS}
    languages = {item.rank: item.language for item in evidence}
    shown = [
        element(
            "div",
            element("div", escaped(title), css="wb-label"),
            *(_line(line, languages if name == "extraction" else dict.fromkeys(languages, ""), answer)
              for line in texts[name].splitlines() if line.strip()),
            css="wb-part",
            hue=200 + 60 * index,
        )
        for index, (name, title) in enumerate(PARTS)
        if texts[name]
    ]  # fmt: skip
    repeated = (
        [text_block(f"Repeated sections: {', '.join(sections.repeated)}.", css="wb-muted")] if sections.repeated else []
    )
    return element("div", *shown, *repeated, css="wb-parts")


def draw_claims(answer: Answer) -> None:
    """The argument's claims in a closed expander: what each says, its documents and their languages; with a CSV."""
    rows = argument_claims(answer)
    if not rows:
        return
    with st.expander(f"Claims as a table ({len(rows)})", icon=":material/table:", key="claims"):
        safe_html.show(claims_table(rows))
        downloads.button("Claims (CSV)", claims_csv(rows), "claims.csv", "download_claims")


def claims_table(rows: Sequence[ArgumentClaim]) -> Html:
    """One row per claim, numbered from 1; each document is a link to its card."""
    cells = [
        [
            escaped(number),
            rich_block(claim.text, ranks=claim.ranks),
            joined(piece for rank in claim.ranks for piece in (_document(rank), escaped(" "))),
            element("div", *(language_badge(code) for code in claim.languages), css="wb-row"),
        ]
        for number, claim in enumerate(rows, start=1)
    ]
    return table(["No.", "Claim", "Documents", "Languages"], cells, "wb-stacked")


def _document(rank: int) -> Html:
    return jump(escaped(f"[{rank}]"), anchor_of(rank))


def _line(line: str, languages: Mapping[int, str], answer: str) -> Html:
    """A line of a section. What follows the document that it begins with is isolated, in that document's language."""
    rank, start = first_cited(line)
    if rank not in languages:
        return rich_block(line, ranks=languages, answer=answer)
    head = rich(line[:start], languages, answer)
    rest = element(
        "bdi", rich(line[start:], languages, answer), lang=languages[rank], direction="auto", css="wb-quoted"
    )
    return element("div", head, rest, css="wb-text wb-line")


BAR = 26
"""Pixels per bar."""


def summary(steps: Sequence[Step]) -> str:
    """One line: time, number of steps, and how many came from the cache. Only our words, as it is a label."""
    seconds = sum(step.seconds for step in steps)
    cached = sum(step.cached for step in steps)
    return f"Answered in {1000 * seconds:,.0f} ms, {len(steps)} steps" + (
        f", {cached} from the cache" if cached else ""
    )


def steps_table(steps: Sequence[Step]) -> Html:
    """One row per step, in the order they ran."""
    rows = [
        [
            escaped(step.name),
            escaped(f"{1000 * step.seconds:,.1f}"),
            escaped("cache" if step.cached else "fresh"),
            inline(" · ".join(f"{name}: {value}" for name, value in step.facts.items())),
            inline(step.component, css="wb-muted"),
        ]
        for step in steps
    ]
    return table(["Step", "ms", "Source", "Details", "Component"], rows)


def timings_figure(steps: Sequence[Step]) -> Figure:
    """One bar per step, in milliseconds, in the order they ran; cached steps in a lighter colour."""
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    for cached, name, colour in ((False, "fresh", "#2f7f9f"), (True, "from the cache", "#9dbfcb")):
        selection = [step for step in steps if step.cached is cached]
        if selection:
            figure.add_trace(
                Bar(
                    x=[1000 * step.seconds for step in selection],
                    y=[step.name for step in selection],
                    name=name,
                    orientation="h",
                    marker_color=colour,
                    hovertemplate="%{y}: %{x:.1f} ms<extra></extra>",
                )
            )
    figure.update_yaxes(categoryorder="array", categoryarray=[step.name for step in steps][::-1])
    figure.update_layout(
        title=f"Time per step (n = {len(steps)})",
        xaxis_title="milliseconds",
        height=110 + BAR * len(steps),
        margin={"l": 0, "r": 10, "t": 40, "b": 40},
        bargap=0.35,
    )
    return figure
