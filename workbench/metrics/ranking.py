"""How good a ranking is, computed by ir-measures, and which languages the retrieved passages are in.

Hit@k, Recall@k, P@k, MRR, MAP and nDCG@k. A question none of whose gold passages lies in the scope cannot be scored: it
is counted as unscored, not as 0. Where gold names pages, rankings are of pages, so a page counts once, in the place of
its first passage (Petroni et al. 2021, KILT); k then counts pages among the passages that were ranked.
Sources: Chirkova et al. (2024), Table 7; Singh et al. (n.d.), Hit@k; Järvelin and Kekäläinen (2002), nDCG; Voorhees and
Harman (2005), MRR and MAP. Range [0, 1]; higher is better. A passage that stands twice in a ranking counts at its
first place. MAP looks at the complete ranking as given, so a perfect one has 1; P@k of a perfect ranking is below 1
where there are fewer than k golds.

The share of each language, in [0, 1], is that of Ranaldi et al. (2025, CrossRAG), Table 13, but by the language that
the corpus gives a passage, where the paper identifies it by OpenLID. The bias is our own: the share of a language among
the first k passages minus its share among the gold passages, in [−1, 1]; above 0 a retriever favours the language.
Computed for the rankings before and after reranking, it shows what each stage adds. Every question has the same weight,
however many passages it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, inf

import numpy as np

from workbench.core import Ranking
from workbench.metrics.measure import Score
from workbench.metrics.statistics.intervals import Interval, mean_interval

Gold = Mapping[str, Sequence[str]]
"""Gold passage ids (or names of gold pages) by question id."""
GoldLanguages = Mapping[str, str | frozenset[str]]
"""The language of each gold passage, or the languages in which a corpus has a gold."""

RANKING_MEASURES: Mapping[str, str] = {
    **{f"hit@{k}": f"Success@{k}" for k in (1, 3, 5, 10)},
    **{f"recall@{k}": f"R@{k}" for k in (1, 5, 10, 50)},
    **{f"p@{k}": f"P@{k}" for k in (1, 5, 10)},
    "mrr": "RR",
    "map": "AP",
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (5, 10)},
}
"""Our names and the ones of ir-measures."""


def depth_of(name: str) -> int:
    """How many passages of a ranking a measure looks at, 0 for all.

    >>> depth_of("recall@50"), depth_of("mrr")
    (50, 0)
    """
    return int(name.partition("@")[2] or 0)


NO_GOLD_PASSAGE = Score(None, "None of the gold passages lies in the scope.")


@dataclass(frozen=True, slots=True)
class RankingScores:
    """Means over `n` scored questions; `unscored` had no gold passage in the scope. Means are None where n is 0.

    `by_question` has the scores of every question by measure, unscored ones with their reason, as paired tests need
    them.
    """

    means: Mapping[str, float | None]
    n: int
    unscored: int
    by_question: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)

    def interval(self, name: str) -> Interval | None:
        """The 95 % interval of a measure's mean; None below 2 scored questions."""
        values = (scores[name].value for scores in self.by_question.values())
        return mean_interval([value for value in values if value is not None])


def gold_in_scope(golds: Iterable[str], languages: GoldLanguages, scope: Collection[str]) -> tuple[str, ...]:
    """Those of the golds that could have been retrieved: passages in the languages searched, pages with some in them.

    >>> gold_in_scope(["a", "page::b", "gone"], {"a": "fi", "page::b": frozenset({"fi", "en"})}, ["en"])
    ('page::b',)
    """
    return tuple(name for name in golds if name in languages and not _codes(languages[name]).isdisjoint(scope))


def _codes(languages: str | frozenset[str]) -> frozenset[str]:
    return frozenset((languages,)) if isinstance(languages, str) else languages


