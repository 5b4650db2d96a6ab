"""An answer as a card: its claims, language and origin; a D-RAG answer's argument and claims; the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.app import ArgumentClaim, answer_claims, argument_claims, claims_csv, is_unsure
from workbench.core import Answer, AnswerClaim, Evidence, Prompt, Sections, Step, Translation, Usage, total_usage
from workbench.languages import Detection, language
from workbench.pipeline import UNSURE, Recipe, format_failure, mode
from workbench.ui.ask.page_scripts import ANSWER
from workbench.ui.parts import downloads, folds, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import (
    NOTHING,
    Html,
    anchor_of,
    element,
    escaped,
    first_cited,
    fold,
    inline,
    joined,
    jump,
    rich,
    rich_block,
    sentence_anchor,
    table,
    text_block,
)

LONG = 160
"""Number of characters above which an answer is set in a smaller size."""
LINE = 80
"""Characters of a question that its field surely shows."""

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
    """The card: what the answer states, where from, what is to be said of it; and, folded, how it was produced.

    `detection` is that of the question's language, None where a person selected it. The question is the page's heading;
    it is seen here only where the field above, which has one line, may not show all of it, and on a phone, where the
    field is folded.
    """
    failure = format_failure(answer.sections)
    cut_short = answer.generation.finish in ENDINGS
    css = "" if len(answer.question) > LINE else "wb-on-phone"
    note = [inline(answer.generation.note)] if answer.generation.note else []
    doubts = UNSURE in answer.generation.note
    return element(
        "section",
        element("h1", escaped(answer.question), css=css, lang=answer.language, direction="auto"),
        _statements(answer, marked=True),
        _in_language(answer),
        text_block(ENDINGS[answer.generation.finish], "en", "wb-message wb-note") if cut_short else NOTHING,
        text_block(failure, "en", "wb-message wb-note") if failure else NOTHING,
        element("div", *_language(answer), *note, css=f"wb-row {'wb-message wb-note' if doubts else 'wb-muted'}"),
        fold(
            escaped(summary(answer.steps)),
            _question(answer, detection),
            _translated("Before translation", answer.generation.text, answer.answer_translation),
            _facts(answer, recipe),
        ),
        css="wb-answer",
        anchor=ANSWER,
    )


def presented_card(answer: Answer) -> Html:
    """The answer alone, to be read from afar."""
    languages = element("div", *_language(answer), css="wb-row")
    return element("section", languages, _statements(answer), _in_language(answer), css="wb-answer")


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
    return joined([line, translated, _searched_with(answer)])


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


def _statements(answer: Answer, *, marked: bool = False) -> Html:
    """What the answer states, as a list where that is more than one thing; each with the documents that it rests on.

    Their numbers lead to the sentences where those are `marked` on the page, else to the documents.
    """
    claims = answer_claims(answer)
    if not claims:
        return text_block("No answer", "en", "wb-none")
    ranks = [item.rank for item in answer.evidence]

    def statement(claim: AnswerClaim) -> Html:
        first = {span.rank: span.start for span in reversed(claim.spans) if span.rank in ranks}
        jumps = [
            jump(escaped(f"[{rank}]"), sentence_anchor(anchor_of(rank), start) if marked else anchor_of(rank))
            for rank, start in sorted(first.items())
        ]
        return joined([rich(claim.text, ranks), *(piece for one in jumps for piece in (escaped(" "), one))])

    code, size = answer.answer_language or answer.language, "wb-said wb-long" if len(answer.text) > LONG else "wb-said"
    if len(claims) == 1:
        return element("div", statement(claims[0]), css=f"wb-text {size}", lang=code, direction="auto")
    items = [element("li", statement(claim), css="wb-text", direction="auto") for claim in claims]
    # The items' own directions say nothing about that of the list.
    return element("ol", *items, css=size, lang=code, direction=language(code).direction)


def _language(answer: Answer) -> list[Html]:
    """The answer's language, where one was detected, and whether it was stopped."""
    badge = [language_badge(answer.answer_language)] if answer.text.strip() and answer.answer_language else []
    return [*badge, *([chip(answer.generation.finish)] if answer.generation.finish == "stopped" else [])]


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


GLANCE = 700
"""Characters of an argument that are read in a glance."""
TOKENS = "tokens"
"""The name of a step's fact that counts them."""
PARTS = (("extraction", "Extraction"), ("explanation", "Explanation"), ("argumentation", "Dialectic argumentation"))


