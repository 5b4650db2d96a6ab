"""Added documents over the whole sample: none is evidence, in any of the thirteen languages."""

from __future__ import annotations

from functools import cache

from workbench.corpora import sample
from workbench.experiments.chain_builder import ChainBuilder
from workbench.experiments.experiment import make_experiment
from workbench.experiments.inputs import ExperimentInputs
from workbench.languages.normalise import search_form
from workbench.pipeline.executor import Executor
from workbench.pipeline.stage import Chain
from workbench.pipeline.state import State
from workbench.workspace.workbench import Workbench

INSTANCES = 500


@cache
def gold_answers() -> dict[str, set[str]]:
    """The gold answers of each question in every language, as they are searched for."""
    answers: dict[str, set[str]] = {}
    for code in sample.languages():
        for question in sample.questions(code):
            answers.setdefault(question.id, set()).update(map(search_form, question.answers))
    return answers


def test_nothing_that_is_added_to_500_instances_is_evidence(sample_workbench: Workbench) -> None:
    kinds = ["random-noise", "hard-negatives"]
    experiment = make_experiment({"perturbations": kinds, "languages": list(sample.languages())})
    inputs = ExperimentInputs(sample_workbench, experiment)
    builder = ChainBuilder(sample_workbench, experiment.seed)
    groups = {passage.id: passage.group for passage in sample.passages()}
    instances = additions = 0
    for code in sample.languages():
        questions = sample.questions(code)
        chains = builder.build(inputs.runs, code, questions, inputs.gold_answers("sample"))
        search = Chain(tuple(stage.stage for stage in chains[0].stages[:2]))
        states = [State(question.text, code, chains[0].scope) for question in questions]
        plain = [item.state for item in Executor().run(search, states)]
        perturbed = [state for chain in chains for state in chain.stages[2].stage.run(plain)]
        for question, before, after in zip(questions * 2, plain * 2, perturbed, strict=True):
            given = {item.passage.id for item in before.evidence}
            more = [item.passage for item in after.evidence if item.passage.id not in given]
            assert given <= {item.passage.id for item in after.evidence}
            gold_groups = {groups[name] for name in question.gold} - {""}
            instances += 1
            additions += len(more)
            for passage in more:
                assert passage.id not in question.gold and passage.group not in gold_groups
                text = search_form(f"{passage.title} {passage.text}")
                assert not [answer for answer in gold_answers()[question.id] if answer in text]
    assert instances >= 2 * INSTANCES
    assert additions >= 1.9 * instances
