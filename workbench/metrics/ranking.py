"""How good a ranking is: Hit@k, MRR and nDCG@10, computed by ir-measures.

A question none of whose gold passages lies in the scope cannot be scored: it is counted as unscored, not as 0.
Sources: Chirkova et al. 2024 (Table 7); Järvelin and Kekäläinen 2002 (nDCG). Range [0, 1]; higher is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.records import Ranking

Gold = Mapping[str, Sequence[str]]
"""Gold passage ids by question id."""

MEASURES: Mapping[str, str] = {
    "hit@1": "Success@1",
    "hit@3": "Success@3",
    "hit@5": "Success@5",
    "hit@10": "Success@10",
    "mrr": "RR",
    "ndcg@10": "nDCG@10",
}
"""Our names and the ones of ir-measures."""


@dataclass(frozen=True, slots=True)
class RankingScores:
    """Means over `n` scored questions; `unscored` had no gold passage in the scope. Means are None when n is 0."""

    means: Mapping[str, float | None]
    n: int
    unscored: int


def score_rankings(
    rankings: Mapping[str, Ranking], gold: Gold, scope: Sequence[str], languages: Mapping[str, str]
) -> RankingScores:
    """Scores rankings by question id. `languages` gives the language of each gold passage; only gold in `scope` "
    "counts."""
    import ir_measures

    reachable = {name: [item for item in gold.get(name, ()) if languages.get(item) in scope] for name in rankings}
    scored = [name for name, items in reachable.items() if items]
    unscored = len(rankings) - len(scored)
    if not scored:
        return RankingScores(dict.fromkeys(MEASURES), 0, unscored)
    qrels = [ir_measures.Qrel(name, item, 1) for name in scored for item in reachable[name]]
    run = [
        # A strictly falling score keeps our order: the evaluator would reorder ties.
        ir_measures.ScoredDoc(name, hit.id, float(len(rankings[name]) - place))
        for name in scored
        for place, hit in enumerate(rankings[name])
    ]
    wanted = {name: ir_measures.parse_measure(theirs) for name, theirs in MEASURES.items()}
    found = ir_measures.calc_aggregate(list(wanted.values()), qrels, run)
    return RankingScores({name: float(found[measure]) for name, measure in wanted.items()}, len(scored), unscored)


def trec_run(rankings: Mapping[str, Ranking], tag: str) -> str:
    """The rankings as a TREC run: question, Q0, passage, rank, score, tag; one line a hit.

    The columns are parted by white space, so white space in an id becomes “_”.
    """
    lines = [
        f"{'_'.join(name.split())} Q0 {'_'.join(hit.id.split())} {rank} {hit.score:.6f} {tag}"
        for name, ranking in rankings.items()
        for rank, hit in enumerate(ranking, start=1)
    ]
    return "".join(f"{line}\n" for line in lines)
