"""Proposals for many answers, one after another: each is stored as soon as it is there.

A kill loses the answer at work and no other: the next batch over the same answers goes on with those that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event

from workbench.annotation.diagnosis.diagnosing import Diagnosing
from workbench.annotation.diagnosis.proposal_store import ProposalStore
from workbench.app import Workbench
from workbench.core import JobStopped
from workbench.experiments import Instance, ResultStore
from workbench.workspace import Job, Jobs, RunningJob, batched, result_tables as t, verb

OnProgress = Callable[[int, int], None]
"""Called with the number of answers that have a proposal, and of all."""
BATCH = "proposals"
"""The id of the job: a workspace has one batch at a time."""
AT_ONCE = 500
"""Answers that are read together."""


def unwatched(_done: int, _total: int) -> None:
    """An OnProgress that does nothing."""


@verb("proposals.run")
def propose_for(
    workbench: Workbench,
    items: Sequence[Instance],
    *,
    sends: bool,
    on_progress: OnProgress = unwatched,
    stop: Event | None = None,
) -> None:
    """Proposes for those of some answers that have no proposal by the present rules; the others count as done.

    `sends`: whether texts may be sent to the recipes' hosts. Raises JobStopped once `stop` is set, between two answers.
    """
    store = ProposalStore(ResultStore.at(workbench.settings.database_url))
    diagnosing = Diagnosing(workbench, sends=sends)
    store.drop_orphans()
    left = store.missing(items)
    for number, item in enumerate(left, start=1):
        if stop is not None and stop.is_set():
            raise JobStopped
        store.save(item, diagnosing.propose(item))
        on_progress(len(items) - len(left) + number, len(items))


@dataclass(frozen=True, slots=True)
class ProposalParameters:
    """The answers to propose for, by their numbers, and whether texts may be sent to the recipes' hosts."""

    answers: tuple[int, ...]
    sends: bool = False


class ProposalJobs(Jobs):
    """The batch of proposals in a workspace."""

    kind = "proposals"

    @verb("proposals.run")
    def start(self, answers: Sequence[int], *, sends: bool) -> bool:
        """Starts proposing for answers; False where a batch is at work already."""
        return self.launch(BATCH, ProposalParameters(tuple(answers), sends))

    def batch(self) -> Job | None:
        """How the latest batch stands; None where there was none."""
        return self.job(BATCH)


def run_proposals(task: RunningJob, parameters: ProposalParameters) -> None:
    """Proposes for the answers that are still stored."""
    stored = {item.answer: item for item in _stored(ResultStore(task.jobs.engine), parameters.answers)}
    items = [stored[number] for number in parameters.answers if number in stored]
    task.tell("proposing", 0, len(items))

    def on_progress(done: int, total: int) -> None:
        task.tell("proposing", done, total)

    propose_for(Workbench(task.settings), items, sends=parameters.sends, on_progress=on_progress, stop=task.stop)


def _stored(store: ResultStore, answers: Sequence[int]) -> Iterator[Instance]:
    for numbers in batched(answers, AT_ONCE):
        yield from store.of().instances(limit=len(numbers), conditions=[t.answers.c.id.in_(numbers)])
