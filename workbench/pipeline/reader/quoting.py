"""What is quoted of the ranked sentences, and how the quotation becomes an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import decimal

import regex

from workbench.core import AnswerClaim, Span, Task, Translator
from workbench.languages import ENGLISH, language
from workbench.pipeline.reader.rendering import (
    Rendering,
    question_with_english,
    reliable_english,
    render,
    transliterate_names,
    try_translate,
)
from workbench.pipeline.reader.sentence_ranking import Candidate
from workbench.pipeline.reader.values import candidate_names, ordinary_words, question_type

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

NEARLY = 0.25
"""Log-odds by which a sentence in the answer's language, or one that translates well, may be below the best."""
SECOND, SECOND_IN_ANOTHER = 5.0, 1.0
"""Log-odds by which a second sentence may be below the first, in its language and in another."""
SEPARATORS = {"٬": ",", "٫": "."}
"""Of thousands and decimals, as Arabic and Persian write them."""
MULTIPLES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
LARGE = regex.compile(rf"([0-9]+(?:\.[0-9]+)?) ({'|'.join(MULTIPLES)})")
DATE_FORMS = {
    "%d %B %Y": "yMMMMd", "%B %d, %Y": "yMMMMd", "%B %Y": "yMMMM", "%d %B": "MMMMd", "%B %d": "MMMMd",
}  # fmt: skip
"""Those in which `values` finds English dates, and CLDR's of their parts."""
KNOWN_NAME = 0.99
"""The match from which a name is translated: a word by word gloss of all its words is enough."""
MOST_VALUES = 3
"""Names and numbers that are given beside a quotation in another language."""


def choose(ranked: Sequence[Candidate], answer_language: str, translator: Translator) -> tuple[Candidate, ...]:
    """The sentence to quote and, where it is nearly as sure, the next best that is no translation of it.

    They are in reading order. First comes the best; before it, nearly as sure, one in `answer_language`, else one that
    translates better.
    """
    first = preferred(ranked, answer_language, translator)
    second = next((item for item in ranked if _adds(item, first, answer_language, translator)), None)
    quoted = (first,) if second is None else (first, second)
    return tuple(sorted(quoted, key=lambda item: (item.evidence.rank, item.start)))


def _adds(item: Candidate, first: Candidate, answer_language: str, translator: Translator) -> bool:
    """Whether a sentence is nearly as sure as the first and neither that one nor a translation of it."""
    margin = SECOND if item.language == first.language else SECOND_IN_ANOTHER
    if item.score < first.score - margin or item.span == first.span or item.says_the_same(first):
        return False
    texts = {render(translator, each.text, each.language, answer_language or ENGLISH).text for each in (item, first)}
    return len(texts) == 2


def preferred(ranked: Sequence[Candidate], answer_language: str, translator: Translator) -> Candidate:
    """The candidate to quote in an answer in `answer_language`, "" for any; `ranked` is best first.

    It is nearly as sure as the best, or says the same in another language.
    """
    best: dict[str, Candidate] = {}
    for item in ranked:
        if item.score >= ranked[0].score - NEARLY or item.says_the_same(ranked[0]):
            best.setdefault(item.language, item)
    if not answer_language or len(best) == 1:
        return ranked[0]
    if answer_language in best:
        return best[answer_language]
    return max(best.values(), key=lambda item: translatability(item, answer_language, translator))


def translatability(item: Candidate, target: str, translator: Translator) -> float:
    """From 0 for a sentence that cannot be translated to 1 for one whose translation is certain."""
    translation = try_translate(translator, item.text, item.language, target)
    if translation is None or translation.kind in ("gloss", "mixed"):
        return 0.0
    return 1.0 if translation.match is None else translation.match


def compose_answer(
    quoted: Sequence[Candidate], task: Task, translator: Translator, meaning: LateInteraction | None
) -> Rendering:
    """The quoted sentences, at least one, as an answer in the language and alphabet asked for.

    Sentences that read the same there, as translations of each other do, are given once.
    """
    by_text: dict[str, tuple[Candidate, Rendering]] = {}
    spans: dict[str, list[Span]] = {}
    for item in quoted:
        rendering = _render(item, task, translator, meaning)
        spans.setdefault(rendering.text, []).append(item.span)
        if rendering.text not in by_text or rendering.translation is None:
            by_text[rendering.text] = item, rendering
    renderings = [rendering for _, rendering in by_text.values()]
    unique = list(dict.fromkeys(rendering.note for rendering in renderings))
    notes = " ".join(note for note in unique if not any(more != note and more.startswith(note) for more in unique))
    text = _joined([item for item, _ in by_text.values()], list(by_text))
    claims = tuple(AnswerClaim(statement, tuple(sources)) for statement, sources in spans.items())
    return Rendering(text, notes, renderings[0].translation, claims)


