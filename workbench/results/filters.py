"""Which results are looked at, and by what they are grouped: filters and dimensions as conditions of SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, Table, select

from workbench.languages import is_known
from workbench.storage import result_tables as t

Dimension = Literal[
    "experiment",
    "run",
    "title",
    "dataset",
    "corpus",
    "mode",
    "scope",
    "prompt",
    "model",
    "k",
    "perturbation",
    "language",
]
"""What results are grouped by. `run` is the run's stored id."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cells are looked at; () for all. `found_in` is the questions' own (see records.Question)."""

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
    found_in: tuple[str, ...] = ()


def dimension(name: Dimension, language: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column that a dimension groups by; `language` is the column of the table that is read."""
    if name == "language":
        return language
    return t.runs.c["id" if name == "run" else name].label(f"by_{name}")


def run_conditions(chosen: Filter) -> list[ColumnElement[bool]]:
    """What a filter asks of a row of `runs`."""
    r = t.runs.c
    wanted = (
        (r.experiment, chosen.experiments),
        (r.id, chosen.runs),
        (r.dataset, chosen.datasets),
        (r.mode, chosen.modes),
        (r.scope, chosen.scopes),
        (r.prompt, chosen.prompts),
        (r.model, chosen.models),
        (r.k, chosen.k),
        (r.perturbation, chosen.perturbations),
    )
    return [column.in_(values) for column, values in wanted if values]


def run_ids(chosen: Filter) -> Select[tuple[int]]:
    """The ids of the runs that a filter lets through."""
    return select(t.runs.c.id).where(*run_conditions(chosen))


def score_conditions(chosen: Filter) -> list[ColumnElement[bool]]:
    """What a filter asks of a row of `scores`."""
    return _cell_conditions(chosen, t.scores.c.run, t.scores.c.language, t.scores.c.question)


def answer_conditions(chosen: Filter) -> list[ColumnElement[bool]]:
    """What a filter asks of a row of `answers`."""
    return _cell_conditions(chosen, t.answers.c.run, t.answers.c.language, t.answers.c.question)


def total_conditions(chosen: Filter, totals: Table) -> list[ColumnElement[bool]]:
    """What a filter asks of a row of totals by run and language, which tell nothing of single questions."""
    made: list[ColumnElement[bool]] = [totals.c.run.in_(run_ids(chosen))] if run_conditions(chosen) else []
    return [*made, totals.c.language.in_(chosen.languages)] if chosen.languages else made


def _cell_conditions(
    chosen: Filter, run: ColumnElement[int], language: ColumnElement[str], question: ColumnElement[int]
) -> list[ColumnElement[bool]]:
    made: list[ColumnElement[bool]] = [run.in_(run_ids(chosen))] if run_conditions(chosen) else []
    if chosen.languages:
        made.append(language.in_(chosen.languages))
    if chosen.found_in:
        made.append(question.in_(select(t.questions.c.id).where(t.questions.c.found_in.in_(chosen.found_in))))
    return made


def failed_or_not(failed: bool | None) -> list[ColumnElement[bool]]:
    """Failed answers, the others, or both where None."""
    return [] if failed is None else [t.answers.c.failed.is_(failed)]


def given_in(code: str) -> list[ColumnElement[bool]]:
    """Answers that were given a document in the language `code`; any where ""."""
    if not code:
        return []
    # Passages are stored as compact JSON: [["id","fi",0.5],…].  A code that is none finds nothing.
    wanted = code if is_known(code) else "?"
    return [t.answers.c.passages.contains(f'","{wanted}",', autoescape=True)]


def answered_in(code: str | None) -> list[ColumnElement[bool]]:
    """Answers in the language `code`, "" for those whose language was not detected; any where None."""
    return [] if code is None else [t.answers.c.answer_language == code]
