"""Scores of a batch's answers: each distinct answer to a question is measured once, however many runs gave it.

Answer metrics are those of `metrics.catalogue`; ranking metrics are computed by ir-measures over the passages that
an answer was given. A question none of whose gold passages lies in the scope is unscored. Judged metrics look at what
the generator was given and wrote as well, and carry their judge in their names; metrics that ask for a text's language
carry its identifier there, unless it is the built-in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.components.identifiers import IdentifierInUse
from workbench.errors import UsageError, unknown
from workbench.languages import language
from workbench.metrics import ranking
from workbench.metrics.catalogue import BY_IDENTIFIER, MEASURES, measures_by
from workbench.metrics.judged.judge import NAMES as JUDGED
from workbench.metrics.judged.judge import OF_OUTPUT
from workbench.metrics.judged.judge_names import judged_name, metric_in
from workbench.metrics.measure import Case, Measure, Score
from workbench.records import Question

DEFAULT_METRICS = ("char3_recall", "char3_recall_paper", "flexible_em", "clr", "hit@5")
NO_GOLD_PASSAGE = Score(None, "No gold passage lies in the languages searched.")
NO_PASSAGES = Score(None, "Nothing was retrieved.")


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """What a judge must see besides an answer: the texts of the passages as they were handed over, best first, the
    instructions, and all that the generator wrote ("" where that is the answer).
    """

    passages: tuple[str, ...] = ()
    instructions: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class Scorable:
    """One answer: its text, the passages that it was given, best first, and the languages that were searched. `seen` is
    for judges alone.
    """

    question: Question
    text: str
    passages: tuple[str, ...]
    scope: tuple[str, ...]
    seen: JudgeContext = JudgeContext()


def checked_metrics(names: Iterable[str], judge: str = "") -> tuple[str, ...]:
    """`names`, if each names a metric; judged ones as they are called by this judge. Raises UsageError."""
    chosen = tuple(names)
    allowed = {*MEASURES, *ranking.MEASURES, *JUDGED}
    for name in chosen:
        if name not in allowed:
            raise unknown("metric", name, allowed, "For example: char3_recall")
        if name in JUDGED and not judge:
            raise UsageError(
                f"The metric {name} needs a judge: name a generator as the “judge”, for example: "
                "openai-like:MODEL@ENDPOINT"
            )
    if judge and not any(name in JUDGED for name in chosen):
        raise UsageError("A judge is named, but no metric that it gives. Leave it out, or add one, for example: g_eval")
    return tuple(judged_name(name, judge) if name in JUDGED else name for name in chosen)


def stored_name(metric: str, mark: str) -> str:
    """What figures of a metric are stored under where the identifier of `mark` tells languages; "" is the built-in one.

    >>> stored_name("clr", "glotlid~1a2b3c"), stored_name("clr", ""), stored_name("rouge_l", "glotlid~1a2b3c")
    ('clr@glotlid~1a2b3c', 'clr', 'rouge_l')
    """
    return f"{metric}@{mark}" if mark and metric in BY_IDENTIFIER else metric


def answer_measures(told: IdentifierInUse) -> dict[str, Measure]:
    """The answer metrics, with the identifier that they ask, by what their figures are stored under."""
    return {stored_name(name, told.mark): item for name, item in measures_by(told.detector).items()}


def score(
    names: Sequence[str],
    items: Sequence[Scorable],
    languages: Mapping[str, str],
    measures: Mapping[str, Measure] = MEASURES,
) -> list[dict[str, Score]]:
    """The scores of each item by metric. `languages` gives the language of each gold passage; `measures` are the
    answer metrics and the judged ones, by what their figures are stored under.
    """
    by_judge = [name for name in names if metric_in(name)]
    by_ranking = [name for name in names if name in ranking.MEASURES]
    by_answer = [name for name in names if name not in (*by_judge, *by_ranking)]
    texts = {(item.question.id, item.question.language, item.text): item for item in items}
    told = _answer_scores(by_answer, list(texts.values()), measures) if by_answer else [{} for _ in texts]
    answers = dict(zip(texts, told, strict=True))
    lists = {(item.question.id, item.question.language, item.passages, item.scope): item for item in items}
    found = _ranking_scores(by_ranking, list(lists.values()), languages) if by_ranking else [{} for _ in lists]
    rankings = dict(zip(lists, found, strict=True))
    views = {(item.question.id, item.question.language, item.text, item.seen): item for item in items}
    said = _judged_scores(by_judge, list(views.values()), measures) if by_judge else [{} for _ in views]
    judgements = dict(zip(views, said, strict=True))
    return [
        {
            **answers[item.question.id, item.question.language, item.text],
            **rankings[item.question.id, item.question.language, item.passages, item.scope],
            **judgements[item.question.id, item.question.language, item.text, item.seen],
        }
        for item in items
    ]


def _answer_scores(
    names: Sequence[str], items: Sequence[Scorable], measures: Mapping[str, Measure]
) -> list[dict[str, Score]]:
    cases = [_case(item) for item in items]
    columns = [measures[name].score(cases) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _judged_scores(
    names: Sequence[str], items: Sequence[Scorable], measures: Mapping[str, Measure]
) -> list[dict[str, Score]]:
    answers = [replace(_case(item), passages=item.seen.passages, instructions=item.seen.instructions) for item in items]
    outputs = [
        replace(case, prediction=item.seen.output or item.text) for case, item in zip(answers, items, strict=True)
    ]
    columns = [measures[name].score(outputs if metric_in(name) in OF_OUTPUT else answers) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _case(item: Scorable) -> Case:
    return Case(item.text, item.question.answers, language(item.question.language), question=item.question.text)


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
