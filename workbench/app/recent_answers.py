"""Answers that were lately read from the cache, kept in memory for whoever asks the same.

What was read completely is given again for as long as each of its steps is stored, and has been since before it was
read. A corpus or a setting that changes is part of the identity of a stage, as it is in the keys of steps.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from workbench.pipeline import Chain, Executor, OnStep, State, TracedState, bind
from workbench.workspace import StepCache

LIMIT = 4_000_000
"""Characters of what is kept, some 30 MB, of which each answer's records count as 2,000."""


class _Kept(NamedTuple):
    traced: list[TracedState]
    stored: Mapping[str, float]
    size: int


class RecentAnswers:
    """Those of one workspace, `limit` characters of them. Safe to share between threads."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def run(self, executor: Executor, chain: Chain, states: Sequence[State], on_step: OnStep) -> list[TracedState]:
        """As `Executor.run`; what is given again has no rankings, and its steps the seconds that reading them took."""
        cache, stages, began = executor.cache, bind(chain.stages, chain.corpus), time.time()
        if not isinstance(cache, StepCache):
            return executor.run(chain, states, on_step)
        key = (*states, *((stage.name, stage.identity) for stage in stages))
        with self._lock:
            if kept := self._kept.get(key):
                self._kept.move_to_end(key)
        if kept and not executor.stop.is_set() and cache.stored(kept.stored) == kept.stored:
            for stage in stages:
                if executor.on_states:
                    executor.on_states(stage.name, [item.state for item in kept.traced])
            return kept.traced
        traced = executor.advance(stages, [TracedState(state) for state in states], on_step)
        steps = [step for item in traced for step, each in zip(item.steps, chain.stages, strict=True) if each.cacheable]
        keys = {step.key for step in steps if step.cached}
        stored = cache.stored(keys) if keys == {step.key for step in steps} else {}
        # A step that was stored since the beginning need not be the one that was read.
        if stored and stored.keys() == keys and max(stored.values()) < began:
            self._keep(key, traced, stored)
        return traced

    def _keep(self, key: Hashable, traced: Sequence[TracedState], stored: Mapping[str, float]) -> None:
        # Rankings, which nobody reads of an answer, are two thirds of it.
        short = [replace(item, state=replace(item.state, ranking=None, reranked=None)) for item in traced]
        size = sum(2_000 + sum(len(each.text) for each in item.state.evidence) for item in short)
        with self._lock:
            self._kept[key] = _Kept(short, stored, size)
            while sum(each.size for each in self._kept.values()) > self._limit:
                self._kept.popitem(last=False)