def _render(item: Candidate, task: Task, translator: Translator, meaning: LateInteraction | None) -> Rendering:
    """A sentence in the language and with its names in the alphabet asked for."""
    if task.answer_language:
        rendering = _say(item, task, translator, meaning)
    else:
        name = language(item.language).name
        rendering = Rendering(item.text, f"The answer stays in the language of its evidence, {name}.")
    if not task.entities_in:
        return rendering
    respelt = transliterate_names(translator, rendering.text, item.language, task.entities_in)
    return Rendering(respelt.text, f"{rendering.note} {respelt.note}".strip(), rendering.translation)


def _say(item: Candidate, task: Task, translator: Translator, meaning: LateInteraction | None) -> Rendering:
    """A sentence in the answer's language or, where that is not known, the original and its names and numbers.

    Those that the question asks for can be given surely in any language.
    """
    source, target = item.language, task.answer_language
    rendering = render(translator, item.text, source, target)
    if source == target or rendering.translation is not None:
        return rendering
    kind, question = question_type(task.question, task.language), question_with_english(task, translator)
    english = reliable_english(item.text, source, translator)
    text, written = (english, ENGLISH) if english else (item.text, source)
    ordinary = ordinary_words([question, text, *(other.text for other in task.evidence)], meaning)
    values = [
        _translated_name(name, written, target, translator)
        for name in candidate_names(text, question, kind, written, ordinary)[:MOST_VALUES]
    ]
    if not values:
        return Rendering(f"“{item.text}”", rendering.note)
    note = f"{rendering.note} Names and numbers are in brackets."
    return Rendering(f"“{item.text}” ({', '.join(values)})", note)


def _translated_name(name: str, source: str, target: str, translator: Translator) -> str:
    """The name as `target` writes it where every word of it is known, else as its source does.

    Numbers are in the digits that are read everywhere.
    """
    if source == ENGLISH and (large := LARGE.fullmatch(name.replace(",", ""))):
        # “Billion” is another number in half of the languages that have the word.
        return f"{Decimal(large[1]) * MULTIPLES[large[2]]:,.0f}"
    if source == ENGLISH and (date := _date(name, target)):
        return date
    if not any(map(str.isalpha, name)):
        return "".join(str(decimal(sign)) if sign.isdecimal() else SEPARATORS.get(sign, sign) for sign in name)
    translation = try_translate(translator, name, source, target)
    is_known = translation is not None and (translation.match is None or translation.match >= KNOWN_NAME)
    return translation.text if translation is not None and is_known else name


def _date(name: str, target: str) -> str:
    """A day or month that is written in English, as `target` writes it by Unicode's CLDR; "" for anything else.

    >>> _date("7 March 1876", "zh"), _date("February 29", "ko"), _date("Mannheim", "zh")
    ('1876年3月7日', '2월 29일', '')
    """
    from babel import localedata
    from babel.dates import format_skeleton

    for form, skeleton in DATE_FORMS.items() if localedata.exists(target) else ():
        # A day without a year may be 29 February.
        dated, form = (name, form) if "%Y" in form else (f"{name} 2000", f"{form} %Y")
        try:
            date = datetime.strptime(dated, form)
        except ValueError:
            continue
        return str(format_skeleton(skeleton, date, locale=target))
    return ""


def _joined(quoted: Sequence[Candidate], texts: Sequence[str]) -> str:
    """The texts of the sentences as one: neighbours as in the evidence, an ellipsis where something lies between."""
    result = texts[0]
    for (before, after), text in zip(pairwise(quoted), texts[1:], strict=True):
        between = after.evidence.text[before.end : after.start] if before.evidence == after.evidence else None
        result += (between if between is not None and not between.strip() else " … ") + text
    return result
