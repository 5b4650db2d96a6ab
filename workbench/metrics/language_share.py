"""Which languages the retrieved passages are in, and how far that leans away from where the answers are.

Source: Ranaldi et al. 2025 (CrossRAG), Table 13, for the share; the bias is our own: the share of a language among the
first k passages minus its share among the gold passages, in [−1, 1].  Above 0 a retriever favours the language.  Ask it
of the rankings before and after reranking to see what each stage adds.  Every question weighs the same, however many
passages it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.records import Ranking

Shares = Mapping[str, float]
"""Share by language, largest first, summing to 1; {} where there was nothing to share out."""


@dataclass(frozen=True, slots=True)
class LanguageBias:
    """`shares` of the retrieved passages and `gold` of the gold ones, over `n` questions that have both; `unscored`
    lack one. `bias` is their difference by language. `distance` is half the sum of its sizes: the share of passages
    that would have to change language, in [0, 1]; None where n is 0.
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
    wanted = _mean_shares(gold[name] for name in both)
    bias = {code: shares.get(code, 0.0) - wanted.get(code, 0.0) for code in dict.fromkeys((*shares, *wanted))}
    distance = sum(map(abs, bias.values())) / 2 if both else None
    return LanguageBias(shares, wanted, bias, distance, len(both), len(rankings) - len(both))


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
