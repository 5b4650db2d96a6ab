"""What an experiment is about: its questions by dataset and language, cut into batches, and its corpora's identity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache

from workbench.components.identifiers import BUILTIN, IdentifierInUse, identifier_in_use
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.datasets.sampling import first
from workbench.errors import UsageError, unknown
from workbench.experiments.experiment import ALL, Experiment, Run, runs_of
from workbench.identity import fingerprint
from workbench.records import Question
from workbench.results.answer_scoring import stored_name
from workbench.workspace.workbench import Workbench

QUESTIONS_A_BATCH = 16
"""Small enough that a kill costs seconds of the built-in parts, large enough that models are fed in batches."""
HELD = 2
"""Languages of a dataset whose questions are in memory at once."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions `start` to `end` (excluded) of one language of one dataset. `number` counts over the experiment."""

    number: int
    dataset: str
    language: str
    start: int
    end: int


class ExperimentInputs:
    """An experiment's runs, questions and corpora, opened in a workspace. Questions are read a language at a time."""

    def __init__(self, workbench: Workbench, experiment: Experiment) -> None:
        """Raises UsageError for a dataset, corpus or language that is not there."""
        self.workbench = workbench
        self.experiment = experiment
        self._library = DatasetLibrary(workbench.settings.datasets)
        self.runs = runs_of(experiment, self._corpus_of)
        self.languages = {name: self._languages(name) for name in experiment.datasets}
        self.questions = lru_cache(maxsize=HELD)(self._questions)
        self.counts = {
            (name, code): len(self._questions(name, code)) for name, codes in self.languages.items() for code in codes
        }

    def runs_over(self, dataset: str) -> list[Run]:
        """The runs over one dataset, in order."""
        return [run for run in self.runs if run.dataset == dataset]

    @property
    def cells(self) -> int:
        """How many answers the experiment asks for."""
        return sum(count * len(self.runs_over(name)) for (name, _), count in self.counts.items())

    @cached_property
    def identifier(self) -> IdentifierInUse:
        """The language identifier, asked for once: one job is told by one. Raises MissingError, UsageError for one that
        cannot be asked.
        """
        return identifier_in_use(self.workbench.settings.home)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The experiment's metrics by what their figures are stored under. Raises as `identifier` does."""
        return tuple(stored_name(name, self.identifier.mark) for name in self.experiment.metrics)

    @property
    def fingerprint(self) -> str:
        """Of every question and corpus, and of the language identifier: results of one experiment must all be about the
        same, and told by the same. Raises as `identifier` does.
        """
        asked = [
            [name, code, fingerprint("questions", [asdict(question) for question in self._questions(name, code)])]
            for name, code in self.counts
        ]
        searched = sorted({run.recipe.corpus for run in self.runs})
        corpora = [[name, self.workbench.corpus(name).manifest.fingerprint] for name in searched]
        told = [] if self.identifier.name == BUILTIN else [self.identifier.detector.identity, self.identifier.mark]
        return fingerprint("material", [asked, corpora, *told])

    def batches(self) -> Iterator[Batch]:
        """Every batch, always the same ones."""
        number = 0
        for (name, code), count in self.counts.items():
            for start in range(0, count, QUESTIONS_A_BATCH):
                yield Batch(number, name, code, start, min(start + QUESTIONS_A_BATCH, count))
                number += 1

    def asked(self, batch: Batch) -> tuple[Question, ...]:
        """The questions of a batch."""
        return self.questions(batch.dataset, batch.language)[batch.start : batch.end]

    def _corpus_of(self, dataset: str) -> str:
        corpus = self._library.info(dataset).corpus
        if not corpus:
            raise UsageError(
                f"The dataset “{dataset}” brings no corpus. Say which to search, for example: corpus: sample"
            )
        return corpus

    def _languages(self, dataset: str) -> tuple[str, ...]:
        there = self._library.info(dataset).languages
        wanted = self.experiment.languages
        if ALL in wanted:
            return tuple(there)
        for code in wanted:
            if not any(code in self._library.info(name).languages for name in self.experiment.datasets):
                raise unknown("language of the experiment's datasets", code, there)
        return tuple(code for code in wanted if code in there)

    def _questions(self, dataset: str, code: str) -> tuple[Question, ...]:
        corpus = self.workbench.corpus(self.experiment.corpus or self._corpus_of(dataset))
        found = self._library.questions(dataset, code, corpus.languages)
        if self.experiment.questions is None:
            return found
        # Ids are drawn by their own hash, so parallel languages draw the same ones.
        drawn = first((question.id for question in found), self.experiment.questions, self.experiment.seed)
        return tuple(question for question in found if question.id in drawn)
