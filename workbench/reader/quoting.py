"""From sentences of the evidence to an answer: in which language they are looked for, joined and rendered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from workbench.languages import language
from workbench.protocols import Translator
from workbench.reader.candidate_names import points
from workbench.reader.evidence_sentences import COMMON, sure_english
from workbench.reader.question_types import question_type
from workbench.reader.rendering import Rendered, attempt, render, respell
from workbench.reader.sentence_scoring import Candidate
from workbench.records import Task

MOST_POINTS = 3
SURE_NAME = 0.5
"""A name is taken from the translator from this match up, else left as its source spells it."""
WELL_ENOUGH = 0.75
"""Evidence in the language asked for is read rather than better evidence translated from so much of its score."""


def in_language(ordered: Sequence[Candidate], code: str, translator: Translator) -> Sequence[Candidate]:
    """The candidates to answer from, best first: those in the language `code` where the best of them is good enough;
    else those in the language whose best sentence, being good enough, translates best.  All, where `code` is "".
    """
    if not code:
        return ordered
    good = [item for item in ordered if item.score >= WELL_ENOUGH * ordered[0].score]
    best: dict[str, Candidate] = {}
    for item in good:
        best.setdefault(item.evidence.language, item)
    if code in best or len(best) == 1:
        chosen = code if code in best else next(iter(best))
    else:
        worth = {tongue: item.score * _worth(item, code, translator) for tongue, item in best.items()}
        chosen = max(worth, key=lambda tongue: worth[tongue])
    return [item for item in ordered if item.evidence.language == chosen]


def _worth(item: Candidate, code: str, translator: Translator) -> float:
    """From ½ for a sentence that cannot be translated to 1 for one whose translation is sure."""
    made = attempt(translator, item.text, item.evidence.language, code)
    return 0.5 if made is None else 0.5 + 0.5 * (1.0 if made.match is None else made.match)


def compose(quoted: Sequence[Candidate], task: Task, translator: Translator) -> Rendered:
    """The quoted sentences as an answer in the language and alphabet that the task asks for."""
    source = quoted[0].evidence.language
    text = joined(quoted)
    if not task.answer_language:
        made = Rendered(text, f"The answer stays in the language of its evidence, {language(source).name}.")
    else:
        made = render(translator, text, source, task.answer_language)
        if source != task.answer_language and not sure(made):
            made = _pointed(quoted, task, made, translator)
    if not task.entities_in:
        return made
    named = respell(translator, made.text, source, task.entities_in)
    return Rendered(named.text, f"{made.note} {named.note}".strip(), made.translation)


def sure(made: Rendered) -> bool:
    """Whether the text is a translation of whole sentences."""
    return made.translation is not None and made.translation.kind in ("exact", "fuzzy", "model", "same")


def _pointed(quoted: Sequence[Candidate], task: Task, made: Rendered, translator: Translator) -> Rendered:
    """Where words are at best glossed: the names and numbers asked for, or the gloss, with the original beside it.

    A gloss alone reads like nonsense and the original alone may not be read at all.
    """
    piece = quoted[0].piece
    code, text = (COMMON, piece.common) if piece.common else (piece.language, piece.text)
    held = f"{task.question} {sure_english(task.question, task.language, translator)}"
    found = points(text, held, question_type(task.question, task.language))[:MOST_POINTS]
    if found:
        told = ", ".join(_named(point, code, task.answer_language, translator) for point in found)
    else:
        told = made.text if made.translation else ""
    original = joined(quoted)
    shown = f"{told} (“{original}”)" if told else original
    source, target = language(piece.language).name, language(task.answer_language).name
    if not found:
        return Rendered(shown, f"{made.note} The original stands beside it." if told else made.note, made.translation)
    return Rendered(
        shown, f"Names and numbers first, then the sentence in {source}: no sure translation to {target} was had."
    )


def _named(point: str, source: str, target: str, translator: Translator) -> str:
    made = attempt(translator, point, source, target) if not point.isdecimal() else None
    return made.text if made and (made.match is None or made.match >= SURE_NAME) else point


def joined(quoted: Sequence[Candidate]) -> str:
    """Neighbours as they stand in the text; an ellipsis where something lies between."""
    text = quoted[0].text
    for before, after in pairwise(quoted):
        between = after.evidence.text[before.end : after.start] if before.evidence == after.evidence else None
        text += (between if between is not None and not between.strip() else " … ") + after.text
    return text
