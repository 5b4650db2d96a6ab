"""The strategies by name, each with what it does in a sentence, for forms and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core import unknown_name
from workbench.optimise.measurement import Evaluator
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.strategies.greedy import greedy, models_first
from workbench.optimise.strategies.race import Race, RaceRule
from workbench.optimise.strategies.recipe_sampling import at_random, exhaustive
from workbench.optimise.strategies.search_outcome import Budget, OnStep, SearchOutcome, Strategy

DEFAULT_STRATEGY = "exhaustive"


@dataclass(frozen=True, slots=True)
class StrategyFacts:
    """A strategy for people. `needs_trials`: it goes on until a number of recipes is measured."""

    name: str
    title: str
    explanation: str
    needs_trials: bool = False


STRATEGIES: Mapping[str, StrategyFacts] = {
    item.name: item
    for item in (
        StrategyFacts("exhaustive", "Exhaustive", "Measures every recipe. Steps that recipes share are run once."),
        StrategyFacts("greedy", "Greedy by node",
                      "Decides node by node in the order of the pipeline: Kim et al. (2024)."),
        StrategyFacts("models-first", "Greedy, models first",
                      "As greedy, but decides about generators, encoders and other models first."),
        StrategyFacts("random", "Random", "Measures recipes drawn at random.", True),
        StrategyFacts("tpe", "TPE", "Draws recipes that resemble the best ones so far: Bergstra et al. (2011).", True),
        StrategyFacts("multi-objective", "Quality, tokens and time",
                      "Seeks recipes that are good, cheap or fast, by NSGA-II: Deb et al. (2002).", True),
        StrategyFacts("race", "Race",
                      "Measures every recipe on a few questions at a time, and stops those that can no longer win."),
    )
}  # fmt: skip


def search(
    name: str, space: SearchSpace, evaluator: Evaluator, budget: Budget, on_step: OnStep, race_rule: RaceRule
) -> SearchOutcome:
    """Searches by the strategy called `name`; `race_rule` is for the race. Raises UsageError, and JobStopped."""
    return _strategy(name, race_rule)(space, evaluator, budget, on_step)


def strategy_facts(name: str) -> StrategyFacts:
    """The strategy called `name`. Raises UsageError."""
    if name not in STRATEGIES:
        raise unknown_name("strategy", name, STRATEGIES, "For example: greedy")
    return STRATEGIES[name]


def _strategy(name: str, race_rule: RaceRule) -> Strategy:
    known: dict[str, Strategy] = {
        "exhaustive": exhaustive,
        "greedy": greedy,
        "models-first": models_first,
        "random": at_random,
        "race": Race(race_rule),
    }
    if strategy_facts(name).name in known:
        return known[name]
    from workbench.optimise.strategies import optuna_search  # loads Optuna, which the others do without

    return optuna_search.tpe if name == "tpe" else optuna_search.multi_objective
