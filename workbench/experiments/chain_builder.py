"""The chain of each run for one language: components are made once for all runs that name the same ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.app import Workbench
from workbench.core import Components, Question, WorkbenchError, page_key
from workbench.data import Corpus
from workbench.experiments.experiment import Run
from workbench.experiments.perturbation import (
    ORACLE,
    GiveGold,
    GoldByQuestion,
    GoldEvidence,
    OracleByQuestion,
    article,
    oracle_golds,
    perturbed,
    with_oracle,
)
from workbench.experiments.results.summaries.run_names import Perturbation
from workbench.pipeline import PASS, BoundStage, ChainOrigin, Recipe, bind, build_chain, fields_in_chain

ADDING: frozenset[Perturbation] = frozenset({"random-noise", "hard-negatives"})
"""The perturbations that add documents, for which the gold evidence must be known."""
NEEDING_ANSWERS: frozenset[Perturbation] = ADDING | {ORACLE}
"""The perturbations for which gold answers in all languages must be known."""


def component_choices(recipe: Recipe) -> str:
    """What a recipe's components depend on, as text: recipes with the same text can share them."""
    models = f"{recipe.expanding_model}\n{recipe.compressing_model}"  # none in a mode that searches nothing
    return f"{recipe.model_dump_json(exclude=set(fields_in_chain()))}\n{models}"


def no_questions(_corpus: str) -> Sequence[Question]:
    """No questions, for chains that are only looked at."""
    return ()


@dataclass(frozen=True, slots=True)
class RunChain:
    """A run's chain and the languages it searches for questions of one language; `error`: why there is no chain."""

    run: Run
    stages: tuple[BoundStage, ...] = ()
    scope: tuple[str, ...] = ()
    error: str = ""

    def up_to(self, fields: frozenset[str]) -> RunChain:
        """The chain up to the last stage that sets one of some fields of the state; the complete chain for none.

        Without such a stage (a mode that searches nothing) there is nothing to run.
        """
        if not fields or self.error:
            return self
        ends = [end for end, stage in enumerate(self.stages, start=1) if fields & set(stage.stage.adds)]
        return replace(self, stages=self.stages[: max(ends, default=0)])


class ChainBuilder:
    """Builds chains, and keeps the components that they share. `seed` is the perturbations'."""

    def __init__(self, workbench: Workbench, seed: int) -> None:
        self._workbench = workbench
        self._seed = seed
        self._components: dict[str, Components] = {}
        self._corpora: dict[str, Corpus] = {}
        self.generators: dict[str, str] = {}
        """The names that recipes have for the generators in use, by their identities."""

    def corpus(self, name: str) -> Corpus:
        """The corpus called `name`, opened once: one job is about one state of it. Raises UsageError."""
        if name not in self._corpora:
            self._corpora[name] = self._workbench.corpus(name)
        return self._corpora[name]

    def build(
        self,
        runs: Sequence[Run],
        language: str,
        questions: Callable[[str], Sequence[Question]] = no_questions,
        answers: Mapping[str, Sequence[str]] | None = None,
    ) -> list[RunChain]:
        """One chain per run for questions in a language.

        `questions` gives them with their gold passages in a corpus, by its name. `answers` are gold answers in every
        language by question id: what perturbations add holds none of them, and what the oracle gives holds one where it
        can.
        """
        oracles = {
            name: oracle_golds(questions(name), language, answers or {})
            for name in {run.recipe.corpus for run in runs if run.perturbation == ORACLE}
        }
        golds: dict[str, GoldByQuestion] = {}
        for name in {run.recipe.corpus for run in runs if run.perturbation in ADDING}:
            golds[name] = self._golds(name, language, questions(name), answers or {})
        return [
            self._build(run, language, oracles.get(run.recipe.corpus, {}), golds.get(run.recipe.corpus, {}))
            for run in runs
        ]

    def _golds(
        self, name: str, language: str, questions: Sequence[Question], answers: Mapping[str, Sequence[str]]
    ) -> GoldByQuestion:
        """The evidence for each question in the corpus called `name`, {} where that cannot be opened."""
        try:
            corpus = self.corpus(name)
        except WorkbenchError:
            return {}
        passages = corpus.passages_named(name for question in questions for name in question.gold)
        golds: dict[tuple[str, str], GoldEvidence] = {}
        for question in questions:
            evidence = [passages[item] for item in question.gold if item in passages]
            documents = {item.document for item in evidence} | set(map(article, evidence))
            documents.update(filter(None, map(page_key, question.gold)))
            golds[question.text.strip(), language] = GoldEvidence(
                frozenset(question.gold),
                frozenset(item.group for item in evidence if item.group),
                frozenset(documents),
                tuple(dict.fromkeys((*question.answers, *answers.get(question.id, ())))),
            )
        return golds

    def _build(self, run: Run, language: str, oracle: OracleByQuestion, golds: GoldByQuestion) -> RunChain:
        recipe = run.recipe
        try:
            corpus = self.corpus(recipe.corpus)
            scope = recipe.searched(language, corpus.languages)
            if run.perturbation == ORACLE:
                # Nothing is searched, so that no index of an encoder is needed.
                recipe = recipe.with_(retriever="lexical", reranker=PASS)
            components = self._components_of(recipe)
            chain = build_chain(run.recipe, components).stages
            if run.perturbation == ORACLE:
                gold = GiveGold(corpus.golds, corpus.manifest.fingerprint, oracle, recipe.candidates, recipe.k)
                stages = with_oracle(chain, gold)
            else:
                size = len(corpus.table)
                stages = perturbed(chain, run.perturbation, components, recipe.candidates, self._seed, golds, size)
        except WorkbenchError as error:
            return RunChain(run, error=str(error))
        return RunChain(run, bind(stages, recipe.corpus, ChainOrigin(recipe, corpus), chain), scope)

    def _components_of(self, recipe: Recipe) -> Components:
        choices = component_choices(recipe)
        if choices not in self._components:
            corpus = self.corpus(recipe.corpus)
            self._components[choices] = self._workbench.registry.components(recipe, corpus)
            self.generators[self._components[choices].generator.identity] = recipe.generator
        return self._components[choices]
