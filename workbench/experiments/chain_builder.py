"""The chain of each run for one language: components are made once for all runs that name the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.corpora.corpus_library import Corpus
from workbench.errors import WorkbenchError
from workbench.experiments.experiment import Run
from workbench.experiments.perturbation import GoldAnswers, perturbed
from workbench.pipeline.chain import build_chain
from workbench.pipeline.stage import BoundStage, bind
from workbench.protocols import Components
from workbench.recipes.recipe import Recipe
from workbench.recipes.scope import languages_in
from workbench.records import Question
from workbench.workspace.workbench import Workbench

CHOICES_OF_CHAINS = frozenset({"mode", "scope", "prompt", "k", "candidates", "translate_question", "dialectic"})
"""A recipe's choices that do not change its components."""


@dataclass(frozen=True, slots=True)
class RunChain:
    """A run's chain and the languages it searches for questions of one language; `error`: why there is no chain."""

    run: Run
    stages: tuple[BoundStage, ...] = ()
    scope: tuple[str, ...] = ()
    error: str = ""


class ChainBuilder:
    """Builds chains, and keeps the components that they share. `seed` is the perturbations'."""

    def __init__(self, workbench: Workbench, seed: int) -> None:
        self._workbench = workbench
        self._seed = seed
        self._components: dict[str, Components] = {}
        self._corpora: dict[str, Corpus] = {}

    def corpus(self, name: str) -> Corpus:
        """The corpus called `name`, opened once: one job is about one state of it. Raises UsageError."""
        if name not in self._corpora:
            self._corpora[name] = self._workbench.corpus(name)
        return self._corpora[name]

    def build(self, runs: Sequence[Run], language: str, questions: Sequence[Question]) -> list[RunChain]:
        """One chain per run for questions in a language; their gold answers are for the perturbation that misleads."""
        golds = {(question.text.strip(), language): question.answers for question in questions}
        return [self._build(run, language, golds) for run in runs]

    def _build(self, run: Run, language: str, golds: GoldAnswers) -> RunChain:
        recipe = run.recipe
        try:
            corpus = self.corpus(recipe.corpus)
            scope = () if recipe.mode == "baseline" else languages_in(recipe.scope, language, corpus.languages)
            components = self._components_of(recipe)
            stages = build_chain(recipe, components).stages
            stages = perturbed(stages, run.perturbation, components, recipe.candidates, self._seed, golds)
        except WorkbenchError as error:
            return RunChain(run, error=str(error))
        return RunChain(run, bind(stages), scope)

    def _components_of(self, recipe: Recipe) -> Components:
        choices = recipe.model_dump_json(exclude=set(CHOICES_OF_CHAINS))
        if choices not in self._components:
            corpus = self.corpus(recipe.corpus)
            self._components[choices] = self._workbench.registry.components(recipe, corpus)
        return self._components[choices]
