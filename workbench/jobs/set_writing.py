"""Writing sets of drafts, in place or in the background: what questions and demonstrations have in common.

Drafts are stored a batch at a time, and every call is a step of the cache, so that going on after any end pays for
nothing twice. A call that fails leaves its draft unwritten, with the reason, and the next run tries again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, ClassVar, Generic
from uuid import uuid4

from workbench.app import Workbench
from workbench.core import Prompt, UsageError
from workbench.data import Corpus, DatasetLibrary, Progress, quiet
from workbench.jobs.review_store import WAITING, DraftProgress, Item, Request, ReviewStore
from workbench.pipeline import BoundStage, Executor, State, StepOutcome
from workbench.workspace import Jobs, RunningJob, batched, opened_store, verb

BATCH = 16
"""Drafts that are stored together."""


@dataclass
class SetWriting(ABC, Generic[Item, Request]):
    """The set called `name` under a request, new or begun before. Nothing is sent or stored before `write`.

    Raises UsageError for a name or a request that is not allowed, DataError where there is nothing to write from.
    """

    stores: ClassVar[type[ReviewStore[Any, Any]]]
    noun: ClassVar[str]
    """What is written, in the plural."""
    bench: Workbench
    name: str
    request: Request
    opening: Progress = quiet
    store: ReviewStore[Item, Request] = field(init=False)
    library: DatasetLibrary = field(init=False)
    corpus: Corpus = field(init=False)
    drafts: Sequence[Item] = field(init=False)
    """What is unwritten of the set; of a new one, which is not stored yet, everything."""
    is_begun: bool = field(init=False)
    executor: Executor = field(init=False)

    def __post_init__(self) -> None:
        """Plans what is to be written."""
        self.store = self.stores(opened_store(self.bench.settings.database_url))
        self.library = DatasetLibrary(self.bench.settings.datasets)
        self.corpus = self.bench.corpus(self._corpus_name(), self.opening)
        self.is_begun = self.store.continued(self.name, self.request) is not None
        self.drafts = self.store.drafts(self.name, WAITING) if self.is_begun else self._planned()

    @abstractmethod
    def _corpus_name(self) -> str:
        """The corpus that is written from. Raises UsageError for a set's name that is not allowed."""

    @abstractmethod
    def _planned(self) -> Sequence[Item]:
        """The drafts of a new set."""

    @abstractmethod
    def _batch(self, drafts: Sequence[Item]) -> Sequence[Item]:
        """The drafts as they are after writing and checking, in any order."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What writing the rest takes, and where texts are sent."""

    def hosts(self, names: Iterable[str]) -> tuple[str, ...]:
        """Where texts are sent by models with these names."""
        return tuple(dict.fromkeys(host for name in names if (host := self.bench.registry.host(name))))

    def replies(self, stage: BoundStage, prompts: Iterable[Prompt]) -> Sequence[StepOutcome]:
        """What a stage made of each prompt."""
        states = [State("", "", prompt=prompt) for prompt in prompts]
        return self.executor.step(stage, states) if states else []

    @verb("drafts.write", "{self.name}")
    def write(self, progress: Progress = quiet, stop: Event | None = None) -> DraftProgress:
        """Writes what is unwritten, and returns how far the set is then.

        Raises JobStopped once `stop` is set, and what making the models raises; what is stored by then stays.
        """
        if self.drafts:
            self.store.create(self.name, self.request, self.corpus.manifest.fingerprint, self.drafts)
            self.executor = Executor(self.bench.cache, "isolate", stop or Event())
            waiting, done = self.store.drafts(self.name, WAITING), 0
            for some in batched(waiting, BATCH):
                self.store.record(self._batch(list(some)))
                progress(self.noun, done := done + len(some), len(waiting))
        return self.store.progress(self.name)

    @classmethod
    def run(cls, task: RunningJob, parameters: WritingParameters[Request]) -> Mapping[str, Any]:
        """Writes what is unwritten as a job: how many then wait, are held back, and failed, with a reason."""
        writing = cls(Workbench(task.settings), parameters.name, parameters.request, task.progress)
        state = writing.write(task.progress, task.stop)
        reasons = [item.reason for item in writing.store.drafts(parameters.name, WAITING) if item.reason]
        return {
            "to_review": state.count("draft"),
            "filtered": state.count("filtered"),
            "unwritten": state.failed,
            "reason": reasons[0] if reasons else "",
        }


def sent_words(hosts: Sequence[str]) -> str:
    """Where texts are sent, in a sentence."""
    return f"Texts are sent to {', '.join(hosts)}." if hosts else "No text leaves this machine."


@dataclass(frozen=True, slots=True)
class WritingParameters(Generic[Request]):
    """The set that is written: its name and what it is asked for."""

    name: str
    request: Request


class SetJobs(Jobs):
    """The writing of sets of one kind in a workspace; a job's title is the set's name."""

    def start_set(self, name: str, request: object) -> str:
        """Starts writing the set called `name`, or what is unwritten of it, for verbs; returns the job's id.

        Raises UsageError for a set that is being written.
        """
        self.sweep()
        others = [job for job in self.all() if job.title == name]
        if any(job.active for job in others):
            raise UsageError(f"The set “{name}” is already being written. Wait for that to finish, or stop it.")
        job_id = uuid4().hex
        self.launch(job_id, WritingParameters(name, request), title=name)
        for job in others:
            self.discard(job.id)
        return job_id

    def nothing_left(self, job_id: str) -> bool:
        """Never: a job that is done is resumed for the drafts whose calls failed."""
        return False
