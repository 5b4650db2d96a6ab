"""Writing a set from beginning to end, in place or as a job that is stopped and gone on with.

Questions are written from so many passages of each language, by seed, the same for the same corpus. Passages with too
little text to ask anything of, and those with broken words, are passed over. A passage of a document that already gave
one waits until every other document has. The questions that people accepted become a dataset: the gold answer, and the
passage that each was written from as gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import numpy as np

from workbench.app import Workbench
from workbench.core import DataError, Passage, Question, UsageError, unknown_name
from workbench.data import Corpus, DatasetInfo, DatasetLibrary, DatasetMetadata, Progress, quiet
from workbench.jobs.question_generation.draft_store import Draft, DraftStore, WritingRequest
from workbench.jobs.question_generation.draft_writer import (
    DraftWriter,
    WritingPlan,
    checked_checker,
    checked_writer,
    writing_plan,
)
from workbench.jobs.review_store import COUNTED, WAITING, DraftProgress, DraftSet
from workbench.jobs.set_jobs import SetJobs, written_result
from workbench.languages import has_broken_words, language
from workbench.pipeline import Executor
from workbench.workspace import RunningJob, batched, opened_store, verb

MOST_PER_LANGUAGE = 1_000
FEWEST_CHARACTERS, FEWEST_UNSPACED = 80, 30
"""Characters of the shortest passage that is asked of; fewer in scripts without spaces, whose characters say more."""
READ_AT_ONCE = 200


def waiting_drafts(store: DraftStore, name: str, request: WritingRequest, corpus: Corpus) -> list[Draft]:
    """What is to be written for the set called `name`: its unwritten drafts, or those of a new set, not yet stored.

    Raises UsageError where the name has another request, and as `sample_passages` does.
    """
    if store.continued(name, request):
        return store.drafts(name, WAITING)
    return [
        Draft(name, number, item.id, item.title, item.text, item.language)
        for number, item in enumerate(sample_passages(corpus, request), start=1)
    ]


def sample_passages(corpus: Corpus, request: WritingRequest) -> list[Passage]:
    """At most `per_language` passages of each language, in the order of languages.

    Raises UsageError for a number that is not allowed or a language that the corpus does not have, DataError where no
    passage can be asked of.
    """
    if not 1 <= request.per_language <= MOST_PER_LANGUAGE:
        raise UsageError(
            f"{request.per_language:,} questions per language cannot be written: type a number from 1 to "
            f"{MOST_PER_LANGUAGE:,}."
        )
    for code in request.languages:
        if code not in corpus.languages:
            raise unknown_name(f"language of corpus “{corpus.manifest.name}”", code, corpus.languages)
    passages = [
        passage
        for code in request.languages or sorted(corpus.languages)
        for passage in _of_language(corpus, code, request)
    ]
    if not passages:
        raise DataError(
            f"No passage of the corpus “{corpus.manifest.name}” has enough readable text for a question: "
            f"{FEWEST_CHARACTERS} characters, or {FEWEST_UNSPACED} in scripts without spaces."
        )
    return passages


def _of_language(corpus: Corpus, code: str, request: WritingRequest) -> list[Passage]:
    passages: list[Passage] = []
    repeated: list[Passage] = []
    documents: set[str] = set()
    for passage in _shuffled(corpus, code, request.seed):
        if passage.document in documents:
            if len(repeated) < request.per_language:
                repeated.append(passage)
            continue
        documents.add(passage.document)
        passages.append(passage)
        if len(passages) == request.per_language:
            return passages
    return (passages + repeated)[: request.per_language]


def _shuffled(corpus: Corpus, code: str, seed: int) -> Iterator[Passage]:
    rows, _ = corpus.table.rows_where(language=code, limit=corpus.table.size)
    order = np.random.default_rng([seed, *code.encode()]).permutation(rows)
    for some in batched(order.tolist(), READ_AT_ONCE):
        yield from filter(_suits_a_question, corpus.table.passages(list(some)))


def _suits_a_question(passage: Passage) -> bool:
    fewest = FEWEST_UNSPACED if language(passage.language).spaceless else FEWEST_CHARACTERS
    return len(passage.text.strip()) >= fewest and not has_broken_words(passage.text)


KIND = "written"


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """The dataset, and how many accepted questions were left out because the corpus no longer has their passage."""

    dataset: DatasetInfo
    without_passage: int = 0


def check_name_free(datasets: DatasetLibrary, name: str) -> None:
    """Raises UsageError where `name` is that of a dataset that was not written here, which would be overwritten."""
    if any(info.name == name and info.kind != KIND for info in datasets.list()) or name in datasets.damaged():
        raise UsageError(
            f"There is a dataset “{name}” already, from elsewhere. Choose another name, for example: "
            f"{name[:55]}-written"
        )


# The dataset that these questions made before goes, where they are in fewer languages now.
@verb("datasets.add", "{draft_set.name}", allows=["datasets.delete"])
def create_dataset(
    store: DraftStore, draft_set: DraftSet[WritingRequest], corpus: Corpus, datasets: DatasetLibrary
) -> WrittenDataset:
    """Writes the accepted questions as the dataset of the set's name; one that was written from it before is replaced.

    Raises UsageError where nothing is accepted or the name is that of another dataset, DataError where the corpus has
    none of the passages any more.
    """
    name = draft_set.name
    check_name_free(datasets, name)
    accepted = store.drafts(name, COUNTED)
    if not accepted:
        raise UsageError(f"No question of the set “{name}” is accepted yet: review its drafts first.")
    rows = corpus.lexical.rows_of([item.passage for item in accepted])
    questions = [
        Question(f"{name}-{item.number:04d}", item.question, item.language, (item.answer,), (item.passage,))
        for item in accepted
        if item.passage in rows
    ]
    if not questions:
        raise DataError(
            f"The corpus “{corpus.manifest.name}” has none of the passages any more that the set “{name}” was written "
            "from: add its documents again."
        )
    reviewers = ", ".join(sorted({item.reviewer for item in accepted}))
    metadata = DatasetMetadata(
        kind=KIND,
        source=f"Written by {draft_set.request.generator} from the corpus {corpus.manifest.name}",
        licence=corpus.manifest.licence,
        description=f"Reviewed by {reviewers}.",
    )
    with datasets.changing(name):
        languages = {item.language for item in questions}
        if any(info.name == name and set(info.languages) - languages for info in datasets.list()):
            # Adding replaces languages; one without an accepted question would stay.
            datasets.remove(name)
        dataset = datasets.add(name, corpus.manifest.name, questions, aligned=False, metadata=metadata)
    return WrittenDataset(dataset, len(accepted) - len(questions))


@dataclass
class SetWriting:
    """The set called `name` under a request, new or begun before. Nothing is sent or stored before `write`.

    Raises UsageError for a name or a request that is not allowed, DataError where no passage can be asked of.
    """

    bench: Workbench
    name: str
    request: WritingRequest
    opening: Progress = quiet
    store: DraftStore = field(init=False)
    _corpus: Corpus = field(init=False)
    _drafts: list[Draft] = field(init=False)

    def __post_init__(self) -> None:
        self.store = DraftStore(opened_store(self.bench.settings.database_url))
        check_name_free(DatasetLibrary(self.bench.settings.datasets), self.name)
        self._corpus = self.bench.corpus(self.request.corpus, self.opening)
        self._drafts = waiting_drafts(self.store, self.name, self.request, self._corpus)

    @property
    def plan(self) -> WritingPlan:
        """What writing the rest takes."""
        return writing_plan(self._drafts, self.request, self.bench.settings.home)

    @verb("drafts.write", "{self.name}")
    def write(self, progress: Progress = quiet, stop: Event | None = None) -> DraftProgress:
        """Writes what is unwritten, and returns how far the set is then.

        Raises JobStopped once `stop` is set, and what making the generator raises; what is stored by then stays.
        """
        if self._drafts:
            draft_set = self.store.create(self.name, self.request, self._corpus.manifest.fingerprint, self._drafts)
            executor = Executor(self.bench.cache, "isolate", stop or Event())
            DraftWriter(self.store, draft_set, self.bench.registry, executor).write(progress)
        return self.store.progress(self.name)


@dataclass(frozen=True, slots=True)
class WritingParameters:
    """The set that is written: its name and what it is asked for."""

    name: str
    request: WritingRequest


class WritingJobs(SetJobs):
    """The writing of questions in a workspace."""

    kind = "writing"

    @verb("drafts.write", "{name}")
    def start(self, name: str, request: WritingRequest) -> str:
        """Starts writing the set called `name`, or what is unwritten of it; returns the job's id.

        Raises UsageError for names that are not allowed, and for a set that is being written.
        """
        check_name_free(DatasetLibrary(self.settings.datasets), name)
        checked_writer(request.generator)
        checked_checker(request.checker)
        return self.start_set(name, WritingParameters(name, request))


def run_writing(task: RunningJob, parameters: WritingParameters) -> Mapping[str, Any]:
    """Writes what is unwritten.

    Drafts are stored a batch at a time and replies are cached, so that going on after any end pays for nothing twice.
    """
    writing = SetWriting(Workbench(task.settings), parameters.name, parameters.request, task.progress)
    writing.write(task.progress, task.stop)
    return written_result(writing.store, parameters.name)
