"""Questions in two parts, one to search on and one to confirm on, so that no question is in both in any language.

Choosing the best of many by its score on some questions and reporting that same score overstates it (Cawley and Talbot,
2010). The parts are drawn by group, so all translations of a question are on one side, and by strata: groups of one
dataset in the same languages are divided in the same proportion.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256

from workbench.core import UsageError
from workbench.optimise.recipe_trial import QuestionSet


@dataclass(frozen=True, slots=True)
class QuestionSplit:
    """Rows of the questions in ascending order: those that are searched on, and the held-out ones (`holdout`)."""

    search: tuple[int, ...]
    holdout: tuple[int, ...]


def split_questions(questions: QuestionSet, share: float = 0.5, *, seed: int = 0) -> QuestionSplit:
    """The questions split by group; `share` of the groups, rounded, is held out, at least one on either side.

    The same questions and seed give the same parts, whatever the order of the rows. A share of 0 holds nothing out.
    Raises UsageError for a share outside [0, 1[ and, unless it is 0, for fewer than two groups.

    >>> languages, groups = ("en", "fi") * 3, ("a", "a", "b", "b", "c", "c")
    >>> parts = split_questions(QuestionSet(tuple("123456"), languages, groups, ("d",) * 6), 1 / 3)
    >>> len(parts.search), len(parts.holdout)
    (4, 2)
    """
    if not 0 <= share < 1:
        raise UsageError(f"The share of held-out questions is at least 0 and below 1, not {share}; 0.5 is usual.")
    rows = range(len(questions))
    if share == 0:
        return QuestionSplit(tuple(rows), ())
    order = _order(questions, seed)
    if len(order) < 2:
        raise UsageError(
            f"{len(questions)} questions of {len(order)} group cannot be split: translations stay together. "
            "Ask more questions, or hold none out."
        )
    count = min(len(order) - 1, max(1, round(share * len(order))))
    # Every so many groups one is held out: strata follow each other, so each gives its share up to one group.
    drawn = {
        group for place, group in enumerate(order) if (place + 1) * count // len(order) > place * count // len(order)
    }
    parts = [tuple(row for row in rows if (questions.groups[row] in drawn) is side) for side in (False, True)]
    return QuestionSplit(*parts)


def _order(questions: QuestionSet, seed: int) -> list[str]:
    """The groups, stratum by stratum; strata and the groups in each are shuffled by the seed."""
    languages: dict[str, set[str]] = defaultdict(set)
    datasets: dict[str, str] = {}
    for group, language, dataset in zip(questions.groups, questions.languages, questions.datasets, strict=True):
        languages[group].add(language)
        datasets[group] = min(datasets.get(group, dataset), dataset)

    def place(group: str) -> tuple[bytes, bytes, bytes]:
        dataset = datasets[group]
        stratum = "\x1f".join([dataset, *sorted(languages[group])])
        return _draw(seed, dataset), _draw(seed, stratum), _draw(seed, group)

    return sorted(languages, key=place)


def _draw(seed: int, text: str) -> bytes:
    return sha256(f"{seed}\x1f{text}".encode()).digest()
