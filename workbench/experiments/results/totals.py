"""Totals by run and language, added up as results are written, so that a dashboard does not read a million rows.

They are written in the transaction of the rows that they count, so they are never out of step with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, update
from sqlalchemy.dialects import postgresql, sqlite

from workbench.workspace import result_tables as t

Row = Mapping[str, Any]


def add_answers(connection: Connection, answers: Iterable[Row]) -> None:
    """Counts rows of `answers`: how many there are and failed, their seconds and tokens."""
    _add(connection, t.answer_totals, (_of_answer(row) for row in answers))


def add_scores(connection: Connection, scores: Iterable[Row]) -> None:
    """Counts rows of `scores`: cells, those with a value, its sum and the sum of its squares."""
    _add(connection, t.score_totals, (_of_score(row) for row in scores))


def add_flows(connection: Connection, answers: Iterable[tuple[Row, Sequence[str]]]) -> None:
    """Counts the documents of rows of `answers`, which come with the languages of their documents."""
    _add(connection, t.flows, (_of_document(row, code) for row, codes in answers for code in codes))


def clear_failed(connection: Connection, runs: Select[tuple[int]]) -> None:
    """Takes the failed cells of some runs out of the totals."""
    connection.execute(update(t.answer_totals).where(t.answer_totals.c.run.in_(runs)).values(failed=0))


def _of_answer(row: Row) -> Row:
    failed = bool(row["failed"])
    return {
        "run": row["run"],
        "language": row["language"],
        "answered": int(not failed),
        "failed": int(failed),
        "seconds": 0.0 if failed else row["seconds"],
        "prompt_tokens": row["prompt_tokens"] or 0,
        "completion_tokens": row["completion_tokens"] or 0,
    }


def _of_score(row: Row) -> Row:
    value = row["value"]
    return {
        "metric": row["metric"],
        "run": row["run"],
        "language": row["language"],
        "cells": 1,
        "n": int(value is not None),
        "total": value or 0.0,
        "squares": (value or 0.0) ** 2,
    }


def _of_document(row: Row, code: str) -> Row:
    return {
        "run": row["run"],
        "language": row["language"],
        "document_language": code,
        "answer_language": row["answer_language"],
        "documents": 1,
    }


def _add(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Adds each row's figures to those that are stored under its key."""
    keys = [column.name for column in table.primary_key]
    figures = [column.name for column in table.columns if not column.primary_key]
    sums: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        sum_ = sums.setdefault(tuple(row[name] for name in keys), [0] * len(figures))
        for place, name in enumerate(figures):
            sum_[place] += row[name]
    if not sums:
        return
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table)
    added = {name: table.c[name] + statement.excluded[name] for name in figures}
    new_rows = [dict(zip([*keys, *figures], [*key, *sum_], strict=True)) for key, sum_ in sorted(sums.items())]
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=added), new_rows)
