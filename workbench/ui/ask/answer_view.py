"""The answer as a card: its text, its language and how it was produced; D-RAG's sections one by one."""

from __future__ import annotations

from workbench.languages import language
from workbench.prompts.sections import format_failure
from workbench.recipes.mode import mode
from workbench.recipes.recipe import Recipe
from workbench.records import Answer, Sections, Translation, Usage
from workbench.ui.shared.badges import chip, language_badge
from workbench.ui.shared.safe_html import NOTHING, Html, element, escaped, inline, joined, text_block

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
PARTS = (("extraction", "Extraction"), ("explanation", "Explanation"), ("argumentation", "Dialectic argumentation"))


def answer_card(answer: Answer, recipe: Recipe) -> Html:
    """The complete card: question, answer, notes and how it was produced."""
    failure = format_failure(answer.sections)
    cut_short = answer.generation.finish in ENDINGS
    return element(
        "section",
        _question(answer),
        _answer_text(answer),
        _in_language(answer),
        _translated("Before translation", answer.generation.text, answer.answer_translation),
        text_block(answer.generation.note, css="wb-muted") if answer.generation.note else NOTHING,
        text_block(ENDINGS[answer.generation.finish], "en", "wb-message wb-note") if cut_short else NOTHING,
        text_block(failure, "en", "wb-message wb-note") if failure else NOTHING,
        _facts(answer, recipe),
        css="wb-answer",
    )


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


def sections_card(sections: Sections) -> Html:
    """D-RAG's sections before the answer, without those that are missing; repeated ones are named."""
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
        [text_block(f"Repeated sections: {', '.join(sections.repeated)}.", css="wb-muted")] if sections.repeated else []
    )
    return element("div", *shown, *repeated, css="wb-parts")


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


def _question(answer: Answer) -> Html:
    line = element(
        "div", element("span", escaped("Question"), css="wb-label"), language_badge(answer.language), css="wb-row"
    )
    translation = answer.question_translation
    translated = NOTHING
    if translation is not None and translation.kind != "same":
        text = text_block(translation.text, translation.target, "wb-muted")
        translated = joined([translation_line(translation), text])
    return joined([line, text_block(answer.question, answer.language), translated])


def _answer_text(answer: Answer) -> Html:
    if not answer.text.strip():
        return joined([_label("Answer"), text_block("No answer", "en", "wb-none")])
    code = answer.answer_language
    ending = [chip(answer.generation.finish)] if answer.generation.finish == "stopped" else []
    line = element("div", _label("Answer"), *([language_badge(code)] if code else []), *ending, css="wb-row")
    size = "wb-said wb-long" if len(answer.text) > LONG else "wb-said"
    return joined([line, text_block(answer.text, code or answer.language, size)])


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
    chips = [
        chip("mode", mode(recipe.mode).title),
        *([chip("scope", recipe.scope)] if recipe.mode != "baseline" else []),
        *([chip("prompt", recipe.prompt)] if recipe.mode != "drag" else []),
        *([chip("user turn", "English")] if recipe.user_turn == "en" and recipe.mode != "drag" else []),
        *([chip("at most", f"{recipe.max_new_tokens:,} tokens")] if recipe.max_new_tokens else []),
        chip("time", f"{1000 * seconds:,.0f} ms"),
        *([chip("tokens", _tokens(answer.generation.usage))] if answer.generation.usage else []),
        chip("steps", f"{len(answer.steps)}, {cached} from the cache" if cached else str(len(answer.steps))),
    ]
    return element("div", *chips, css="wb-row")


def _tokens(usage: Usage) -> str:
    counts = f"{usage.prompt_tokens:,} read, {usage.completion_tokens:,} written"
    return f"about {counts}" if usage.estimated else counts


def _label(text: str) -> Html:
    return element("span", escaped(text), css="wb-label")
