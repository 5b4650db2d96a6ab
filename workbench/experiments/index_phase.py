"""The first phase of an experiment: the indexes that its runs search and its corpora lack, where they can be built.

They are resumed from what an indexing job began, and stay for everybody who asks the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Protocol

from workbench.app import Workbench
from workbench.components import EncoderSpread
from workbench.experiments.experiment import Run
from workbench.experiments.oracle import ORACLE
from workbench.jobs import build_now, index_wishes
from workbench.pipeline import StepCounts
from workbench.workspace import Job

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
