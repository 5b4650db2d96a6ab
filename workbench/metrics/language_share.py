"""Which languages the retrieved passages are in, and how far that departs from where the answers are.

Source: Ranaldi et al. (2025, CrossRAG), Table 13, for the share, in [0, 1].  The bias is our own: the share of a
language among the first k passages minus its share among the gold passages, in [−1, 1]; above 0 a retriever favours the
language.  Computed for the rankings before and after reranking, it shows what each stage adds.  Every question has the
same weight, however many passages it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.core import Ranking

Shares = Mapping[str, float]
"""Share by language, largest first, summing to 1; {} where there is no passage."""


@dataclass(frozen=True, slots=True)
class LanguageBias:
    """How the languages of the retrieved passages differ from those of the gold ones.

    `shares` are those of the retrieved passages and `gold` those of the gold ones, over `n` questions that have both;
    `unscored` questions lack one. `bias` is their difference by language. `distance` is half the sum of its absolute
    values: the share of passages that would have to change language, in [0, 1]; None where n is 0.
    """

    shares: Shares
    gold: Shares
    bias: Mapping[str, float]
    distance: float | None
    n: int
    unscored: int


def language_shares(rankings: Iterable[Ranking], k: int | None = None) -> Shares:
    """The mean share of each language among the first `k` passages (all where None); empty rankings do not count."""
    return _mean_shares([hit.language for hit in ranking[:k]] for ranking in rankings)


def language_bias(
    rankings: Mapping[str, Ranking], gold: Mapping[str, Sequence[str]], k: int | None = None
) -> LanguageBias:
    """The bias over questions by id; `gold` are the languages of each question's gold passages."""
    both = [name for name, ranking in rankings.items() if ranking[:k] and gold.get(name)]
    shares = language_shares((rankings[name] for name in both), k)
    gold_shares = _mean_shares(gold[name] for name in both)
    bias = {code: shares.get(code, 0.0) - gold_shares.get(code, 0.0) for code in dict.fromkeys((*shares, *gold_shares))}
    distance = sum(map(abs, bias.values())) / 2 if both else None
    return LanguageBias(shares, gold_shares, bias, distance, len(both), len(rankings) - len(both))


def _mean_shares(questions: Iterable[Sequence[str]]) -> Shares:
    totals: Counter[str] = Counter()
    number = 0
    for languages in questions:
        if not languages:
            continue
        number += 1
        for code, times in Counter(languages).items():
            # Counter takes any number.
            totals[code] += times / len(languages)  # type: ignore[assignment]
    return {code: total / number for code, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))}
