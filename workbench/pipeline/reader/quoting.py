"""From sentences of the evidence to an answer: the language they are quoted from, how they are joined and rendered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from workbench.core import Task, Translator
from workbench.languages import ENGLISH, language
from workbench.pipeline.reader.candidate_names import candidate_names, lower_words
from workbench.pipeline.reader.evidence_sentences import question_with_english
from workbench.pipeline.reader.question_types import question_type
from workbench.pipeline.reader.rendering import Rendering, render, transliterate_names, try_translate
from workbench.pipeline.reader.sentence_scoring import Candidate

MOST_NAMES = 3
LEAST_NAME_MATCH = 0.5
"""From this match a name is translated, else it stays as its source spells it."""
LEAST_RELATIVE_SCORE = 0.75
"""From this share of the best score, evidence in the answer's language is preferred to better evidence translated."""


def in_best_language(ranked: Sequence[Candidate], answer_language: str, translator: Translator) -> Sequence[Candidate]:
    """The candidates in the language to answer from, best first.

    That is `answer_language` where its best candidate is good enough; else the language whose best candidate, being
    good enough, translates best.  All candidates, where `answer_language` is "".
    """
    if not answer_language:
        return ranked
    good = [item for item in ranked if item.score >= LEAST_RELATIVE_SCORE * ranked[0].score]
    best: dict[str, Candidate] = {}
    for item in good:
        best.setdefault(item.evidence.language, item)
    if answer_language in best:
        source = answer_language
    elif len(best) == 1:
        source = next(iter(best))
    else:
        weights = {
            source: item.score * _translatability(item, answer_language, translator) for source, item in best.items()
        }
        source = max(weights, key=lambda name: weights[name])
    return [item for item in ranked if item.evidence.language == source]


def _translatability(item: Candidate, target: str, translator: Translator) -> float:
    """From ½ for a sentence that cannot be translated to 1 for one whose translation is certain."""
    translation = try_translate(translator, item.text, item.evidence.language, target)
    return 0.5 if translation is None else 0.5 + 0.5 * (1.0 if translation.match is None else translation.match)


def compose_answer(quoted: Sequence[Candidate], task: Task, translator: Translator) -> Rendering:
    """The quoted sentences as an answer in the language and alphabet that the task asks for."""
    source = quoted[0].evidence.language
    text = join_quotes(quoted)
    if not task.answer_language:
        answer = Rendering(text, f"The answer stays in the language of its evidence, {language(source).name}.")
    else:
        answer = render(translator, text, source, task.answer_language)
        if source != task.answer_language and not is_full_translation(answer):
            answer = _quote_first(quoted, task, answer, translator)
    if not task.entities_in:
        return answer
    respelt = transliterate_names(translator, answer.text, source, task.entities_in)
    return Rendering(respelt.text, f"{answer.note} {respelt.note}".strip(), answer.translation)


def is_full_translation(rendering: Rendering) -> bool:
    """Whether the text is a translation of complete sentences."""
    return rendering.translation is not None and rendering.translation.kind in ("exact", "fuzzy", "model", "same")


def _quote_first(quoted: Sequence[Candidate], task: Task, rendering: Rendering, translator: Translator) -> Rendering:
    """The original and, next to it, the names and numbers asked for or the gloss, where there is at best a gloss.

    A gloss alone reads like nonsense, and the user may not understand the original; it comes first, since the names
    are a guess.
    """
    sentence = quoted[0].sentence
    text, source = (sentence.english, ENGLISH) if sentence.english else (sentence.text, sentence.language)
    kind = question_type(task.question, task.language)
    question = question_with_english(task, translator)
    ordinary = lower_words([question, text, *(item.text for item in task.evidence)])
    names = candidate_names(text, question, kind, source, ordinary)[:MOST_NAMES]
    if names:
        summary = ", ".join(_translated_name(name, source, task.answer_language, translator) for name in names)
    else:
        summary = rendering.text if rendering.translation else ""
    original = join_quotes(quoted)
    answer = f"“{original}” ({summary})" if summary else original
    if not names:
        note = f"{rendering.note} The original is shown with it." if summary else rendering.note
        return Rendering(answer, note, rendering.translation)
    evidence_name, answer_name = language(sentence.language).name, language(task.answer_language).name
    return Rendering(
        answer,
        f"Quoted in {evidence_name}, with its names or numbers: there is no reliable translation to {answer_name}.",
    )


def _translated_name(name: str, source: str, target: str, translator: Translator) -> str:
    translation = try_translate(translator, name, source, target) if not name.isdecimal() else None
    if translation is None or (translation.match is not None and translation.match < LEAST_NAME_MATCH):
        return name
    return translation.text


def join_quotes(quoted: Sequence[Candidate]) -> str:
    """The quoted sentences as one text: neighbours as in the evidence, an ellipsis where something lies between."""
    text = quoted[0].text
    for before, after in pairwise(quoted):
        between = after.evidence.text[before.end : after.start] if before.evidence == after.evidence else None
        text += (between if between is not None and not between.strip() else " … ") + after.text
    return text
