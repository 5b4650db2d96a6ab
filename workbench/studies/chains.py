"""The chain of each run for one language: components made once for all runs that name the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.corpora.library import Corpus
from workbench.errors import WorkbenchError
from workbench.pipeline import components
from workbench.pipeline.modes import Parts, build_chain
from workbench.pipeline.recipe import Recipe
from workbench.pipeline.scope import languages_in
from workbench.pipeline.workbench import Workbench
from workbench.records import Question
from workbench.studies.experiment import Run
from workbench.studies.perturb import GoldAnswers, perturbed
from workbench.studies.sharing import Link, link

CHOICES_OF_CHAINS = frozenset({"mode", "scope", "prompt", "k", "candidates", "translate_question", "dialectic"})
"""What of a recipe does not change its components."""


@dataclass(frozen=True, slots=True)
class Line:
    """A run's chain and the languages it searches for questions of one language; `error` where there can be none."""

    run: Run
    links: tuple[Link, ...] = ()
    scope: tuple[str, ...] = ()
    error: str = ""


class Chains:
    """Builds lines, and keeps the components that they share."""

    def __init__(self, workbench: Workbench, seed: int) -> None:
        self._workbench = workbench
        self._seed = seed
        self._parts: dict[str, Parts] = {}
        self._corpora: dict[str, Corpus] = {}

    def corpus(self, name: str) -> Corpus:
        """The corpus called `name`, opened once: one job is about one state of it. Raises UsageError."""
        if name not in self._corpora:
            self._corpora[name] = self._workbench.corpus(name)
        return self._corpora[name]

    def lines(self, runs: Sequence[Run], code: str, questions: Sequence[Question]) -> list[Line]:
        """One line a run for questions in the language `code`."""
        golds = {(question.text.strip(), code): question.answers for question in questions}
        return [self._line(run, code, golds) for run in runs]

    def _line(self, run: Run, code: str, golds: GoldAnswers) -> Line:
        recipe = run.recipe
        try:
            corpus = self.corpus(recipe.corpus)
            scope = () if recipe.mode == "baseline" else languages_in(recipe.scope, code, corpus.languages)
            parts = self._made(recipe)
            stages = build_chain(recipe, parts).stages
            stages = perturbed(stages, run.perturbation, parts, recipe.candidates, self._seed, golds)
        except WorkbenchError as error:
            return Line(run, error=str(error))
        return Line(run, link(stages), scope)

    def _made(self, recipe: Recipe) -> Parts:
        named = recipe.model_dump_json(exclude=set(CHOICES_OF_CHAINS))
        if named not in self._parts:
            self._parts[named] = components.parts(recipe, self.corpus(recipe.corpus), self._workbench.settings.home)
        return self._parts[named]
