"""Stages that are run by the workers of a pool: those that call a model which runs on a machine of ours.

The cache, what is stored, its order and its progress stay with the process that has the executor: it gives states to
the pool and gets them back with the fields that the stage added. What calls a service is run in this process, as its
host's limits and keys are known here. So is the search of a corpus that is in a store: a worker may not reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.components.hosts import runs_here
from workbench.components.ray.ray_pool import RayPool
from workbench.components.ray.ray_worker import StageOrder
from workbench.core import WorkbenchError, current_stop
from workbench.data import read_store
from workbench.pipeline import BoundStage, ChainOrigin, InThisProcess, ModelStage, State, StepOutcome

BLOCKS = 4
"""Blocks for each worker, of the steps that are given at once: whoever is done early takes another."""
SEARCHING = "encoder"
"""The model of the stage that searches the corpus."""
STOPPED = "It was stopped before its turn."


@dataclass
class RayStages:
    """Implements `StageRunner` over a pool."""

    pool: RayPool
    here: InThisProcess = field(default_factory=InThisProcess)

    def run(self, stage: BoundStage, states: Sequence[State]) -> Sequence[StepOutcome]:
        """What the stage makes of each state, in order; where the work shall stop, what was finished by then.

        Raises WorkbenchError where a worker cannot make the stage or is lost for good.
        """
        if stage.origin is None or not is_distributed(stage, stage.origin):
            return self.here.run(stage, states)
        origin = stage.origin
        order = StageOrder(origin.recipe, origin.corpus.manifest, origin.corpus.folder, stage.name, stage.identity)
        size = -(-len(states) // (BLOCKS * len(self.pool)))
        blocks = ((order, list(states[start : start + size])) for start in range(0, len(states), size))
        ran: list[StepOutcome] = []
        for results in self.pool.results("run_stage", blocks, current_stop()):
            for added, failure, seconds in results:
                before = states[len(ran)]
                result = WorkbenchError(failure) if failure else replace(before, **added)
                ran.append(StepOutcome.of(stage.stage, before, result, seconds))
        return ran + [StepOutcome(state, failure=STOPPED) for state in states[len(ran) :]]


def is_distributed(stage: BoundStage, origin: ChainOrigin) -> bool:
    """Whether a stage calls models, all of them run on machines of ours, and it searches no store.

    Raises DataError where the file that names the corpus's store is damaged.
    """
    if not isinstance(stage.stage, ModelStage) or not stage.stage.models:
        return False
    if SEARCHING in stage.stage.models and read_store(origin.corpus.folder) is not None:
        return False
    return all(runs_here(getattr(origin.recipe, name)) for name in stage.stage.models)
