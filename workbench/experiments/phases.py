"""The phases of an experiment: the indexes that it lacks, then those derived from the chains of its runs.

Each of the latter takes a batch up to a stage whose outputs are cached, so a later phase, a later job and another
experiment read them. The last goes from the first stage that is not cached to the scored answer. Indexes are resumed
from what an indexing job began, and stay for everybody who asks the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, takewhile
from threading import Event
from typing import Protocol

from workbench.app import Workbench
from workbench.components import EncoderSpread
from workbench.experiments.experiment import Run
from workbench.experiments.perturbation import ORACLE
from workbench.jobs import build_now, index_wishes
from workbench.pipeline import BoundStage, StepCounts
from workbench.workspace import Job

TITLES = {
    "translate question": "translating questions",
    "expand query": "expanding questions",
    "retrieve": "retrieving",
    "augment": "adding neighbours",
    "rerank": "reranking",
    "filter": "filtering",
    "perturb": "perturbing",
    "translate passages": "translating passages",
    "compress": "compressing passages",
}
"""What people read while a phase is under way, by the stage that ends it; another stage's name is its own title."""
LAST_TITLE = "answering"
NO_STAGE = "none"
"""The name of the only phase where no run has a chain."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of an experiment's work. `name`: the stage that ends it; `stages`: every stage up to that, in order."""

    name: str
    title: str
    stages: tuple[str, ...]
    is_last: bool = False


def stage_order(chains: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Every stage's name once, so that each chain, given as names, keeps its order; whatever the chains' own order.

    Raises ValueError where two chains order their stages differently, or one has a stage twice.

    >>> stage_order([["retrieve", "compose"], ["translate", "retrieve", "rerank", "compose"]])
    ('translate', 'retrieve', 'rerank', 'compose')
    """
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for chain in sorted({tuple(chain) for chain in chains}):
        for name in chain[:1]:
            sorter.add(name)
        for before, after in pairwise(chain):
            sorter.add(after, before)
    try:
        return tuple(sorter.static_order())
    except CycleError as error:
        cycle = " → ".join(error.args[1])
        raise ValueError(f"The chains of one experiment put their stages in different orders: {cycle}") from error


def derive_phases(chains: Iterable[Sequence[BoundStage]]) -> tuple[Phase, ...]:
    """The phases in order: one per cacheable stage before the first that is not, and the last. Raises ValueError."""
    distinct = {tuple(stage.name for stage in chain): chain for chain in chains}
    order = stage_order(distinct)
    uncacheable = {stage.name for chain in distinct.values() for stage in chain if not stage.stage.cacheable}
    early = list(takewhile(lambda name: name not in uncacheable, order[:-1]))
    phases = [Phase(name, TITLES.get(name, name), order[: number + 1]) for number, name in enumerate(early)]
    return (*phases, Phase(order[-1] if order else NO_STAGE, LAST_TITLE, order, is_last=True))


INDEXING = "indexing"
"""The phase's title. Its progress counts passages, not batches."""


class OnPassages(Protocol):
    """Called with the phase's title, the passages encoded and in all, and the counts of steps."""

    def __call__(self, phase: str, done: int, total: int, counts: StepCounts, /) -> object:
        """Reports progress."""


def missing_indexes(workbench: Workbench, runs: Sequence[Run]) -> tuple[tuple[str, str], ...]:
    """The (corpus, encoder) pairs that runs search by and that can be built on demand, but are not there yet."""
    wishes = index_wishes(run.recipe for run in runs if run.perturbation != ORACLE)
    is_indexed = workbench.registry.is_indexed
    return tuple((name, encoder) for name, encoder in wishes if not is_indexed(workbench.corpus(name), encoder))


def build_indexes(
    workbench: Workbench,
    runs: Sequence[Run],
    *,
    stop: Event,
    on_batch: OnPassages,
    counts: StepCounts,
    spread: EncoderSpread | None = None,
) -> None:
    """Builds what `missing_indexes` lists. `spread`: which processes encode, if not this.

    Raises JobStopped where `stop` was set or somebody stopped the indexing.
    """

    def watch(job: Job) -> None:
        on_batch(INDEXING, job.done, job.total, counts)

    for name, encoder in missing_indexes(workbench, runs):
        build_now(workbench, name, encoder, watch=watch, shall_stop=stop.is_set, spread=spread)
