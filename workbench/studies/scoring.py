"""Scores of a batch's answers: each distinct answer to a question is measured once, however many runs gave it.

Answer metrics are those of `metrics.catalogue`; ranking metrics are computed by ir-measures over the passages that
an answer was given. A question none of whose gold passages lies in the scope is unscored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.errors import unknown
from workbench.languages import language
from workbench.metrics import ranking
from workbench.metrics.catalogue import MEASURES, measure
from workbench.metrics.measure import Case
from workbench.metrics.score import Score
from workbench.records import Question

NO_GOLD_PASSAGE = Score(None, "No gold passage lies in the languages searched.")
NO_PASSAGES = Score(None, "Nothing was retrieved.")


@dataclass(frozen=True, slots=True)
class Scorable:
    """One answer: its text, the passages that it was given, best first, and the languages that were searched."""

    question: Question
    text: str
    passages: tuple[str, ...]
    scope: tuple[str, ...]


def checked_metrics(names: Iterable[str]) -> tuple[str, ...]:
    """`names`, if each names a metric. Raises UsageError."""
    chosen = tuple(names)
    allowed = {*MEASURES, *ranking.MEASURES}
    for name in chosen:
        if name not in allowed:
            raise unknown("metric", name, allowed, "For example: char3_recall")
    return chosen


def score(names: Sequence[str], items: Sequence[Scorable], languages: Mapping[str, str]) -> list[dict[str, Score]]:
    """The scores of each item by metric. `languages` gives the language of each gold passage."""
    by_answer = [name for name in names if name not in ranking.MEASURES]
    by_ranking = [name for name in names if name in ranking.MEASURES]
    texts = {(item.question.id, item.question.language, item.text): item for item in items}
    told = _answer_scores(by_answer, list(texts.values())) if by_answer else [{} for _ in texts]
    answers = dict(zip(texts, told, strict=True))
    lists = {(item.question.id, item.question.language, item.passages, item.scope): item for item in items}
    found = _ranking_scores(by_ranking, list(lists.values()), languages) if by_ranking else [{} for _ in lists]
    rankings = dict(zip(lists, found, strict=True))
    return [
        {
            **answers[item.question.id, item.question.language, item.text],
            **rankings[item.question.id, item.question.language, item.passages, item.scope],
        }
        for item in items
    ]


def _answer_scores(names: Sequence[str], items: Sequence[Scorable]) -> list[dict[str, Score]]:
    cases = [
        Case(item.text, item.question.answers, language(item.question.language), question=item.question.text)
        for item in items
    ]
    columns = [measure(name).score(cases) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _ranking_scores(
    names: Sequence[str], items: Sequence[Scorable], languages: Mapping[str, str]
) -> list[dict[str, Score]]:
    import ir_measures

    theirs = {name: ir_measures.parse_measure(ranking.MEASURES[name]) for name in names}
    ours = {str(measured): name for name, measured in theirs.items()}
    scores: list[dict[str, Score]] = []
    qrels, run = [], []
    for number, item in enumerate(items):
        gold = [name for name in item.question.gold if languages.get(name) in item.scope]
        reason = NO_PASSAGES if not item.scope else NO_GOLD_PASSAGE
        scores.append(dict.fromkeys(names, Score(0.0) if gold else reason))
        qrels += [ir_measures.Qrel(str(number), name, 1) for name in gold]
        # A strictly falling score keeps our order: the evaluator would reorder ties.
        run += [
            ir_measures.ScoredDoc(str(number), name, -float(place)) for place, name in enumerate(item.passages) if gold
        ]
    if run:
        for value in ir_measures.iter_calc(list(theirs.values()), qrels, run):
            scores[int(value.query_id)][ours[str(value.measure)]] = Score(float(value.value))
    return scores
