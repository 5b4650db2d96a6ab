"""The answer as a card: what was said, in which language, how it came about; D-RAG's parts as parts."""

from __future__ import annotations

from workbench.languages import language
from workbench.recipes.mode import mode
from workbench.recipes.recipe import Recipe
from workbench.records import Answer, Sections, Translation, Usage
from workbench.ui.shared.badges import chip, language_badge
from workbench.ui.shared.safe_html import NOTHING, Html, element, escaped, inline, joined, text_block

LONG = 160
"""Characters from which an answer is set smaller."""

KINDS = {
    "same": "nothing to translate",
    "exact": "exact match in the translation memory",
    "fuzzy": "near match in the translation memory",
    "gloss": "word for word",
    "mixed": "memory and word for word",
    "model": "translation model",
}
ENDINGS = {
    "stopped": "Stopped: this is the part of the answer that came.",
    "length": "Cut off: the generator met its limit of tokens.",
}
PARTS = (("extraction", "Extraction"), ("explanation", "Explanation"), ("argumentation", "Dialectic argumentation"))


def answer_card(answer: Answer, recipe: Recipe) -> Html:
    """The whole card."""
    cut_short = answer.generation.finish in ENDINGS
    return element(
        "section",
        _asked(answer),
        _said(answer),
        _in_language(answer),
        _translated("Before translation", answer.generation.text, answer.answer_translation),
        text_block(answer.generation.note, css="wb-muted") if answer.generation.note else NOTHING,
        text_block(ENDINGS[answer.generation.finish], "en", "wb-message wb-note") if cut_short else NOTHING,
        _made_by(answer, recipe),
        css="wb-answer",
    )


def writing_card(text: str) -> Html:
    """An answer while it is written."""
    line = element("div", _label("Answer"), chip("being written"), css="wb-row")
    return element("section", line, text_block(text, css="wb-said wb-long wb-writing"), css="wb-answer")


def step_line(step: str) -> Html:
    """What is being done now."""
    return element("div", element("span", css="wb-pulse"), inline(step), css="wb-row wb-muted", role="status")


def part_card(text: str, state: str) -> Html:
    """What came of an answer that was never whole: `state` "stopped" by a person, or "failed"."""
    stopped = state == "stopped"
    if not text.strip():
        return text_block("Stopped before a first word came.", "en", "wb-message wb-note") if stopped else NOTHING
    ending = text_block(ENDINGS["stopped"], "en", "wb-message wb-note") if stopped else NOTHING
    return element(
        "section", _label("Part of an answer"), text_block(text, css="wb-said wb-long"), ending, css="wb-answer"
    )


def sections_card(sections: Sections) -> Html:
    """D-RAG's parts before the answer; a part that was not found is left out and named."""
    texts = {name: str(getattr(sections, name)) for name, _ in PARTS}
    shown = [
        element(
            "div",
            element("div", escaped(title), css="wb-label"),
            text_block(texts[name]),
            css="wb-part",
            hue=200 + 60 * place,
        )
        for place, (name, title) in enumerate(PARTS)
        if texts[name]
    ]
    repeated = (
        [text_block(f"Given more than once: {', '.join(sections.repeated)}.", css="wb-muted")]
        if sections.repeated
        else []
    )
    return element("div", *shown, *repeated, css="wb-parts")


def translation_line(made: Translation) -> Html:
    """From what to what, of which kind, and how well the memory matched."""
    match = "" if made.match is None or made.kind in ("same", "exact") else f"{made.match:.0%} matched"
    pieces = [language_badge(made.source), escaped("→"), language_badge(made.target), chip(KINDS[made.kind])]
    return element("div", *pieces, *([chip(match)] if match else []), css="wb-row")


def _asked(answer: Answer) -> Html:
    line = element(
        "div", element("span", escaped("Question"), css="wb-label"), language_badge(answer.language), css="wb-row"
    )
    made = answer.question_translation
    translated = NOTHING
    if made is not None and made.kind != "same":
        translated = joined([translation_line(made), text_block(made.text, made.target, "wb-muted")])
    return joined([line, text_block(answer.question, answer.language), translated])


def _said(answer: Answer) -> Html:
    if not answer.text.strip():
        return joined([_label("Answer"), text_block("No answer", "en", "wb-none")])
    code = answer.answer_language
    ended = [chip(answer.generation.finish)] if answer.generation.finish == "stopped" else []
    line = element("div", _label("Answer"), *([language_badge(code)] if code else []), *ended, css="wb-row")
    size = "wb-said wb-long" if len(answer.text) > LONG else "wb-said"
    return joined([line, text_block(answer.text, code or answer.language, size)])


def _in_language(answer: Answer) -> Html:
    if not answer.text.strip() or answer.answer_language == answer.language:
        return NOTHING
    if not answer.answer_language:
        return text_block("The answer's language cannot be told.", "en", "wb-muted")
    given, asked = language(answer.answer_language).name, language(answer.language).name
    return text_block(f"The answer is in {given}; the question was asked in {asked}.", "en", "wb-message wb-note")


def _translated(title: str, before: str, made: Translation | None) -> Html:
    if made is None or made.kind == "same":
        return NOTHING
    return joined([_label(title), translation_line(made), text_block(before, made.source, "wb-muted")])


def _made_by(answer: Answer, recipe: Recipe) -> Html:
    seconds = sum(step.seconds for step in answer.steps)
    cached = sum(step.cached for step in answer.steps)
    told = [
        chip("mode", mode(recipe.mode).title),
        *([chip("scope", recipe.scope)] if recipe.mode != "baseline" else []),
        *([chip("prompt", recipe.prompt)] if recipe.mode != "drag" else []),
        chip("time", f"{1000 * seconds:,.0f} ms"),
        *([chip("tokens", _tokens(answer.generation.usage))] if answer.generation.usage else []),
        chip("steps", f"{len(answer.steps)}, {cached} from the cache" if cached else str(len(answer.steps))),
    ]
    return element("div", *told, css="wb-row")


def _tokens(usage: Usage) -> str:
    counted = f"{usage.prompt_tokens:,} read, {usage.completion_tokens:,} written"
    return f"about {counted}" if usage.estimated else counted


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")
