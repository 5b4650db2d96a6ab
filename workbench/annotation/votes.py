"""Blind votes in the workspace's database: every vote is a row, and one that is taken back stays as one.

A vote is one transaction: when `vote` returns, it survives the end of the process. Nobody votes twice on an item; the
database refuses it, too. Which run is which is revealed to a person once, and the time is kept: what they vote after
that is not blind, and `votes` says so.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, RowMapping, Select, func, insert, select, update

from workbench.annotation.ballot import PRESSED, Ballot, BallotItem, Pressed, Vote, first_is_a, sample_items, to_choice
from workbench.annotation.queue_rows import checked_name
from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments import Filter, ResultStore
from workbench.workspace import alone, verb, vote_tables as t

PER_LANGUAGE_MOST = 500


class VoteStore:
    """The ballots and votes of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    @verb("queues.create", "{name}")
    def create(
        self, name: str, runs: tuple[int, int], titles: tuple[str, str], *, per_language: int = 20, seed: int = 0
    ) -> Ballot:
        """A ballot over two runs (stored ids) with the titles that the results name them by.

        Raises UsageError for a name that is taken or not allowed, for runs that cannot be compared, and where no
        question has two different answers; nothing is stored then.
        """
        title = checked_name(name, "ballot")
        if not 1 <= per_language <= PER_LANGUAGE_MOST:
            raise UsageError(f"{per_language} questions per language were requested: choose 1 to {PER_LANGUAGE_MOST}.")
        stored = {run.id: run for run in self._store.where(Filter(runs=runs)).runs()}
        if len(stored) != 2:
            raise UsageError("A ballot needs two different runs of this workspace: choose two of the list.")
        first, second = stored[runs[0]], stored[runs[1]]
        if (first.experiment_id, first.dataset) != (second.experiment_id, second.dataset):
            raise UsageError("The two runs must answer one dataset in one experiment: choose two such runs.")
        with self._alone() as connection:
            if connection.execute(select(t.ballots.c.id).where(t.ballots.c.name == title)).first():
                raise UsageError(f"A ballot “{shorten(title)}” exists already: type another name.")
            rows, same = sample_items(connection, runs, per_language, seed)
            if not rows:
                raise UsageError("These two runs have no question with two different answers: choose other runs.")
            ballot = Ballot(
                uuid4().hex[:12], title, first.experiment_id, first.dataset, first.number, second.number, *titles,
                per_language, seed, same, time.time(),
            )  # fmt: skip
            values = {name: getattr(ballot, name) for name in Ballot.__dataclass_fields__}
            connection.execute(insert(t.ballots).values(values))
            numbered = [{"ballot": ballot.id, "number": number, **row} for number, row in enumerate(rows, start=1)]
            connection.execute(insert(t.ballot_items), numbered)
        return ballot

    def ballots(self) -> list[Ballot]:
        """All ballots, the newest first."""
        with self._store.engine.connect() as connection:
            rows = connection.execute(select(t.ballots).order_by(t.ballots.c.created.desc(), t.ballots.c.id))
            return [Ballot(**row._mapping) for row in rows]

    def items(self, ballot_id: str) -> list[BallotItem]:
        """The items of a ballot, in the order in which everybody gets them."""
        with self._store.engine.connect() as connection:
            return [BallotItem(**row._mapping) for row in connection.execute(_items(ballot_id))]

    def open_items(self, ballot_id: str, voter: str, languages: Collection[str] = ()) -> list[BallotItem]:
        """The items on which a person has not voted, in order; only in `languages` where some are given."""
        v, i = t.votes.c, t.ballot_items.c
        mine = select(v.number).where(
            v.ballot == ballot_id, v.voter == checked_name(voter, "voter"), v.undone.is_(None)
        )
        statement = _items(ballot_id).where(i.number.not_in(mine))
        if languages:
            statement = statement.where(i.language.in_(languages))
        with self._store.engine.connect() as connection:
            return [BallotItem(**row._mapping) for row in connection.execute(statement)]

    @verb("votes.cast", "{ballot.name}")
    def vote(self, ballot: Ballot, number: int, voter: str, pressed: Pressed, *, now: float | None = None) -> Vote:
        """Stores what a person said about an item, as they saw it.

        Raises UsageError, after which nothing is stored, for an item that the ballot does not have and for one on which
        the person has voted already.
        """
        person = checked_name(voter, "voter")
        if pressed not in PRESSED:
            raise unknown_name("vote", pressed, PRESSED)
        is_first_a = first_is_a(ballot, number, person)
        v = t.votes.c
        with self._alone() as connection:
            if connection.execute(_items(ballot.id).where(t.ballot_items.c.number == number)).first() is None:
                raise UsageError(f"The ballot has no item {number}: choose one of its numbers, which count from 1.")
            where = (v.ballot == ballot.id, v.number == number, v.voter == person, v.undone.is_(None))
            if connection.execute(select(v.id).where(*where)).first():
                raise UsageError(f"You have voted on question {number} already: take that vote back to change it.")
            vote = Vote(
                ballot.id,
                number,
                person,
                to_choice(pressed, is_first_a=is_first_a),
                is_first_a,
                round(time.time() if now is None else now, 6),
            )
            names = ("ballot", "number", "voter", "choice", "first_is_a", "saved")
            connection.execute(insert(t.votes).values({name: getattr(vote, name) for name in names}))
        return vote

    @verb("votes.cast", "{ballot_id}")
    def undo(self, ballot_id: str, voter: str, *, now: float | None = None) -> int:
        """Takes back a person's last vote; returns its item's number, 0 where there is none."""
        v, person = t.votes.c, checked_name(voter, "voter")
        last = select(v.id, v.number).where(v.ballot == ballot_id, v.voter == person, v.undone.is_(None))
        with self._alone() as connection:
            row = connection.execute(last.order_by(v.id.desc()).limit(1)).first()
            if row is None:
                return 0
            undone = time.time() if now is None else now
            connection.execute(update(t.votes).where(v.id == row.id).values(undone=undone))
            return int(row.number)

    def votes(self, ballot_id: str) -> list[Vote]:
        """The votes of a ballot that were not taken back, in the order in which they were cast."""
        v, r = t.votes.c, t.reveals.c
        statement = (
            select(v.ballot, v.number, v.voter, v.choice, v.first_is_a, v.saved, r.seen)
            .join(t.reveals, (r.ballot == v.ballot) & (r.voter == v.voter), isouter=True)
            .where(v.ballot == ballot_id, v.undone.is_(None))
            .order_by(v.id)
        )
        with self._store.engine.connect() as connection:
            return [_vote(row) for row in connection.execute(statement).mappings()]

    @verb("votes.reveal", "{ballot_id}")
    def reveal(self, ballot_id: str, voter: str, *, now: float | None = None) -> None:
        """Notes that a person sees which run is which; the first time counts."""
        person = checked_name(voter, "voter")
        r = t.reveals.c
        with self._alone() as connection:
            if not connection.execute(select(r.seen).where(r.ballot == ballot_id, r.voter == person)).first():
                values = {"ballot": ballot_id, "voter": person, "seen": time.time() if now is None else now}
                connection.execute(insert(t.reveals).values(values))

    def has_seen(self, ballot_id: str, voter: str) -> bool:
        """Whether a person has seen which run is which."""
        r = t.reveals.c
        where = (r.ballot == ballot_id, r.voter == checked_name(voter, "voter"))
        with self._store.engine.connect() as connection:
            return bool(connection.execute(select(func.count()).select_from(t.reveals).where(*where)).scalar())

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        with alone(self._store.engine) as connection:
            yield connection


def _items(ballot_id: str) -> Select[Any]:
    return select(t.ballot_items).where(t.ballot_items.c.ballot == ballot_id).order_by(t.ballot_items.c.number)


def _vote(row: RowMapping) -> Vote:
    values = {name: row[name] for name in ("ballot", "number", "voter", "choice", "first_is_a", "saved")}
    return Vote(**values, is_blind=row["seen"] is None or row["saved"] <= row["seen"])
