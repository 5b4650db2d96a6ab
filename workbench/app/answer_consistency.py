"""How far the answers to one question agree, each with each: a matrix for every measure of `metrics.consistency`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.app.side_by_side import SideAnswer
from workbench.core import TranslationFailed, Translator
from workbench.languages import ENGLISH, is_known, language
from workbench.metrics import CONSISTENCY, Score, answer_overlap, both_right, same_order, shared_documents
from workbench.workspace import safe_cell

LEAST_KNOWN = 0.5
"""The share of a text that the translator must know for the translation to be compared."""
FAILED = Score(None, "One of the answers is missing.")
Pair = tuple[int, int]
"""Places of two answers, from 0, the first before the second."""


@dataclass(frozen=True, slots=True)
class ConsistencyMatrix:
    """The scores of all pairs of answers by measure; every measure is symmetric."""

    names: tuple[str, ...]
    scores: Mapping[str, Mapping[Pair, Score]]

    def score(self, measure: str, first: int, second: int) -> Score | None:
        """The score of two answers by their places, from 0; None for an answer with itself."""
        return None if first == second else self.scores[measure][min(first, second), max(first, second)]

    def mean(self, measure: str) -> tuple[float | None, int, int]:
        """The mean over the scored pairs, None where there are none, and the numbers of scored and unscored pairs."""
        values = [score.value for score in self.scores[measure].values()]
        scored = [value for value in values if value is not None]
        return (sum(scored) / len(scored) if scored else None, len(scored), len(values) - len(scored))


def consistency(sides: Sequence[SideAnswer], translator: Translator) -> ConsistencyMatrix:
    """The matrix of answers; `translator` brings those in other languages to English, where it can."""
    english: dict[int, str | None] = {}

    def in_english(place: int) -> str | None:
        if place not in english:
            english[place] = _in_english(sides[place], translator)
        return english[place]

    rights = [side.is_right for side in sides]
    scores: dict[str, dict[Pair, Score]] = {name: {} for name in CONSISTENCY}
    for first in range(len(sides)):
        for second in range(first + 1, len(sides)):
            pair, one, other = (first, second), sides[first], sides[second]
            if one.error or other.error:
                for by_pair in scores.values():
                    by_pair[pair] = FAILED
                continue
            scores["both_right"][pair] = both_right(rights[first], rights[second])
            scores["shared_documents"][pair] = shared_documents(one.units, other.units)
            scores["same_order"][pair] = same_order(one.units, other.units)
            if spoken_in(one) == spoken_in(other) or one.text.strip() == other.text.strip():
                score = answer_overlap(one.text, other.text, language=language(spoken_in(one)))
            else:
                score = _overlap_in_english(in_english(first), in_english(second))
            scores["answer_overlap"][pair] = score
    return ConsistencyMatrix(tuple(side.name for side in sides), scores)


def spoken_in(side: SideAnswer) -> str:
    """The language that an answer is in: the detected one, else the question's; English where neither is known."""
    return next((code for code in (side.answer_language, side.language) if code and is_known(code)), ENGLISH)


def matrix_csv(matrix: ConsistencyMatrix) -> str:
    """One row per pair and measure, with the reason where a pair is unscored."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(["measure", "first", "second", "value", "reason"])
    for measure, by_pair in matrix.scores.items():
        for (first, second), score in by_pair.items():
            value = "" if score.value is None else f"{score.value:.6g}"
            names = (safe_cell(matrix.names[first]), safe_cell(matrix.names[second]))
            writer.writerow([measure, *names, value, score.reason])
    return out.getvalue()


def _overlap_in_english(first: str | None, second: str | None) -> Score:
    if first is None or second is None:
        return Score(None, "The built-in translator knows too little of one of the answers.")
    return answer_overlap(first, second, language=language(ENGLISH))


def _in_english(side: SideAnswer, translator: Translator) -> str | None:
    """An answer in English; None where the translator knows too little of it. Without letters it stays as it is."""
    code = spoken_in(side)
    if code == ENGLISH or not any(character.isalpha() for character in side.text):
        return side.text
    try:
        (translation,) = translator.translate([side.text], code, ENGLISH)
    except TranslationFailed:
        return None
    return translation.text if translation.match is None or translation.match >= LEAST_KNOWN else None