def sections_card(sections: Sections, evidence: Sequence[Evidence] = ()) -> Html:
    """D-RAG's sections before the answer, the last first: the argument, and folded what it was made of.

    Sections that are missing are left out, repeated ones are named; a long argument is folded as well.
    Citations lead to the documents of `evidence`.
    """
    texts = {name: str(getattr(sections, name)) for name, _ in PARTS}
    languages = {item.rank: item.language for item in evidence}
    shown: list[Html] = []
    for index, (name, title) in enumerate(PARTS):
        of_lines = languages if name == "extraction" else dict.fromkeys(languages, "")
        lines = [_line(line, of_lines) for line in texts[name].splitlines() if line.strip()]
        if not lines:  # of a stopped answer
            continue
        if name == PARTS[-1][0] and len(texts[name]) <= GLANCE:
            lines = [element("div", escaped(title), css="wb-label"), *lines]
        else:
            lines = [fold(escaped(title), *lines)]
        shown.insert(0, element("div", *lines, css="wb-part", hue=200 + 60 * index))
    repeated = (
        [text_block(f"Repeated sections: {', '.join(sections.repeated)}.", css="wb-muted")] if sections.repeated else []
    )
    return element("div", *shown, *repeated, css="wb-parts")


def draw_claims(answer: Answer) -> None:
    """The argument's claims in a closed expander: what each says, its documents and their languages; with a CSV."""
    rows = argument_claims(answer)
    if not rows:
        return
    with st.expander(
        "Claims of the argument", icon=":material/table:", key="claims", type="compact", on_change="rerun"
    ) as claims:
        if claims.open:
            safe_html.show(claims_table(rows))
            downloads.button("Claims (CSV)", claims_csv(rows), "claims.csv", "download_claims")


def claims_table(rows: Sequence[ArgumentClaim]) -> Html:
    """One row per claim, numbered from 1; each document is a link to its card."""
    cells = [
        [
            escaped(number),
            rich_block(claim.text, ranks=claim.ranks),
            joined(rich(f"[{rank}] ", claim.ranks) for rank in claim.ranks),
            element("div", *(language_badge(code) for code in claim.languages), escaped(claim.support), css="wb-row"),
        ]
        for number, claim in enumerate(rows, start=1)
    ]
    return table(["No.", "Claim", "Documents", "Languages"], cells, "wb-stacked")


def _line(line: str, languages: Mapping[int, str]) -> Html:
    """A line of a section. What follows the document that it begins with is isolated, in that document's language."""
    rank, start = first_cited(line)
    if rank not in languages:
        return rich_block(line, ranks=languages)
    head = rich(line[:start], languages)
    rest = element("bdi", rich(line[start:], languages), lang=languages[rank], direction="auto", css="wb-quoted")
    return element("div", head, rest, css="wb-text wb-line")


def summary(steps: Sequence[Step]) -> str:
    """One line: time, number of steps, and how many came from the cache. Only our words, as it is a label."""
    seconds = sum(step.seconds for step in steps)
    cached = sum(step.cached for step in steps)
    return f"Answered in {time_words(seconds)}, {len(steps)} steps" + (f", {cached} from the cache" if cached else "")


def steps_table(steps: Sequence[Step]) -> Html:
    """One row per step, in the order they ran: when it ran, how long, and the tokens that it took.

    The bar of a step begins where the one before ends; that of a cached one is lighter.
    """
    total, start, rows = sum(step.seconds for step in steps) or 1.0, 0.0, []
    for step in steps:
        shares = (step.seconds / total, start / total)
        start += step.seconds
        facts = [f"{name}: {value}" for name, value in step.facts.items() if name != TOKENS]
        rows.append(
            [
                escaped(step.name),
                element("span", css=f"wb-time{' wb-cached' if step.cached else ''}", shares=shares),
                escaped(f"{1000 * step.seconds:,.1f}"),
                escaped("cache" if step.cached else "fresh"),
                escaped(step.facts.get(TOKENS, "–")),
                fold(inline(" · ".join(facts) or "Component"), inline(step.component, css="wb-muted")),
            ]
        )
    return table(["Step", f"Time (n = {len(steps)} steps)", "ms", "Source", "Tokens", "Details"], rows, "wb-steps")


def draw_making(prompt: Prompt | None, steps: Sequence[Step]) -> None:
    """How an answer was made, each in a fold where it is known: the prompt, and the steps."""
    if prompt is not None:
        texts = (prompt.system, prompt.user)
        folds.draw("Exact prompt", "chat", "prompt", lambda: draw_prompt(*texts), kind="compact")
    if steps:
        timings = steps_table(steps)
        folds.draw("Steps and timings", "timer", "steps", lambda: safe_html.show(timings), kind="compact")


def draw_prompt(system: str, user: str) -> None:
    """What the generator was given, word for word; the parts that there are."""
    for name, text in (("System prompt", system), ("User prompt", user)):
        if text:
            st.caption(name)
            safe_html.source(text)
