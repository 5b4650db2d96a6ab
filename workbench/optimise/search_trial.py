"""What a search will take, before it starts: at once by times stored on this machine, then by a trial in a process.

The first estimate multiplies answers by the seconds of one, as if no step were shared, so it is an upper bound. A trial
counts the steps and runs a pilot (`forecast`); it is the same job for the same space and options, whoever looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import func, select

from workbench.app import Workbench
from workbench.optimise.forecast import Forecast, forecast, most_recipes
from workbench.optimise.question_split import parts_of
from workbench.optimise.recipe_evaluator import search_questions_of
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import space_from_text, space_to_yaml
from workbench.optimise.spending import Cap, SearchOptions
from workbench.pipeline import EXTRACTIVE, make_recipe, nested
from workbench.workspace import Job, Jobs, RunningJob, result_tables as t

ANSWER_SECONDS = 0.1
"""Seconds of an answer by the built-in reader where this machine has timed none: more than two slow cores take."""
TIMED = 2_000
"""Answers of experiments, the latest, whose times are looked at."""


@dataclass(frozen=True, slots=True)
class FirstEstimate:
    """What is known of a search at once: `recipes` at most, on `questions`, of which `groups` are distinct.

    `holdout` and `holdout_groups` are those of the held-out ones. `seconds` are at most; None where no time is known
    of one of its generators. `timed` answers were timed on this machine; 0: by a rate that is shipped.
    """

    recipes: int
    questions: int
    groups: int
    holdout: int
    holdout_groups: int
    seconds: float | None
    timed: int


def first_estimate(workbench: Workbench, space: SearchSpace, options: SearchOptions) -> FirstEstimate:
    """The estimate, in no time. Raises UsageError for a search without questions."""
    questions = search_questions_of(workbench, space)
    parts = parts_of(questions, options.holdout, space.seed)
    groups = [len({questions.groups[row] for row in rows}) for rows in (parts.search, parts.holdout)]
    recipes = most_recipes(space, options)
    modules = [module for node in space.nodes for module in node.modules]
    generators = {str(value) for module in modules for value in module.values.get("generator", ())}
    generators = generators or {make_recipe(nested(space.recipe)).generator}
    paces = _paces(workbench)
    timed = sum(paces[name][1] for name in generators) if generators <= paces.keys() else 0
    each = sum(paces[name][0] for name in generators) / len(generators) if timed else ANSWER_SECONDS
    answers = recipes * (len(parts.search) + len(parts.holdout))
    seconds = each * answers if timed or generators == {EXTRACTIVE} else None
    return FirstEstimate(recipes, len(parts.search), groups[0], len(parts.holdout), groups[1], seconds, timed)


def _paces(workbench: Workbench) -> dict[str, tuple[float, int]]:
    """By generator the mean seconds of an answer and how many were timed, among the latest ones."""
    a, r = t.answers.c, t.runs.c
    latest = select(a.run, a.seconds).where(a.failed.is_(False)).order_by(a.id.desc()).limit(TIMED).subquery()
    statement = (
        select(r.model, func.avg(latest.c.seconds), func.count()).join(latest, latest.c.run == r.id).group_by(r.model)
    )
    with Jobs(workbench.settings).engine.connect() as connection:
        return {model: (float(seconds), int(count)) for model, seconds, count in connection.execute(statement)}


@dataclass(frozen=True, slots=True)
class TrialParameters:
    """The search that a trial is of: its space as YAML, and its options without a cap, which changes no pace."""

    space: str
    options: SearchOptions


class SearchTrials(Jobs):
    """The trials of a workspace: one for each space with its options, whoever began it."""

    kind = "forecast"

    def find(self, space: SearchSpace, options: SearchOptions) -> Job | None:
        """The trial of a search, None where there was none."""
        return self.job(self.id_of(self.kind, _parameters(space, options)))

    def begin(self, space: SearchSpace, options: SearchOptions) -> str:
        """Starts the trial of a search; returns its id. Nothing is done where it is at work."""
        return self.start_new(self.kind, _parameters(space, options), title=space.name)


def _parameters(space: SearchSpace, options: SearchOptions) -> TrialParameters:
    return TrialParameters(space_to_yaml(space), options.model_copy(update={"cap": Cap()}))


def run_trial(task: RunningJob, parameters: TrialParameters) -> Mapping[str, Any]:
    """What the process of a trial does."""
    space = space_from_text(parameters.space, "space.yaml")
    cost = forecast(
        Workbench(task.settings),
        space,
        parameters.options,
        on_share=lambda phase, share: task.progress(phase, round(100 * share), 100),
    )
    return {"forecast": cost.to_json()}


def forecast_of(job: Job) -> Forecast:
    """What a finished trial came to. Raises ValueError for one of another version."""
    return TypeAdapter(Forecast).validate_python(job.result["forecast"])
