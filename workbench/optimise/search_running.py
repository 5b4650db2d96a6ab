"""One search in one process: resumed from what was measured, watched, capped, and its outcome stored.

A strategy decides from figures alone and by a seed, and the evaluator measures nothing twice. So a search that was
killed is run again from its beginning: what was measured is read, in no time, until it comes to what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from threading import Event
from typing import Any

import numpy as np

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.models import load_prices
from workbench.optimise.measurement import FloatArray, QuestionSet, RecipeTrial, StoredTrials
from workbench.optimise.question_split import QuestionPart, finalists, parts_of
from workbench.optimise.recipe_evaluator import RecipeEvaluator, fixed_fields, material_fingerprint, material_of
from workbench.optimise.search_figures import mean_figure
from workbench.optimise.search_store import SearchRow, SearchStore
from workbench.optimise.selection.paired_scores import PairedRace
from workbench.optimise.space.search_space import SearchSpace, direction
from workbench.optimise.spending import CapReached, SpendingGuard
from workbench.optimise.strategies.search_outcome import Budget, SearchOutcome, SearchStep
from workbench.optimise.strategies.strategy_catalogue import search
from workbench.pipeline import Recipe, StepCounts
from workbench.workspace import NoParameters, RunningJob

INPUTS_CHANGED = (
    "The questions, a corpus or the language identifier changed since this search began, so what it measured and what "
    "it would measure do not belong together: start a new search."
)


@dataclass
class SearchProgress:
    """What a search is at, for whoever watches: `values` are plain, and replaced as it goes on.

    `questions` are those that are searched on.
    """

    space: SearchSpace
    questions: QuestionSet
    values: dict[str, Any] = field(default_factory=dict)
    trials: dict[str, RecipeTrial] = field(default_factory=dict)

    def on_batch(self, phase: str, done: int, total: int, counts: StepCounts) -> None:
        """Records that a batch is finished."""
        self._set(phase=phase, done=done, total=total, cached=dict(counts.from_cache))

    def on_step(self, step: SearchStep) -> None:
        """Records a trial."""
        self.trials[step.trial.recipe.fingerprint] = step.trial
        best = self.best()
        self._set(node=step.node, trial=step.spending.trials, best=self._figures(best) if best else None)

    def on_finalists(self, number: int) -> None:
        """Records that the search has ended, and how many recipes are measured on held-out questions."""
        self._set(node="", confirming=number)

    def best(self) -> RecipeTrial | None:
        """The best trial by the objective among those measured on the most questions, the first of equals."""
        goal = self.space.goal
        scored = {name: _count(trial.scores.get(goal)) for name, trial in self.trials.items()}
        most = max(scored.values(), default=0)
        complete = [self.trials[name] for name, number in scored.items() if number == most and number]
        sign = direction(goal)
        return max(complete, key=lambda trial: sign * float(np.nanmean(trial.scores[goal])), default=None)

    def _set(self, **values: Any) -> None:
        # Another thread may be writing the values: it has the mapping as it was.
        self.values = {**self.values, **values}

    def _figures(self, trial: RecipeTrial) -> dict[str, Any]:
        groups = self.questions.groups
        metrics = {name: asdict(mean_figure(scores, groups, name)) for name, scores in trial.scores.items()}
        return {
            "fingerprint": trial.recipe.fingerprint,
            "recipe": trial.recipe.model_dump(mode="json"),
            "errors": trial.errors,
            "metrics": metrics,
        }


@dataclass
class SearchRun:
    """A search about to be worked on in this process. Raises UsageError where its inputs changed since it began."""

    workbench: Workbench
    store: SearchStore
    row: SearchRow
    stop: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.space = self.row.space
        prices = load_prices(self.workbench.settings.home)
        self.guard = SpendingGuard(
            self.row.options.cap,
            prices,
            lambda stage: self.evaluator.model_behind(stage.identity),
            self.row.spent,
        )
        self.evaluator = RecipeEvaluator(
            self.workbench,
            material_of(self.space),
            fixed_fields(self.space),
            StoredTrials(self.store.engine, self.row.id),
            self.stop,
            self.guard,
            lambda *batch: self.progress.on_batch(*batch),
        )
        if material_fingerprint(self.evaluator.inputs, self.space) != self.row.material:
            raise UsageError(INPUTS_CHANGED)
        self.parts = parts_of(self.evaluator.questions, self.row.options.holdout, self.space.seed)
        self.searched = QuestionPart(self.evaluator, self.parts.search)
        self.progress = SearchProgress(self.space, self.searched.questions)

    def run(self, on_trial: Callable[[], None] = lambda: None) -> SearchOutcome:
        """Searches to the end, confirms what it came to on the held-out questions, and stores the outcome.

        The strategy sees the searched questions alone. Raises JobStopped, with what stopped it where that is the cap.
        """

        def on_step(step: SearchStep) -> None:
            self.progress.on_step(step)
            on_trial()

        options = self.row.options
        budget = Budget(trials=options.trials)
        outcome: SearchOutcome | None = None
        try:
            outcome = search(options.strategy, self.space, self.searched, budget, on_step, PairedRace())
            self.save(outcome=_stored(outcome.best, outcome.decisions, outcome.stopped_early))
            self._confirm(outcome)
        except CapReached as reason:
            best = outcome.best if outcome else None if (trial := self.progress.best()) is None else trial.recipe
            self.save(outcome=_stored(best, outcome.decisions if outcome else (), str(reason)))
            raise
        self.save()
        return outcome

    def _confirm(self, outcome: SearchOutcome) -> None:
        """Measures the finalists on the questions that the strategy did not see."""
        if not self.parts.holdout:
            return
        last = finalists(outcome.trials, outcome.best, self.space.goal, self.searched.questions)
        self.progress.on_finalists(len(last))
        self.evaluator.evaluate(last, self.space.metrics, self.parts.holdout)

    def save(self, **values: object) -> None:
        """Stores what it spent, with further columns."""
        self.store.update(self.row.id, spent=self.guard.spent.to_json(), **values)


def run_search(task: RunningJob, _parameters: NoParameters) -> None:
    """What the process of a search does: the search that has the job's id, to its end, a stop or its cap."""
    store = SearchStore(task.jobs.engine)
    run = SearchRun(Workbench(task.settings), store, store.row(task.job.id), task.stop)

    def save() -> None:
        run.save()
        task.note(**run.progress.values)

    task.on_beat = save
    run.run()


def _stored(best: Recipe | None, decisions: tuple[Any, ...], stopped_early: str) -> Mapping[str, Any]:
    return {
        "best": best.model_dump(mode="json") if best else None,
        "decisions": [_plain(asdict(decision)) for decision in decisions],
        "stopped_early": stopped_early,
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it: recipes as mappings, NaN as None."""
    if isinstance(value, Recipe):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _count(scores: FloatArray | None) -> int:
    return 0 if scores is None else int(np.count_nonzero(~np.isnan(scores)))
