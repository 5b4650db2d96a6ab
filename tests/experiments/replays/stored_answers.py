"""A stored answer for tests of replays, and a count of what its chain calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.experiments.experiments import small, stored
from workbench.app.workbench import Workbench
from workbench.components.registry import Registry
from workbench.core.protocols import Components
from workbench.core.records import Generation, Prompt, Query, Ranking
from workbench.data.corpora.corpus import Corpus
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.pipeline.recipe import Recipe
from workbench.workspace.database import opened_store


def stored_answer(workbench: Workbench, *, language: str = "fi", **choices: Any) -> Instance:
    """The first answer of an experiment that is run here: of CrossRAG with a short prompt, unless choices say else."""
    experiment = small(**{"modes": ["crossrag"], "prompts": ["reply-short-en"], "languages": [language],
                          "questions": 1, **choices})  # fmt: skip
    experiment_id, runner = stored(workbench, experiment)
    runner.run()
    return first_answer(workbench, experiment_id)


def first_answer(workbench: Workbench, experiment_id: str) -> Instance:
    """The first answer of an experiment."""
    return next(iter(ResultStore.at(workbench.settings.database_url).of(experiment_id).all_instances()))


def forget(workbench: Workbench, *stages: str) -> None:
    """Drops the cached outputs of these stages."""
    workbench.cache.forget(stages)


def stored_rows(workbench: Workbench) -> list[tuple[object, ...]]:
    """All rows of results, to see that none was written."""
    with opened_store(workbench.settings.database_url).connect() as connection:
        tables = ("experiments", "runs", "questions", "answers", "scores")
        return [tuple(row) for name in tables for row in connection.exec_driver_sql(f"SELECT * FROM {name}")]


@dataclass
class Calls:
    """The queries and prompts that the real components of a chain were given."""

    queries: list[Query] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    """The number of prompts of each call of the generator."""

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> Calls:
        """Counts from now on. Returns itself."""
        original = Registry.components

        def components(registry: Registry, recipe: Recipe, corpus: Corpus) -> Components:
            real = original(registry, recipe, corpus)
            return replace(
                real, retriever=_Retriever(real.retriever, self), generator=_Generator(real.generator, self)
            )  # fmt: skip

        monkeypatch.setattr(Registry, "components", components)
        return self


@dataclass
class _Retriever:
    real: Any
    calls: Calls

    @property
    def identity(self) -> str:
        return str(self.real.identity)

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        self.calls.queries += queries
        rankings: list[Ranking] = self.real.retrieve(queries, k)
        return rankings


@dataclass
class _Generator:
    real: Any
    calls: Calls

    @property
    def identity(self) -> str:
        return str(self.real.identity)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        self.calls.prompts += prompts
        self.calls.batches.append(len(prompts))
        generations: list[Generation] = self.real.generate(prompts)
        return generations
