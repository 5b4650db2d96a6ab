"""Writing a set from beginning to end, as a terminal and a screen do: what it takes, then the writing itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event

from workbench.app import Workbench
from workbench.data import Corpus, DatasetLibrary, Progress, quiet
from workbench.jobs.question_generation.draft import Draft, DraftProgress, WritingRequest
from workbench.jobs.question_generation.draft_store import DraftStore
from workbench.jobs.question_generation.draft_writer import DraftWriter, WritingPlan, writing_plan
from workbench.jobs.question_generation.passage_sampling import waiting_drafts
from workbench.jobs.question_generation.written_dataset import check_name_free
from workbench.pipeline import Executor
from workbench.workspace import opened_store, verb


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
