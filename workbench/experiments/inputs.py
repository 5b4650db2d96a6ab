"""What an experiment is about: its questions by dataset and language, cut into batches, and its corpora's identity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from workbench.app import Workbench
from workbench.components import IdentifierInUse, identifier_in_use
from workbench.core import Question, UsageError, fingerprint, unknown_name
from workbench.data import MAPPING_VERSION, DatasetLibrary, GoldMap, find_sister, sample_ids
from workbench.experiments.experiment import ALL, Experiment, Run, runs_of
from workbench.experiments.perturbation import ORACLE
from workbench.experiments.results.scoring import RERANKED, stored_name
from workbench.metrics import FORMAT_FAILURE, RANKING_MEASURES as RANKINGS, well_formed_name

QUESTIONS_PER_BATCH = 16
"""Small enough that a kill costs seconds of the built-in parts, large enough that models are fed in batches."""
RANKINGS_VERSION = 1
"""Increased when the definition of ranking metrics changes."""
FORMAT_VERSION = 1
"""Increased when it changes what a format failure of D-RAG scores; results from when it was unscored have none."""
CACHED_LANGUAGES = 2
"""Languages of datasets whose questions are in memory at once."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions `start` to `end` (excluded) of one language of one dataset. `number` counts over the experiment."""

    number: int
    dataset: str
    language: str
    start: int
    end: int


class QuestionReader:
    """The questions of an experiment's datasets, read one language at a time, and their gold passages in each corpus.

    `languages` are the codes by dataset. Raises UsageError for a dataset or language that does not exist.
    """

    def __init__(self, workbench: Workbench, experiment: Experiment) -> None:
        self._workbench = workbench
        self._experiment = experiment
        self._library = DatasetLibrary(workbench.settings.datasets)
        self._gold_answers: tuple[str, Mapping[str, tuple[str, ...]]] = ("", {})
        self.languages = {name: self._languages(name) for name in experiment.datasets}
        chunkings = max(1, len(experiment.chunkings))
        self.questions: Callable[[str, str], tuple[Question, ...]] = lru_cache(CACHED_LANGUAGES)(self.read)
        self.mapped: Callable[[str, str, str], tuple[Question, ...]] = lru_cache(CACHED_LANGUAGES * chunkings)(
            self._mapped_questions
        )

    @cached_property
    def identifier(self) -> IdentifierInUse:
        """The language identifier, looked up once: one job uses one. Raises MissingError, UsageError."""
        return identifier_in_use(self._workbench.settings.home)

    def read(self, dataset: str, language: str) -> tuple[Question, ...]:
        """As `questions`, which remembers some of the languages that were read last."""
        corpus = self._workbench.corpus(self.original(dataset))
        questions = self._library.questions(dataset, language, corpus.languages)
        if self._experiment.questions is None:
            return questions
        # Ids are drawn by their hash, so parallel languages draw the same ones.
        sample = sample_ids((question.id for question in questions), self._experiment.questions, self._experiment.seed)
        return tuple(question for question in questions if question.id in sample)

    def original(self, dataset: str) -> str:
        """The corpus that the experiment names, or else the dataset. Raises UsageError where neither does."""
        return self._experiment.corpus or self.corpus_of(dataset)

    def corpus_of(self, dataset: str) -> str:
        """The corpus that a dataset names. Raises UsageError where it names none."""
        corpus = self._library.info(dataset).corpus
        if not corpus:
            raise UsageError(
                f"The dataset “{dataset}” provides no corpus. Name the one to search, for example: corpus: sample"
            )
        return corpus

    def gold_answers(self, dataset: str) -> Mapping[str, tuple[str, ...]]:
        """The gold answers in every language of the dataset, by question id.

        {} where a question's id says nothing in another language: where it is neither parallel nor aligned.
        """
        if self._gold_answers[0] != dataset:
            answers: dict[str, tuple[str, ...]] = {}
            info = self._library.info(dataset)
            for language in info.languages if info.parallel or info.aligned else ():
                for question in self._library.questions(dataset, language):
                    answers[question.id] = (*answers.get(question.id, ()), *question.answers)
            self._gold_answers = (dataset, answers)
        return self._gold_answers[1]

    def _mapped_questions(self, corpus: str, dataset: str, language: str) -> tuple[Question, ...]:
        questions, answers = self.questions(dataset, language), self.gold_answers(dataset)
        original = self._workbench.corpus(self.original(dataset))
        gold = {name for question in questions for name in question.gold}
        passages = GoldMap(original, self._workbench.corpus(corpus), gold)
        return tuple(
            replace(question, gold=passages.map(question.gold, (*question.answers, *answers.get(question.id, ()))))
            for question in questions
        )

    def _languages(self, dataset: str) -> tuple[str, ...]:
        available = self._library.info(dataset).languages
        requested = self._experiment.languages
        if ALL in requested:
            return tuple(available)
        for language in requested:
            if not any(language in self._library.info(name).languages for name in self._experiment.datasets):
                raise unknown_name("language of the experiment's datasets", language, available)
        return tuple(language for language in requested if language in available)


