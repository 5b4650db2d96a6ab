"""Added documents over the sample: none is evidence, in any of the thirteen languages."""

from __future__ import annotations

import pytest

from tests.experiments.perturbed import evidence_among, gold_answers, perturbed
from workbench.app.workbench import Workbench
from workbench.data.corpora import sample

INSTANCES = 500
ASKED_IN = ("ar", "fi", "th")


@pytest.mark.slow
def test_nothing_that_is_added_to_500_instances_is_evidence(sample_workbench: Workbench) -> None:
    questions = {code: sample.questions(code) for code in sample.languages()}
    groups = {passage.id: passage.group for passage in sample.passages()}
    answers = gold_answers(questions)
    instances = additions = 0
    # Three of the thirteen, for time; the answers that are looked for are those in all.
    for question, added in perturbed(sample_workbench, "sample", {code: questions[code] for code in ASKED_IN}):
        instances += 1
        additions += len(added)
        assert evidence_among(added, question, answers[question.id], groups) == []
    assert instances >= INSTANCES
    assert additions >= 1.9 * instances


def test_random_noise_is_never_the_gold_article_in_another_language(sample_workbench: Workbench) -> None:
    questions = {code: sample.questions(code) for code in ASKED_IN}
    additions = 0
    for question, added in perturbed(sample_workbench, "sample", questions, perturbations=["random-noise"]):
        additions += len(added)
        topics = {name.split(".")[0] for name in question.gold}
        assert [passage.id for passage in added if passage.document.split(".")[0] in topics] == []
    assert additions > len(questions["fi"])
