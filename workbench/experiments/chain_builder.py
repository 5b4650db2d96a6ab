"""The chain of each run for one language: components made once for all runs that name the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.components import parts
from workbench.corpora.corpus_library import Corpus
from workbench.errors import WorkbenchError
from workbench.experiments.cells import BoundStage, bind
from workbench.experiments.experiment import Run
from workbench.experiments.perturbation import GoldAnswers, perturbed
from workbench.pipeline.chain import build_chain
from workbench.protocols import Components
from workbench.recipes.recipe import Recipe
from workbench.recipes.scope import languages_in
from workbench.records import Question
from workbench.workspace.workbench import Workbench

CHOICES_OF_CHAINS = frozenset({"mode", "scope", "prompt", "k", "candidates", "translate_question", "dialectic"})
"""What of a recipe does not change its components."""


@dataclass(frozen=True, slots=True)
class RunChain:
    """A run's chain and the languages it searches for questions of one language; `error` where there can be none."""

    run: Run
    links: tuple[BoundStage, ...] = ()
    scope: tuple[str, ...] = ()
    error: str = ""


class ChainBuilder:
    """Builds lines, and keeps the components that they share."""

    def __init__(self, workbench: Workbench, seed: int) -> None:
        self._workbench = workbench
        self._seed = seed
        self._parts: dict[str, Components] = {}
        self._corpora: dict[str, Corpus] = {}

    def corpus(self, name: str) -> Corpus:
        """The corpus called `name`, opened once: one job is about one state of it. Raises UsageError."""
        if name not in self._corpora:
            self._corpora[name] = self._workbench.corpus(name)
        return self._corpora[name]

    def lines(self, runs: Sequence[Run], code: str, questions: Sequence[Question]) -> list[RunChain]:
        """One line a run for questions in the language `code`."""
        golds = {(question.text.strip(), code): question.answers for question in questions}
        return [self._line(run, code, golds) for run in runs]

    def _line(self, run: Run, code: str, golds: GoldAnswers) -> RunChain:
        recipe = run.recipe
        try:
            corpus = self.corpus(recipe.corpus)
            scope = () if recipe.mode == "baseline" else languages_in(recipe.scope, code, corpus.languages)
            made = self._made(recipe)
            stages = build_chain(recipe, made).stages
            stages = perturbed(stages, run.perturbation, made, recipe.candidates, self._seed, golds)
        except WorkbenchError as error:
            return RunChain(run, error=str(error))
        return RunChain(run, bind(stages), scope)

    def _made(self, recipe: Recipe) -> Components:
        named = recipe.model_dump_json(exclude=set(CHOICES_OF_CHAINS))
        if named not in self._parts:
            self._parts[named] = parts.parts(recipe, self.corpus(recipe.corpus), self._workbench.settings.home)
        return self._parts[named]
