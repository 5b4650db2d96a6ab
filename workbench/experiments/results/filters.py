"""Which results are looked at, and by what they are grouped: filters and dimensions as conditions of SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, select

from workbench.workspace import result_tables as t

ROUNDING = 1e-9
"""What a stored value may differ by from the bound that it is compared with."""

Dimension = str
"""What results are grouped by: `language`, of `RUN_COLUMNS`, or a field of a recipe. `run` is the run's stored id."""
RUN_COLUMNS: Mapping[str, str] = {
    "experiment": "experiment_id",
    "run": "id",
    **{name: name for name in ("title", "dataset", "corpus", "mode", "scope", "prompt", "model", "k", "perturbation")},
}
"""The dimensions that are columns of `runs`, with their names there."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cells are looked at; () for all. `evidence_in` is a choice of questions (see records.Question).

    `choices` are of recipes, as `reranker=pass`: one of those of each field that is named.
    """

    experiments: tuple[str, ...] = ()
    runs: tuple[int, ...] = ()
    datasets: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    k: tuple[int, ...] = ()
    perturbations: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    evidence_in: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


def of_questions_of(filter_: Filter, runs: Iterable[int]) -> Filter:
    """The cells of some runs whose questions a filter lets through, whatever else it says."""
    return Filter(runs=tuple(runs), languages=filter_.languages, evidence_in=filter_.evidence_in)


def run_column(name: Dimension) -> ColumnElement[Any]:
    """The column of `runs` that a dimension of `RUN_COLUMNS` groups by."""
    return t.runs.c[RUN_COLUMNS[name]]


def run_conditions(filter_: Filter) -> list[ColumnElement[bool]]:
    """The conditions of a filter on a row of `runs`."""
    r = t.runs.c
    allowed = (
        (r.experiment_id, filter_.experiments),
        (r.id, filter_.runs),
        (r.dataset, filter_.datasets),
        (r.mode, filter_.modes),
        (r.scope, filter_.scopes),
        (r.prompt, filter_.prompts),
        (r.model, filter_.models),
        (r.k, filter_.k),
        (r.perturbation, filter_.perturbations),
    )
    return [column.in_(values) for column, values in allowed if values]


def run_ids(filter_: Filter) -> Select[tuple[int]]:
    """The ids of the runs that a filter lets through."""
    return select(t.runs.c.id).where(*run_conditions(filter_))


def score_conditions(filter_: Filter) -> list[ColumnElement[bool]]:
    """The conditions of a filter on a row of `scores`."""
    return _cell_conditions(filter_, t.scores.c.run, t.scores.c.language, t.scores.c.question)


def answer_conditions(filter_: Filter) -> list[ColumnElement[bool]]:
    """The conditions of a filter on a row of `answers`."""
    return _cell_conditions(filter_, t.answers.c.run, t.answers.c.language, t.answers.c.question)


def total_conditions(filter_: Filter, totals: Table) -> list[ColumnElement[bool]]:
    """The conditions of a filter on a row of totals by run and language, which know nothing of single questions."""
    conditions: list[ColumnElement[bool]] = []
    if run_conditions(filter_):
        conditions.append(totals.c.run.in_(run_ids(filter_)))
    if filter_.languages:
        conditions.append(totals.c.language.in_(filter_.languages))
    return conditions


def _cell_conditions(
    filter_: Filter, run: ColumnElement[int], language: ColumnElement[str], question: ColumnElement[int]
) -> list[ColumnElement[bool]]:
    q = t.questions.c
    conditions: list[ColumnElement[bool]] = [run.in_(run_ids(filter_))] if run_conditions(filter_) else []
    if filter_.languages:
        conditions.append(language.in_(filter_.languages))
    if filter_.evidence_in:
        conditions.append(question.in_(select(q.id).where(q.evidence_in.in_(filter_.evidence_in))))
    return conditions


def failed_or_not(failed: bool | None) -> list[ColumnElement[bool]]:
    """Failed answers, the others, or both where None."""
    return [] if failed is None else [t.answers.c.failed.is_(failed)]


def given_in(language: str) -> list[ColumnElement[bool]]:
    """Answers that were given a document in a language; all answers where ""."""
    if not language:
        return []
    a, d = t.answers.c, t.document_languages.c
    given = select(d.run).where(d.run == a.run, d.question == a.question, d.language == language)
    return [given.correlate(t.answers).exists()]


def of_answer(answer: int) -> list[ColumnElement[bool]]:
    """The answer with a stored id."""
    return [t.answers.c.id == answer]


def of_questions(*questions: int) -> list[ColumnElement[bool]]:
    """Answers to questions by their stored ids."""
    return [t.answers.c.question.in_(questions)]


def score_of(metric: str) -> ColumnElement[Any]:
    """An answer's value of a metric as a column of `answers`: NULL where it was not scored or has no value."""
    s, a = t.scores.c, t.answers.c
    named = select(t.metrics.c.id).where(t.metrics.c.name == metric).scalar_subquery()
    same = (s.metric == named, s.run == a.run, s.language == a.language, s.question == a.question)
    return select(s.value).where(*same).correlate(t.answers).scalar_subquery()


def scored_within(metric: str, low: float, high: float) -> list[ColumnElement[bool]]:
    """Answers whose value of a metric lies from `low` to `high`, both included."""
    return [score_of(metric).between(low - ROUNDING, high + ROUNDING)]


def not_scored(metric: str) -> list[ColumnElement[bool]]:
    """Answers without a value of a metric."""
    return [score_of(metric).is_(None)]


def answered_in(language: str | None) -> list[ColumnElement[bool]]:
    """Answers in a language, "" for those whose language was not detected; all answers where None."""
    return [] if language is None else [t.answers.c.answer_language == language]
