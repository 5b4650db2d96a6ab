"""Consistency: do two answers to one question agree, whether they are right or not?

Each measure compares a pair and is between 0 and 1; where it says nothing about a pair, the pair is unscored, which is
not 0.  What is compared are the answers in two languages, or under two recipes.

`both_right` is 1 where both answers contain a gold and 0 where one of them does; of two wrong answers nobody knows
whether they are the same, so they are unscored.  Over questions its mean is the overlap of correct predictions of Jiang
et al. (2020, X-FACTR), which Qi et al. (2023) set against their RankC: |both right| / |at least one right|.

`answer_overlap` asks whether the answers say the same: with both in one language, the mean of the character 3-gram
recall (Chirkova et al. (2024), section 3) of each in the other, so that a long answer that contains a short one agrees
with it by half or more.

`shared_documents` is Jaccard's coefficient of the sets of documents, |A ∩ B| / |A ∪ B|.  `same_order` is the overlap of
the rankings by rank-biased overlap, extrapolated beyond their ends (Webber et al. (2010), equation 32): documents at
the top count most, the weight of each further rank being `PERSISTENCE` times that before.  A document is a passage with
all its translations where the corpus says which passages are translations of each other, else the passage itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.languages import Language
from workbench.metrics.answers.char3_recall import char3_recall
from workbench.metrics.measure import Score

PERSISTENCE = 0.9
"""p of the rank-biased overlap: the first ten ranks have 86 % of the weight (Webber et al. (2010), section 4.2)."""
BOTH_WRONG = Score(None, "Neither answer contains a gold, so it is not known whether they agree.")
NO_GOLDS = Score(None, "No gold is known for both answers.")
NO_WORDS = Score(None, "One of the answers has no word to compare.")
NO_DOCUMENTS = Score(None, "One of the answers has no documents.")


@dataclass(frozen=True, slots=True)
class ConsistencyMeasure:
    """How a measure of pairs is called, what it says in one sentence, and who defined it."""

    title: str
    definition: str
    source: str


CONSISTENCY: Mapping[str, ConsistencyMeasure] = {
    "both_right": ConsistencyMeasure(
        "Both right",
        "1 if both answers contain a gold answer, 0 if one of them does; unscored if neither does. The mean is the "
        "share of pairs with a right answer in which both are right.",
        "Jiang et al. (2020); Qi et al. (2023)",
    ),
    "answer_overlap": ConsistencyMeasure(
        "Answers overlap",
        "Character 3-gram recall between the two answers in one language, the mean of both directions. Answers in "
        "different languages are compared in English, by the built-in translator; unscored where it knows too little.",
        "Chirkova et al. (2024), section 3, between answers",
    ),
    "shared_documents": ConsistencyMeasure(
        "Documents shared",
        "Documents that both answers were given, as a share of those that either was given. Translations of one "
        "passage count as one document where the corpus is aligned.",
        "Jaccard’s coefficient",
    ),
    "same_order": ConsistencyMeasure(
        "Documents in the same order",
        "Rank-biased overlap (p = 0.9) of the two rankings: 1 if they are the same; the first documents count most.",
        "Webber et al. (2010), equation 32",
    ),
}
"""The measures by name, in the order in which they are offered."""


def both_right(first: bool | None, second: bool | None) -> Score:
    """Whether two answers are both right; None for one without golds.

    >>> both_right(True, False).value, both_right(False, False).value
    (0.0, None)
    """
    if first is None or second is None:
        return NO_GOLDS
    if not (first or second):
        return BOTH_WRONG
    return Score(float(first and second))


def answer_overlap(first: str, second: str, *, language: Language) -> Score:
    """How far two texts in one language say the same; unscored where one of them has nothing to compare.

    >>> from workbench.languages import language
    >>> answer_overlap("Marconi", "It was Marconi.", language=language("en")).value > 0.5
    True
    """
    if first.strip() == second.strip() and first.strip():
        return Score(1.0)
    there, back = (char3_recall(one, [other], language=language) for one, other in ((first, second), (second, first)))
    if there.value is None or back.value is None:
        return NO_WORDS
    return Score((there.value + back.value) / 2)


def shared_documents(first: Sequence[str], second: Sequence[str]) -> Score:
    """Jaccard's coefficient of two lists of documents.

    >>> shared_documents(["a", "b"], ["b", "c"]).value
    0.3333333333333333
    """
    if not first or not second:
        return NO_DOCUMENTS
    one, other = set(first), set(second)
    return Score(len(one & other) / len(one | other))


def same_order(first: Sequence[str], second: Sequence[str], persistence: float = PERSISTENCE) -> Score:
    """The rank-biased overlap of two rankings, best first, extrapolated; of a repeated document the first place counts.

    `persistence` is p, in (0, 1).

    >>> same_order(["a", "b"], ["a", "b"]).value, same_order(["a"], ["b"]).value
    (1.0, 0.0)
    """
    short, long = sorted((list(dict.fromkeys(first)), list(dict.fromkeys(second))), key=len)
    if not short:
        return NO_DOCUMENTS
    overlaps = [len(set(short[:depth]) & set(long[:depth])) for depth in range(1, len(long) + 1)]
    end, whole = len(short), len(long)
    common, every = overlaps[end - 1], overlaps[-1]
    total = sum(overlap / depth * persistence**depth for depth, overlap in enumerate(overlaps, start=1))
    total += sum(common * (depth - end) / (end * depth) * persistence**depth for depth in range(end + 1, whole + 1))
    tail = ((every - common) / whole + common / end) * persistence**whole
    return Score(min(1.0, (1 - persistence) / persistence * total + tail))
