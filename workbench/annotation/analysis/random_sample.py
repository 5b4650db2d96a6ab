"""Whether what was labelled of a queue stands for all answers of its runs: only then may it correct a judge.

A queue is drawn by its seed.  That is not taken on trust: the draw is repeated, and the queue's answers must be those
that it gives.  Each person sees the items in an order of their own that the seed determines, so what was labelled first
is a random part too, unless people put items off: a language with such an item does not count until it is labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_sampling import sample
from workbench.annotation.queue_store import QueueStore
from workbench.experiments import ResultStore
from workbench.workspace import annotation_tables as t

NOT_DRAWN = (
    "The answers of this queue are not those that its seed draws from its runs: its labels may not stand for the "
    "others. Make a new queue from these runs."
)
PUT_OFF = "put off and labelled by nobody: label them first, or what is labelled is not a random sample."


@dataclass(frozen=True, slots=True)
class SampleCheck:
    """`problem` is why no label of the queue may be used, "" where they may; `languages` the same for single ones."""

    problem: str
    languages: Mapping[str, str]

    def of(self, language: str) -> str:
        """Why the labels of a language, "" for all of them together, may not be used; "" where they may."""
        if self.problem:
            return self.problem
        if language:
            return self.languages.get(language, "")
        return next(iter(self.languages.values()), "")


def check_sample(store: ResultStore, queue: AnnotationQueue, runs: Sequence[int]) -> SampleCheck:
    """Repeats the draw of a queue from its runs (stored ids), and looks for items that were put off."""
    items = QueueStore(store).items(queue.id)
    p = t.places.c
    with store.engine.connect() as connection:
        rows = sample(connection, runs, queue.per_language, queue.seed)
        put_off = connection.execute(
            select(p.number).where(p.queue == queue.id, p.showing == 1, p.skipped.is_not(None))
        ).scalars()
        skipped = set(put_off)
    if {row["instance_key"] for row in rows} != {item.instance_key for item in items}:
        return SampleCheck(NOT_DRAWN, {})
    done = {number for number, _ in QueueStore(store).completed(queue.id)}
    return SampleCheck("", _put_off([item for item in items if item.number in skipped - done]))


def _put_off(items: Sequence[QueueItem]) -> dict[str, str]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item.language] = counts.get(item.language, 0) + 1
    return {code: f"{count:,} of its answers were {PUT_OFF}" for code, count in sorted(counts.items())}