class ExperimentInputs:
    """An experiment's runs, questions and corpora, opened in a workspace. Questions are read one language at a time.

    `languages` are the codes by dataset, `counts` the numbers of questions by dataset and language. Raises UsageError
    for a dataset, corpus or language that does not exist.
    """

    def __init__(self, workbench: Workbench, experiment: Experiment) -> None:
        self.workbench = workbench
        self.experiment = experiment
        self.reader = QuestionReader(workbench, experiment)
        self.runs = runs_of(experiment, self.corpus_of, lru_cache(self._sister_of))
        self.counts = {
            (name, language): len(self.reader.read(name, language))
            for name, languages in self.languages.items()
            for language in languages
        }
        self._check_oracle()

    @property
    def languages(self) -> Mapping[str, tuple[str, ...]]:
        """The codes of the languages that are asked, by dataset."""
        return self.reader.languages

    @property
    def identifier(self) -> IdentifierInUse:
        """The language identifier: one job uses one. Raises MissingError, UsageError."""
        return self.reader.identifier

    def corpus_of(self, dataset: str) -> str:
        """The corpus that a dataset names. Raises UsageError where it names none."""
        return self.reader.corpus_of(dataset)

    def questions(self, dataset: str, language: str) -> tuple[Question, ...]:
        """The questions of a dataset that are asked in a language."""
        return self.reader.questions(dataset, language)

    def runs_over(self, dataset: str) -> list[Run]:
        """The runs over one dataset, in order."""
        return [run for run in self.runs if run.dataset == dataset]

    @property
    def cells(self) -> int:
        """The number of answers that the experiment asks for."""
        return sum(count * len(self.runs_over(name)) for (name, _), count in self.counts.items())

    @property
    def requested_metrics(self) -> tuple[str, ...]:
        """The experiment's metrics, by the names that their scores are stored under. Raises as `identifier` does."""
        return tuple(stored_name(name, self.identifier.mark) for name in self.experiment.metrics)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every name that scores are stored under: those requested and, with D-RAG runs, those about their form."""
        requested = self.requested_metrics
        if not self._has_sections:
            return requested
        return (*requested, FORMAT_FAILURE, *filter(None, map(well_formed_name, requested)))

    @property
    def _has_sections(self) -> bool:
        return any(run.recipe.mode == "drag" for run in self.runs)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of every question, every corpus, the language identifier and the definition of its metrics.

        The results of one experiment must all be about the same of these. Raises as `identifier` does.
        """
        questions = [
            [name, language, fingerprint("questions", [item.to_stored() for item in self.reader.read(name, language)])]
            for name, language in self.counts
        ]
        names = sorted({run.recipe.corpus for run in self.runs})
        corpora = [[name, self.workbench.corpus(name).manifest.fingerprint] for name in names]
        identifier = [self.identifier.detector.identity, self.identifier.mark]
        ranked = any(name in RANKINGS or name in RERANKED for name in self.experiment.metrics)
        definitions = [RANKINGS_VERSION if ranked else 0, MAPPING_VERSION if self.experiment.chunkings else 0]
        definitions += [FORMAT_VERSION] if self._has_sections else []
        return fingerprint("material", [questions, corpora, identifier, definitions])

    def corpus_version(self, run: Run) -> str:
        """The fingerprint of the corpus that the run searches, as it is now."""
        return self.workbench.corpus(run.recipe.corpus).manifest.fingerprint

    def batches(self) -> Iterator[Batch]:
        """Every batch, always the same ones."""
        number = 0
        for (name, language), count in self.counts.items():
            for start in range(0, count, QUESTIONS_PER_BATCH):
                yield Batch(number, name, language, start, min(start + QUESTIONS_PER_BATCH, count))
                number += 1

    def questions_of(self, batch: Batch, corpus: str = "") -> tuple[Question, ...]:
        """The questions of a batch, with the gold passages that they have in a corpus; "" for the dataset's."""
        questions = self.questions_in(corpus, batch.dataset, batch.language)
        return questions[batch.start : batch.end]

    def questions_in(self, corpus: str, dataset: str, language: str) -> tuple[Question, ...]:
        """The questions in a language with the gold passages that they have in a corpus; "" for the dataset's.

        Only a sister of the dataset's corpus has others (`documents.rechunking.gold_mapping`).
        """
        if not self.experiment.chunkings or corpus in ("", self.reader.original(dataset)):
            return self.questions(dataset, language)
        return self._mapped(corpus, dataset, language)

    def gold_answers(self, dataset: str) -> Mapping[str, tuple[str, ...]]:
        """See `QuestionReader.gold_answers`."""
        return self.reader.gold_answers(dataset)

    def _mapped(self, corpus: str, dataset: str, language: str) -> tuple[Question, ...]:
        return self.reader.mapped(corpus, dataset, language)

    def _sister_of(self, corpus: str, chunking: str) -> str:
        return find_sister(self.workbench.library, corpus, chunking).manifest.name

    def _check_oracle(self) -> None:
        """Raises UsageError where gold passages are to be given and a dataset names none."""
        has_oracle = ORACLE in self.experiment.perturbations
        for name, languages in self.languages.items() if has_oracle else ():
            if not any(question.gold for code in languages for question in self.reader.read(name, code)):
                raise UsageError(
                    f"The perturbation “oracle” gives the generator gold passages, and the dataset “{name}” names "
                    "none. Leave it out, or choose a dataset with gold passages or pages, for example: sample"
                )


