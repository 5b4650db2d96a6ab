"""Proposals in the workspace's database: one per answer, replaced by a newer one, and kept apart from labels."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import ColumnElement, and_, delete, func, insert, select

from workbench.annotation.diagnosis.proposal import RULES_VERSION, CaseTrial, Proposal
from workbench.core import fingerprint
from workbench.experiments import Filter, Instance, ResultStore, answer_conditions
from workbench.workspace import proposals as table, result_tables as results, verb

CellKey = tuple[str, int, str, str, str]
"""An answer by its experiment's id, its run's number, its dataset, its question's id and its language."""
COLUMNS = ("experiment_id", "run_number", "dataset", "question_name", "language")
"""The columns of such a key."""


class ProposalStore:
    """The proposals of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    @verb("proposals.run")
    def save(self, item: Instance, proposal: Proposal) -> None:
        """Stores a proposal for an answer in place of an earlier one; when it returns, a kill does not lose it."""
        values = {
            **dict(zip(COLUMNS, cell_key(item), strict=True)),
            "fingerprint": item.run.fingerprint,
            "answer_digest": _digest(item),
            "rules": proposal.rules,
            "thorough": proposal.thorough,
            "label": proposal.label,
            "evidence": json.dumps(proposal.evidence, ensure_ascii=False),
            "trials": json.dumps([asdict(trial) for trial in proposal.trials], ensure_ascii=False),
            "saved": time.time(),
        }
        with self._store.engine.begin() as connection:
            connection.execute(delete(table).where(*_of_cell(cell_key(item))))
            connection.execute(insert(table).values(values))

    def of(self, item: Instance) -> Proposal | None:
        """The proposal for an answer as it is now, None where there is none by the present rules."""
        with self._store.engine.connect() as connection:
            row = connection.execute(select(table).where(*_of_cell(cell_key(item)))).first()
        if row is None or row.rules != RULES_VERSION or row.answer_digest != _digest(item):
            return None
        trials = tuple(CaseTrial(**values) for values in json.loads(row.trials))
        return Proposal(row.label, tuple(json.loads(row.evidence)), trials, row.rules, row.thorough)

    def missing(self, items: Sequence[Instance]) -> list[Instance]:
        """Those of some answers that have no proposal by the present rules, in order."""
        if not items:
            return []
        c = table.c
        experiments = {item.run.experiment_id for item in items}
        statement = select(*(c[name] for name in COLUMNS), c.answer_digest).where(
            c.experiment_id.in_(experiments), c.rules == RULES_VERSION
        )
        with self._store.engine.connect() as connection:
            digests = {tuple(row[:-1]): row[-1] for row in connection.execute(statement)}
        return [item for item in items if digests.get(cell_key(item)) != _digest(item)]

    def counts(self, filter_: Filter, conditions: Sequence[ColumnElement[bool]] = ()) -> Counter[tuple[str, str]]:
        """How many of the answers that a filter lets through have each proposed label, by label and language."""
        r, q, a = results.runs.c, results.questions.c, results.answers.c
        statement = (
            select(table.c.label, table.c.language, func.count())
            .select_from(results.answers.join(results.runs, r.id == a.run).join(results.questions, q.id == a.question))
            .join(table, _same_cell())
            .where(*answer_conditions(filter_), *conditions, table.c.rules == RULES_VERSION)
            .group_by(table.c.label, table.c.language)
        )
        with self._store.engine.connect() as connection:
            return Counter({(label, code): count for label, code, count in connection.execute(statement)})

    def drop_orphans(self) -> int:
        """Deletes the proposals of experiments that no longer exist; returns how many."""
        existing = select(results.runs.c.experiment_id)
        with self._store.engine.begin() as connection:
            return int(connection.execute(delete(table).where(table.c.experiment_id.not_in(existing))).rowcount)


def cell_key(item: Instance) -> CellKey:
    """What names an answer also when its experiment is stored again."""
    return (item.run.experiment_id, item.run.number, item.run.dataset, item.question, item.language)


def _of_cell(key: CellKey) -> list[ColumnElement[bool]]:
    return [table.c[name] == value for name, value in zip(COLUMNS, key, strict=True)]


def _same_cell() -> ColumnElement[bool]:
    r, q, p = results.runs.c, results.questions.c, table.c
    same_run = and_(p.experiment_id == r.experiment_id, p.run_number == r.number)
    return and_(same_run, p.dataset == q.dataset, p.question_name == q.name, p.language == q.language)


def _digest(item: Instance) -> str:
    """A digest of what a proposal is about: the answer, its golds and the passages that it was given."""
    return fingerprint("diagnosed", [item.output, list(item.golds), [name for name, _, _ in item.passages]])
