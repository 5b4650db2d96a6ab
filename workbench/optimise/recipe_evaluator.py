"""Measures any list of recipes over the questions of a search, by the machinery that runs experiments.

The questions, metrics, corpora and hosts that a search is about are read from its space.

The recipes that lack figures on the same questions go through their chains together: stage by stage over all
questions, a batch of them at a time, so equal steps run once and memory holds one batch. Steps are those of the
workspace's cache, which other searches, experiments and Ask share. Where metrics look at rankings alone, chains end
with the search. A recipe that cannot run, or whose answer fails, has errors and no scores; the others go on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from threading import Event
from typing import Protocol

from workbench.app import Workbench
from workbench.components import Registry, reference
from workbench.core import Question, UsageError, WorkbenchError, canonical, fingerprint
from workbench.data import DatasetLibrary
from workbench.experiments import (
    FORMAT_VERSION,
    MATRIX_CHOICES,
    CellResult,
    Experiment,
    ExperimentInputs,
    OnBatch,
    Run,
    Runner,
    SelectedInputs,
    ignore_progress,
    judge_hosts,
    make_experiment,
    metric_without_model,
    stored_name,
)
from workbench.optimise.measurement import FIELDS, KnownFigures, Measurement, Part, QuestionSet, RecipeTrial, part_of
from workbench.optimise.space.search_space import COUNTED, SearchSpace
from workbench.pipeline import BUILTIN, E5_SMALL, EXTRACTIVE, PASS, Recipe, StepCounts, StepGuard, model_fields


def material_of(space: SearchSpace) -> Experiment:
    """The questions and metrics of a space as an experiment, no run of which is made."""
    return make_experiment(
        {
            "name": space.name,
            "datasets": list(space.datasets),
            "languages": list(space.languages),
            "questions": space.questions,
            "seed": space.seed,
            "corpus": space.recipe.get("corpus", ""),
            "judge": space.judge,
            "judge_language": space.judge_language,
            "semscore_encoder": space.semscore_encoder,
            "metrics": list(dict.fromkeys(metric_without_model(name) for name in space.metrics)),
        }
    )


def fixed_fields(space: SearchSpace) -> frozenset[str]:
    """The recipe's fields that the space names, at a node or for all recipes."""
    return frozenset(space.recipe).union(*(node.fields for node in space.nodes))


def material_fingerprint(inputs: ExperimentInputs, space: SearchSpace) -> str:
    """The fingerprint of the questions, corpora and definitions that all figures of one search must be about.

    Raises UsageError for a corpus that does not exist.
    """
    modules = [module for node in space.nodes for module in node.modules]
    varied = sorted({str(value) for module in modules for value in module.values.get("corpus", ())})
    corpora = [[name, inputs.workbench.corpus(name).manifest.fingerprint] for name in varied]
    modes = {space.recipe.get("mode"), *(mode for module in modules for mode in module.values.get("mode", ()))}
    definitions = [FORMAT_VERSION] if "drag" in modes else []
    return fingerprint("search", [inputs.fingerprint, corpora, *definitions])


def winner_experiment(space: SearchSpace, recipe: Recipe) -> Experiment:
    """An experiment of one recipe over all questions and by all metrics of a space."""
    matrix = {key: [getattr(recipe, name)] for name, key in MATRIX_CHOICES.items() if name != "corpus"}
    shared = {name: value for name, value in recipe.model_dump(mode="json").items() if name not in MATRIX_CHOICES}
    corpus = {"corpus": recipe.corpus} if "corpus" in fixed_fields(space) else {}
    values = material_of(space).model_dump(mode="json")
    return make_experiment({**values, **matrix, **corpus, "name": f"Best of {space.name}"[:200], "recipe": shared})


