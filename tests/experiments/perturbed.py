"""Questions of a dataset, perturbed as an experiment does it: what was added to what each retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.app.workbench import Workbench
from workbench.core.records import Passage, Question
from workbench.experiments.chain_builder import ChainBuilder
from workbench.experiments.experiment import make_experiment
from workbench.experiments.inputs import ExperimentInputs
from workbench.languages.normalise import search_form
from workbench.pipeline.executor import Executor
from workbench.pipeline.stage import Chain, State

KINDS = ("random-noise", "hard-negatives")


def gold_answers(questions: Mapping[str, Sequence[Question]]) -> dict[str, set[str]]:
    """The gold answers of each question in every language, as they are searched for."""
    answers: dict[str, set[str]] = {}
    for of_language in questions.values():
        for question in of_language:
            answers.setdefault(question.id, set()).update(map(search_form, question.answers))
    return answers


def perturbed(
    bench: Workbench, dataset: str, questions: Mapping[str, Sequence[Question]], **choices: Any
) -> Iterator[tuple[Question, list[Passage]]]:
    """Each question under each kind of KINDS, with the passages that were added to its own."""
    experiment = make_experiment({"perturbations": list(KINDS), "languages": list(questions), **choices})
    inputs = ExperimentInputs(bench, experiment)
    builder = ChainBuilder(bench, experiment.seed)
    for code, of_language in questions.items():
        over_corpus = dict.fromkeys({run.recipe.corpus for run in inputs.runs}, of_language)
        chains = builder.build(inputs.runs, code, over_corpus.__getitem__, inputs.gold_answers(dataset))
        search = Chain(tuple(stage.stage for stage in chains[0].stages[:2]))
        states = [State(question.text, code, chains[0].scope) for question in of_language]
        plain = [item.state for item in Executor().run(search, states)]
        for chain in chains:
            for question, before, after in zip(of_language, plain, chain.stages[2].stage.run(plain), strict=True):
                given = {item.passage.id for item in before.evidence}
                assert given <= {item.passage.id for item in after.evidence}
                yield question, [item.passage for item in after.evidence if item.passage.id not in given]


def evidence_among(
    added: Sequence[Passage], question: Question, answers: set[str], groups: Mapping[str, str]
) -> list[str]:
    """The ids of added passages that are gold, translate a gold one, or hold a gold answer in any language."""
    gold_groups = {groups[name] for name in question.gold if name in groups} - {""}
    return [
        passage.id
        for passage in added
        if passage.id in question.gold
        or passage.group in gold_groups
        or any(answer in search_form(f"{passage.title} {passage.text}") for answer in answers)
    ]
