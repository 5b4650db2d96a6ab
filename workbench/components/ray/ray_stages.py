"""Work for a pool of workers: the passages of an index to encode, and stages that call a model on our machines.

Encoded passages come back in order, so whoever builds an index from them writes the same files. Of an experiment, the
cache, what is stored, its order and its progress stay with the process that has the executor: it gives states to the
pool and gets them back with the fields that the stage added. What calls a service is run in this process, as its host's
limits and keys are known here. So is the search of a corpus that is in a store: a worker may not reach it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from workbench.components.ray.ray_pool import RayPool
from workbench.components.ray.ray_worker import EncoderOrder, StageOrder
from workbench.components.references import runs_here
from workbench.core import Encoder, FloatArray, Passage, Query, UsageError, WorkbenchError, current_stop
from workbench.data import read_store
from workbench.pipeline import BoundStage, ChainOrigin, InThisProcess, ModelStage, State, StepOutcome
from workbench.retrieval import SparseEncoder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


EncoderT = TypeVar("EncoderT", Encoder, SparseEncoder)
SMALLEST, LARGEST = 8, 256
"""Passages of a block: fewer cost more to send than to encode, and more fit into no model at once."""
BLOCKS = 4
"""Blocks for each worker, where there is work enough: whoever is done early takes another."""


@dataclass(frozen=True, slots=True)
class RaySpread:
    """Spreads the encoding of an index over a pool; an `EncoderSpread`."""

    pool: RayPool

    def dense(self, name: str, centring: float, encoder: Encoder) -> Encoder:
        """The encoder `name`, which workers make as this process made `encoder`. Raises UsageError for a service."""
        check_local(name)
        return RayEncoder(encoder, self.pool, EncoderOrder(name, "dense", encoder.identity, centring))

    def sparse(self, name: str, encoder: SparseEncoder) -> SparseEncoder:
        """As `dense`, for learned sparse vectors."""
        check_local(name)
        return RaySparseEncoder(encoder, self.pool, EncoderOrder(name, "sparse", encoder.identity))


def check_local(name: str) -> None:
    """Raises UsageError for an encoder that a service runs: workers would send it the same requests."""
    if not runs_here(name):
        raise UsageError(
            f"The encoder “{name}” is called over the network, so that workers would make nothing faster: leave --ray "
            "out."
        )


class _OverPool(Generic[EncoderT]):
    """What workers' encoders have in common: `order` names the encoder to the workers, this process has it, too."""

    def __init__(self, encoder: EncoderT, pool: RayPool, order: EncoderOrder) -> None:
        self._encoder: EncoderT = encoder
        self._pool, self._order = pool, order

    @property
    def identity(self) -> str:
        """That of the encoder: its vectors are the same, whoever computes them."""
        return self._encoder.identity


class RayEncoder(_OverPool[Encoder]):
    """Implements `Encoder` over a pool: its workers encode passages, this process encodes questions."""

    @property
    def dimensions(self) -> int:
        """Those of the encoder."""
        return self._encoder.dimensions

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """One row per passage. Raises WorkbenchError where a worker fails or is lost for good."""
        vectors = [np.zeros((0, self.dimensions), dtype=np.float32)]
        vectors += encoded_blocks(self._pool, self._order, passages)
        return np.concatenate(vectors)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The encoder's vectors, computed here."""
        return self._encoder.encode_queries(queries)


class RaySparseEncoder(_OverPool[SparseEncoder]):
    """Implements `SparseEncoder` as `RayEncoder` implements `Encoder`."""

    @property
    def vocabulary(self) -> int:
        """That of the encoder."""
        return self._encoder.vocabulary

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        """One row per passage. Raises as `RayEncoder.encode_passages` does."""
        from scipy.sparse import csr_matrix, vstack

        nothing = csr_matrix((0, self.vocabulary), dtype=np.float32)
        return vstack([nothing, *encoded_blocks(self._pool, self._order, passages)], format="csr")

    def encode_queries(self, queries: Sequence[Query]) -> csr_matrix:
        """The encoder's weights, computed here."""
        return self._encoder.encode_queries(queries)


def encoded_blocks(pool: RayPool, order: EncoderOrder, passages: Sequence[Passage]) -> Iterator[Any]:
    """What workers make of the passages, a block at a time, in order."""
    size = max(SMALLEST, min(LARGEST, -(-len(passages) // (BLOCKS * len(pool)))))
    blocks = ((order, list(passages[start : start + size])) for start in range(0, len(passages), size))
    return pool.results("encode", blocks)


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
