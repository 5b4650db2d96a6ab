"""What went wrong with one answer: it is observed, counterfactuals are tried as far as needed, and the rules decide."""

from __future__ import annotations

from collections.abc import Callable

from workbench.annotation.diagnosis.counterfactuals import CounterfactualTrials
from workbench.annotation.diagnosis.observation import GoldAnswers, observe
from workbench.annotation.diagnosis.proposal import CaseTrial, Proposal, decide, decided_without_trials
from workbench.app import Workbench
from workbench.data import DatasetLibrary
from workbench.experiments import Instance
from workbench.workspace import verb

OnTrial = Callable[[CaseTrial], None]
"""Called after each counterfactual with what came of it."""


def ignore_trial(_trial: CaseTrial) -> None:
    """An OnTrial that does nothing."""


class Diagnosing:
    """Proposes labels in one workspace; what it reads of datasets serves all answers of one.

    `sends`: whether counterfactuals may send texts to the hosts that a recipe names. `thorough`: whether all
    counterfactuals are tried that are possible, where fewer decide.
    """

    def __init__(self, workbench: Workbench, *, sends: bool = False, thorough: bool = False) -> None:
        self._workbench = workbench
        self._golds = GoldAnswers(DatasetLibrary(workbench.settings.datasets))
        self._sends = sends
        self._thorough = thorough

    @verb("proposals.run")
    def propose(self, item: Instance, on_trial: OnTrial = ignore_trial) -> Proposal:
        """The label that the rules propose for an answer, with its evidence and what was tried.

        Raises what a search raises that is not an error of the answer's own recipe.
        """
        observation = observe(self._workbench, item, self._golds, sends=self._sends)
        first = decided_without_trials(observation.facts)
        if first is not None:
            return first
        trials: list[CaseTrial] = []
        for trial in CounterfactualTrials(self._workbench, item, observation, sends=self._sends).tried(
            thorough=self._thorough
        ):
            trials.append(trial)
            on_trial(trial)
        return decide(observation.facts, trials, thorough=self._thorough)