def hosts_of_space(space: SearchSpace, home: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hosts that texts are sent to, and a sentence for each component that recipes name and that means nothing."""
    by_models = {
        tuple(getattr(recipe, name, "") for name in model_fields()): recipe
        for recipe in islice(space.recipes(), COUNTED)
    }
    hosts: dict[str, None] = {}
    problems: dict[str, None] = {}
    for recipe in by_models.values():
        try:
            hosts.update(dict.fromkeys(Registry(home).check(recipe)))
        except UsageError as error:
            problems[error.on_screen] = None
    hosts.update(dict.fromkeys((*judge_hosts(space.judge, home), *judge_hosts(space.semscore_encoder, home))))
    return tuple(hosts), tuple(problems)


BUILT_IN = frozenset((BUILTIN, E5_SMALL, EXTRACTIVE, PASS, "none", "", None))
"""What models a recipe can name that come with the workbench."""


def is_built_in(space: SearchSpace) -> bool:
    """Whether all recipes do with what comes with the workbench: nothing is sent, and no large model is loaded."""
    modules = [module for node in space.nodes for module in node.modules]
    values = [value for module in modules for name in model_fields() for value in module.values.get(name, ())]
    return not space.judge and {*values, *(space.recipe.get(name) for name in model_fields())} <= BUILT_IN


NO_QUESTIONS = "The search has no questions: its datasets hold none in the languages that it names."


class TrialLog(Protocol):
    """Where measurements are kept; `evaluation.stored_trials` keeps them in the database."""

    def load(self) -> Iterable[Measurement]:
        """Everything that was measured, in the order measured."""

    def add(self, measurements: Sequence[Measurement], recipes: Mapping[str, Recipe]) -> None:
        """Keeps a batch's measurements, all or none. `recipes` are theirs by fingerprint."""


class NoLog:
    """Implements `TrialLog` and keeps nothing: for a look, as a pilot is."""

    def load(self) -> Iterable[Measurement]:
        """Nothing."""
        return ()

    def add(self, measurements: Sequence[Measurement], recipes: Mapping[str, Recipe]) -> None:
        """Drops them."""


@dataclass
class RecipeEvaluator:
    """Implements `Evaluator`. `material` is an experiment for its questions, metrics, judge and seed; no run of it is.

    `fixed` are the recipe's fields that are searched over or fixed by the search: a recipe keeps its corpus where
    that is one of them, and otherwise searches the corpus of each dataset. Raises UsageError where there is no
    question.
    """

    workbench: Workbench
    material: Experiment
    fixed: Collection[str] = ()
    log: TrialLog = field(default_factory=NoLog)
    stop: Event = field(default_factory=Event)
    guard: StepGuard | None = None
    on_batch: OnBatch = ignore_progress

    def __post_init__(self) -> None:
        self.inputs = ExperimentInputs(self.workbench, self.material)
        self._keys, self.questions = search_questions(self.inputs)
        if not self._keys:
            raise UsageError(NO_QUESTIONS)
        self.row_of: dict[tuple[str, str, str], int] = {key: row for row, key in enumerate(self._keys)}
        self._known = KnownFigures(len(self._keys))
        for measurement in self.log.load():
            self._known.add(measurement)

    @cached_property
    def runner(self) -> Runner:
        """The runner whose components, counts and remembered failures all measuring shares."""
        return Runner(self.workbench, self.inputs, Unwritten(), stop=self.stop, guard=self.guard)

    @property
    def counts(self) -> StepCounts:
        """The distinct steps that this evaluator ran, took from the cache and saw fail, by stage."""
        return self.runner.executor.counts

    def model_behind(self, identity: str) -> str:
        """The name that the price table has for the model behind a stage with this identity, "" where none is known."""
        names = [
            name
            for known, name in self.runner.generators.items()
            if known in identity or canonical(known).strip('"') in identity
        ]
        return reference(names[0], "generator").model if names else ""

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        """One trial per recipe, in order; see `Evaluator`. Raises JobStopped, and UsageError for another metric."""
        if unknown := [name for name in metrics if name not in self.material.metrics]:
            raise UsageError(
                f"The metric “{unknown[0]}” is not one of the search's: {', '.join(self.material.metrics)}."
            )
        wanted = tuple(range(len(self._keys)) if rows is None else sorted(set(rows)))
        part = part_of(metrics)
        groups: dict[tuple[int, ...], dict[str, Recipe]] = defaultdict(dict)
        for recipe in recipes:
            missing = self._known.missing(recipe.fingerprint, part, metrics, wanted)
            if missing:
                groups[missing][recipe.fingerprint] = recipe
        for missing, together in groups.items():
            self._measure(together, part, metrics, missing)
        return [self._known.trial(recipe, part, metrics, wanted) for recipe in recipes]

    def runs_of(self, recipes: Sequence[Recipe], rows: Sequence[int]) -> list[tuple[Run, Recipe]]:
        """The runs that ask the recipes the questions of these rows, each with the recipe that it is a run of."""
        pairs = product(dict.fromkeys(self._keys[row][0] for row in rows), recipes)
        return [
            (Run(number, dataset, self.recipe_over(recipe, dataset)), recipe)
            for number, (dataset, recipe) in enumerate(pairs)
        ]

    def inputs_of(self, runs: Iterable[Run], metrics: Sequence[str], rows: Sequence[int]) -> ExperimentInputs:
        """The inputs of a runner that measures these runs on these rows."""
        selection: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            dataset, language, name = self._keys[row]
            selection[dataset, language].add(name)
        ids = {place: frozenset(names) for place, names in selection.items()}
        return SelectedInputs(self.inputs, tuple(runs), metrics, ids)

    def recipe_over(self, recipe: Recipe, dataset: str) -> Recipe:
        """The recipe as it is asked a dataset's questions."""
        if "corpus" in self.fixed:
            return recipe
        corpus = self.inputs.corpus_of(dataset)
        return recipe if recipe.corpus == corpus else recipe.with_(corpus=corpus)

    def _measure(self, recipes: Mapping[str, Recipe], part: Part, metrics: Sequence[str], rows: Sequence[int]) -> None:
        broken = {name: recipe for name, recipe in recipes.items() if not self._has_corpus(recipe)}
        if broken:
            self.keep([_failure(name, part, metrics, rows) for name in broken], broken)
        working = {name: recipe for name, recipe in recipes.items() if name not in broken}
        if working:
            runs = self.runs_of(list(working.values()), rows)
            names = {run.number: recipe.fingerprint for run, recipe in runs}
            Runner(
                self.workbench,
                self.inputs_of([run for run, _ in runs], metrics, rows),
                _Sink(self, working, names, part, metrics),
                stop=self.stop,
                on_batch=self.on_batch,
                fields=FIELDS[part],
                context=self.runner.shared,
            ).run()

    def keep(self, measurements: Sequence[Measurement], recipes: Mapping[str, Recipe]) -> None:
        """Keeps measurements in the log first, so that what is known is never lost."""
        self.log.add(measurements, recipes)
        for measurement in measurements:
            self._known.add(measurement)

    def _has_corpus(self, recipe: Recipe) -> bool:
        """Whether the corpus that the recipe names can be searched; datasets were checked when the inputs were read."""
        if "corpus" not in self.fixed:
            return True
        try:
            self.workbench.corpus(recipe.corpus)
        except WorkbenchError:
            return False
        return True


class Unwritten:
    """Implements `runner.Results` and stores nothing."""

    def done(self, phase: str) -> set[int]:
        """No batch."""
        return set()

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
        """No cell: only what was never measured is asked."""
        return set()

    def write(self, phase: str, batch: int, dataset: str, results: Sequence[CellResult]) -> None:
        """Drops a batch."""


@dataclass
class _Sink(Unwritten):
    """Takes the results of a runner's batches to the evaluator as measurements.

    `recipes` are by fingerprint; `names` are these fingerprints by the numbers of the recipes' runs.
    """

    evaluator: RecipeEvaluator
    recipes: Mapping[str, Recipe]
    names: Mapping[int, str]
    part: Part
    metrics: Sequence[str]

    def write(self, phase: str, batch: int, dataset: str, results: Sequence[CellResult]) -> None:
        if not results:
            return
        by_recipe: dict[str, list[CellResult]] = defaultdict(list)
        for result in results:
            by_recipe[self.names[result.run]].append(result)
        self.evaluator.keep([self._piece(dataset, name, cells) for name, cells in by_recipe.items()], self.recipes)

    def _piece(self, dataset: str, recipe: str, cells: Sequence[CellResult]) -> Measurement:
        mark = self.evaluator.inputs.identifier.mark
        rows = [self.evaluator.row_of[dataset, cell.question.language, cell.question.id] for cell in cells]
        return Measurement(
            recipe,
            self.part,
            tuple(rows),
            {name: tuple(_value(cell, stored_name(name, mark)) for cell in cells) for name in self.metrics},
            tuple(None if cell.error else cell.seconds for cell in cells),
            tuple(None if cell.error else float(_tokens(cell)) for cell in cells),
            tuple(bool(cell.error) for cell in cells),
        )


def _value(cell: CellResult, metric: str) -> float | None:
    score = (cell.scores or {}).get(metric)
    return None if score is None else score.value


def _tokens(cell: CellResult) -> int:
    return (cell.prompt_tokens or 0) + (cell.completion_tokens or 0)


def _failure(recipe: str, part: Part, metrics: Sequence[str], rows: Sequence[int]) -> Measurement:
    nothing = (None,) * len(rows)
    scores = dict.fromkeys(metrics, nothing)
    return Measurement(recipe, part, tuple(rows), scores, nothing, nothing, (True,) * len(rows))


def search_questions_of(workbench: Workbench, space: SearchSpace) -> QuestionSet:
    """The questions of a space. Raises UsageError where it has none."""
    _, questions = search_questions(ExperimentInputs(workbench, material_of(space)))
    if not len(questions):
        raise UsageError(NO_QUESTIONS)
    return questions


def unready_recipes(workbench: Workbench, recipes: Iterable[Recipe]) -> Mapping[str, int]:
    """How many of the recipes need a component that cannot be used now, by its name: they fail."""
    unready: dict[tuple[object, ...], str] = {}
    counts: Counter[str] = Counter()
    for recipe in recipes:
        models = (recipe.retriever == "lexical", *(getattr(recipe, name, "") for name in model_fields()))
        if models not in unready:
            unready[models] = next((entry.name for entry in workbench.registry.unready(recipe)), "")
        counts.update([unready[models]] if unready[models] else [])
    return dict(counts)


def search_questions(inputs: ExperimentInputs) -> tuple[list[tuple[str, str, str]], QuestionSet]:
    """Dataset, language and id of each question, and the questions of a search, in the order of their batches."""
    library = DatasetLibrary(inputs.workbench.settings.datasets)
    keys: list[tuple[str, str, str]] = []
    groups: list[str] = []
    for dataset, language in inputs.counts:
        info = library.info(dataset)
        # Elsewhere an id says nothing about a question in another language.
        prefix = dataset if info.parallel or info.aligned else f"{dataset}/{language}"
        for question in inputs.questions(dataset, language):
            keys.append((dataset, language, question.id))
            groups.append(f"{prefix}/{question.id}")
    return keys, QuestionSet(
        tuple(name for _, _, name in keys),
        tuple(language for _, language, _ in keys),
        tuple(groups),
        tuple(dataset for dataset, _, _ in keys),
    )