class SelectedInputs(ExperimentInputs):
    """Some questions of other inputs under other runs than their matrix's, measured by some of their metrics.

    `selection` are the ids that are asked, by dataset and language. What was read is shared.
    """

    def __init__(
        self,
        inputs: ExperimentInputs,
        runs: Sequence[Run],
        metrics: Sequence[str],
        selection: Mapping[tuple[str, str], frozenset[str]],
    ) -> None:
        self.workbench = inputs.workbench
        self.experiment = inputs.experiment.model_copy(update={"metrics": tuple(metrics)})
        self.reader = inputs.reader
        self.runs = tuple(runs)
        self.counts = {key: len(selection[key]) for key in inputs.counts if selection.get(key)}
        self._selection = selection

    def questions(self, dataset: str, language: str) -> tuple[Question, ...]:
        """The questions that are asked."""
        return self._selected(super().questions(dataset, language), dataset, language)

    def _mapped(self, corpus: str, dataset: str, language: str) -> tuple[Question, ...]:
        return self._selected(super()._mapped(corpus, dataset, language), dataset, language)

    def _selected(self, questions: Sequence[Question], dataset: str, language: str) -> tuple[Question, ...]:
        ids = self._selection[dataset, language]
        return tuple(question for question in questions if question.id in ids)
