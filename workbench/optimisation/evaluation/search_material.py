"""The questions, metrics and corpora that a search is about, read from its space."""

from __future__ import annotations

from workbench.experiments.experiment import Experiment, make_experiment
from workbench.experiments.inputs import ExperimentInputs
from workbench.identity import fingerprint
from workbench.optimisation.space.search_space import SearchSpace
from workbench.results.answer_scoring import metric_without_model


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
