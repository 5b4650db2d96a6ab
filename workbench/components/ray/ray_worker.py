"""What a worker does: it makes the components that the driver names, checks that they are the driver's, and uses them.

A worker keeps nothing but its models. What it is given and what it returns is all there is, so work that was lost with
a worker can be done by another one. A failure is returned as a sentence: an error of a library need not be one that
the driver can read.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from workbench.components import factory
from workbench.components.registry import Registry
from workbench.core import Encoder, Passage, WorkbenchError, shorten
from workbench.data import Corpus, CorpusManifest
from workbench.pipeline import Recipe, Stage, State, added_fields, build_chain
from workbench.retrieval import SparseEncoder

CHAINS = 8
"""Recipes whose chains a worker keeps: each has its indexes open."""
ERROR_LIMIT = 300
"""Characters of an error that a library raised."""


@dataclass(frozen=True, slots=True)
class EncoderOrder:
    """Which encoder encodes: its name in recipes, how its vectors are centred (dense ones only), and its identity."""

    name: str
    kind: Literal["dense", "sparse"]
    identity: str
    centring: float = 0.0


@dataclass(frozen=True, slots=True)
class StageOrder:
    """Which stage runs: that of this name and identity in the recipe's chain over a version of a corpus."""

    recipe: Recipe
    manifest: CorpusManifest
    folder: Path
    name: str
    identity: str


class Failure(NamedTuple):
    """Why a worker could do nothing, in a sentence."""

    sentence: str


class StepResult(NamedTuple):
    """The fields that a stage added to a state, or why there are none, and the seconds that it took."""

    added: dict[str, Any]
    failure: str
    seconds: float


class RayWorker:
    """One worker of a workspace, whose folder is at the same place on every machine."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._chains: OrderedDict[str, tuple[Stage, ...]] = OrderedDict()

    def process(self) -> int:
        """The number of this process; it answers as soon as it can work."""
        return os.getpid()

    def encode(self, order: EncoderOrder, passages: Sequence[Passage]) -> Any:
        """The vectors or weights of passages, as the encoder gives them, or a Failure."""
        return _checked(lambda: self._encoder(order).encode_passages(passages))

    def run_stage(self, order: StageOrder, states: Sequence[State]) -> Any:
        """A StepResult for each state, in order, or a Failure where there is no such stage."""
        return _checked(lambda: self._run(self._stage(order), states))

    def _encoder(self, order: EncoderOrder) -> Encoder | SparseEncoder:
        # The factory keeps what it makes, so that a model is loaded once.
        encoder: Encoder | SparseEncoder
        if order.kind == "sparse":
            encoder = factory.sparse_encoder(order.name, self._home)
        else:
            encoder = factory.centred_encoder(order.name, order.centring, self._home)
        if encoder.identity != order.identity:
            raise _another(f"encoder {order.name}")
        return encoder

    def _stage(self, order: StageOrder) -> Stage:
        for stage in self._chain(order):
            if (stage.name, stage.identity) == (order.name, order.identity):
                return stage
        raise _another(f"step “{order.name}”")

    def _chain(self, order: StageOrder) -> tuple[Stage, ...]:
        key = f"{order.folder}\n{order.recipe.model_dump_json()}"
        if key not in self._chains:
            components = Registry(self._home).components(order.recipe, Corpus(order.manifest, order.folder))
            self._chains[key] = build_chain(order.recipe, components).stages
            if len(self._chains) > CHAINS:
                self._chains.popitem(last=False)
        self._chains.move_to_end(key)
        return self._chains[key]

    def _run(self, stage: Stage, states: Sequence[State]) -> list[StepResult]:
        began = time.perf_counter()
        results = stage.run_each(states)
        seconds = (time.perf_counter() - began) / max(len(states), 1)
        return [
            StepResult({}, str(result) or type(result).__name__, seconds)
            if isinstance(result, WorkbenchError)
            else StepResult(added_fields(stage, result), "", seconds)
            for result in results
        ]


def _checked(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except WorkbenchError as error:
        return Failure(error.on_screen)
    except Exception as error:  # whatever a library raises
        return Failure(f"{type(error).__name__}: {shorten(error, ERROR_LIMIT)}")


def _another(what: str) -> WorkbenchError:
    return WorkbenchError(
        f"A worker's {what} is not the one that this process has: its packages, models or workspace differ. Use the "
        "same image on every machine, and one folder for the workspace."
    )
