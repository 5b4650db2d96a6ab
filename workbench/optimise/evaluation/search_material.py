"""The questions, metrics, corpora and hosts that a search is about, read from its space; a recipe of it to run."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from workbench.components import Registry
from workbench.core import UsageError, fingerprint
from workbench.experiments import (
    MATRIX_CHOICES,
    Experiment,
    ExperimentInputs,
    judge_hosts,
    make_experiment,
    metric_without_model,
)
from workbench.optimise.space.search_space import COUNTED, SearchSpace
from workbench.pipeline import Recipe, model_fields


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
    return fingerprint("search", [inputs.fingerprint, corpora])


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