def score_rankings(
    rankings: Mapping[str, Ranking],
    gold: Gold,
    scope: Sequence[str],
    languages: GoldLanguages,
    depth: int | None = None,
) -> RankingScores:
    """Scores rankings by question id. `languages` gives the language of each gold passage, or those of a gold page.

    Only gold passages in `scope` count. `depth` is how many passages were asked for: a measure that looks further
    down is left unscored.
    """
    measures = [name for name in RANKING_MEASURES if depth is None or depth_of(name) <= depth]
    lists = [
        RankedList(tuple(hit.id for hit in ranking), gold_in_scope(gold.get(name, ()), languages, scope))
        for name, ranking in rankings.items()
    ]
    values_by_question = dict(zip(rankings, score_lists(lists, measures), strict=True))
    scored = [values for values in values_by_question.values() if values]
    by_question = {
        name: {
            measure: Score(values[measure]) if measure in values else too_shallow(depth) for measure in RANKING_MEASURES
        }
        if values
        else dict.fromkeys(RANKING_MEASURES, NO_GOLD_PASSAGE)
        for name, values in values_by_question.items()
    }
    means = {
        name: fsum(values[name] for values in scored) / len(scored) if scored and name in measures else None
        for name in RANKING_MEASURES
    }
    return RankingScores(means, len(scored), len(rankings) - len(scored), by_question)


def too_shallow(depth: int | None) -> Score:
    """The score of a measure that looks further down than a ranking of `depth` passages goes."""
    return Score(None, f"Only {depth} passages were ranked.")


@dataclass(frozen=True, slots=True)
class RankedList:
    """Ids of passages (or names of pages), best first, and the gold ones that could have been retrieved."""

    ids: tuple[str, ...]
    gold: tuple[str, ...]


def score_lists(
    lists: Sequence[RankedList], measures: Iterable[str] = RANKING_MEASURES
) -> list[dict[str, float] | None]:
    """The values of each list by measure; None for a list without gold passages, which cannot be scored."""
    import ir_measures

    named = {ir_measures.parse_measure(RANKING_MEASURES[name]): name for name in measures}
    values = [dict.fromkeys(named.values(), 0.0) if ranking.gold else None for ranking in lists]
    qrels = [ir_measures.Qrel(str(number), name, 1) for number, ranking in enumerate(lists) for name in ranking.gold]
    hits = [
        # A strictly falling score keeps our order: the evaluator would reorder ties.
        ir_measures.ScoredDoc(str(number), name, float(-index))
        for number, ranking in enumerate(lists)
        if ranking.gold
        for index, name in enumerate(dict.fromkeys(ranking.ids))
    ]
    for value in ir_measures.iter_calc(list(named), qrels, hits) if hits else ():
        if (scored := values[int(value.query_id)]) is not None:
            scored[named[value.measure]] = float(value.value)
    return values


def trec_run(rankings: Mapping[str, Ranking], tag: str) -> str:
    """The rankings as a TREC run: question, Q0, passage, rank, score, tag; one line per hit."""
    return "".join(
        trec_lines(name, ((hit.id, hit.score) for hit in ranking), tag) for name, ranking in rankings.items()
    )


def trec_lines(topic: str, hits: Iterable[tuple[str, float]], tag: str) -> str:
    """One ranking's lines of a TREC run; `hits` are ids and scores, best first.

    Evaluators sort by score, as a 32-bit number, and order ties by id: a score that does not fall is lowered by as
    little as keeps our order. A passage that stands twice is written at its first place, since they allow no other.
    """
    firsts: dict[str, float] = {}
    for name, score in hits:
        firsts.setdefault(name, score)
    lowest = np.float32(inf)
    lines: list[str] = []
    for rank, (name, score) in enumerate(firsts.items(), start=1):
        lowest = min(np.float32(score), np.nextafter(lowest, np.float32(-inf)))
        lines.append(f"{trec_word(topic)} Q0 {trec_word(name)} {rank} {lowest:.9g} {trec_word(tag)}\n")
    return "".join(lines)


def trec_word(text: str) -> str:
    """A name as a column of a TREC file, which white space separates: within a name it becomes “_”."""
    return "_".join(text.split()) or "_"


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
