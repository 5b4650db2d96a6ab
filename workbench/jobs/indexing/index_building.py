"""Indexing a corpus as a job: in turn, with its pace measured, until it is complete, stopped or its corpus is gone.

What is encoded is on disk at once, so a kill costs seconds. The index is swapped in whole when it is complete: who
searches the corpus meanwhile is not disturbed, and the next question uses it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.app import Workbench
from workbench.components import EncoderSpread
from workbench.core import JobStopped, UsageError
from workbench.data import Corpus, CorpusManifest, read_manifest
from workbench.jobs.indexing import index_rates
from workbench.jobs.indexing.index_jobs import IndexJobs, IndexParameters, index_id
from workbench.workspace import Job, PieceRate, RunningJob, verb

Watch = Callable[[Job], None]
"""Called with the job whenever it changes, at most twice a second."""

BETWEEN = 0.5
"""Seconds between two looks at the corpus, and at somebody else's job."""
ENCODING = "encoding"


class _CorpusMovedError(Exception):
    """The corpus was renamed, deleted or imported anew while it was indexed."""


def unwatched(_job: Job) -> None:
    """A Watch that does nothing."""


def never() -> bool:
    """No wish to stop."""
    return False


@verb("corpora.index", "{name}")
def build_now(
    bench: Workbench,
    name: str,
    encoder: str,
    *,
    watch: Watch = unwatched,
    shall_stop: Callable[[], bool] = never,
    spread: EncoderSpread | None = None,
) -> None:
    """Indexes the corpus called `name` in this process, resuming what a job began; follows one that is at work.

    One that only waits for its turn is stopped and taken over. `spread`: which processes encode; None for this one.
    Raises JobStopped, UsageError for a corpus or an encoder that does not exist, and what the encoder raises.
    """
    jobs = IndexJobs(bench.settings)
    while True:
        manifest = bench.corpus(name).manifest
        with jobs.claimed(index_id(manifest, encoder)) as claim:
            if claim is not None:
                task = RunningJob(jobs, jobs.begun_here(claim, manifest, encoder))
                try:
                    with task.at_work():
                        IndexBuild(bench, task, watch, shall_stop, spread).run()
                finally:
                    watch(task.job)
                return
        _follow(jobs, manifest, encoder, watch, shall_stop)
        if bench.registry.is_indexed(bench.corpus(name), encoder):
            return


def _follow(
    jobs: IndexJobs, manifest: CorpusManifest, encoder: str, watch: Watch, shall_stop: Callable[[], bool]
) -> None:
    """Watches the job of another process until that ends."""
    for job in jobs.watch(index_id(manifest, encoder), BETWEEN):
        if shall_stop():
            raise JobStopped
        if job.state == "waiting" and job.pid is not None:
            jobs.stop(job.id)
        if job.active:
            watch(job)


def run_indexing(task: RunningJob, _parameters: IndexParameters) -> None:
    """What the process of an indexing job does."""
    IndexBuild(Workbench(task.settings), task).run()


@dataclass
class IndexBuild:
    """The work of one job, which this process does. `spread`: which processes encode; None for this one."""

    bench: Workbench
    task: RunningJob
    watch: Watch = unwatched
    shall_stop: Callable[[], bool] = never
    spread: EncoderSpread | None = None
    _looked: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._parameters = self.task.job.read(IndexParameters)

    def run(self) -> None:
        """Indexes the corpus under its present name; one that was imported anew is a job of its own.

        Raises JobStopped and what the encoder raises.
        """
        while True:
            corpus = self._present()
            try:
                self._index(corpus)
            except _CorpusMovedError:
                pass
            except Exception:
                # The files of a corpus that was renamed or replaced are gone, whatever the error says.
                if corpus.folder.is_dir():
                    raise
            else:
                self.task.tell(ENCODING, corpus.manifest.passages, corpus.manifest.passages, ends=None)
                return

    def _present(self) -> Corpus:
        """The corpus as it is now. Raises JobStopped where it is another one, for which a job then begins."""
        try:
            corpus = self.bench.corpus(self._parameters.corpus)
        except UsageError as error:
            raise JobStopped from error  # deleted: its job goes with the next one
        if corpus.manifest.version != self._parameters.version:
            IndexJobs(self.bench.settings).start(corpus.manifest, self._parameters.encoder)
            raise JobStopped
        return corpus

    def _index(self, corpus: Corpus) -> None:
        home, encoder, total = self.bench.settings.home, self._parameters.encoder, corpus.manifest.passages
        each = corpus.table.characters() / max(total, 1)
        pieces = PieceRate(index_rates.known_rate(home, encoder) / max(each, 1e-9))

        def progress(_phase: str, done: int, _total: int) -> None:
            if self.shall_stop():
                raise JobStopped
            pieces.add(done, time.monotonic())
            self._tell(done, total, pieces.rate)
            self.task.check_stop()
            if time.monotonic() - self._looked >= BETWEEN:
                self._look(corpus)

        pieces.add(0, time.monotonic())
        self._tell(0, total, pieces.rate)
        self._look(corpus)
        try:
            self.bench.registry.index(corpus, encoder, "dense", progress, spread=self.spread)
        finally:
            if pieces.is_measured:
                index_rates.keep_rate(home, encoder, pieces.rate * each)

    def _tell(self, done: int, total: int, rate: float) -> None:
        ends = time.time() + (total - done) / rate if rate else None
        self.task.tell(ENCODING, done, total, ends=ends, rate=rate)

    def _look(self, corpus: Corpus) -> None:
        """Shows the job to who watches. Raises _CorpusMovedError where the corpus was renamed, deleted or changed."""
        self._looked = time.monotonic()
        self.watch(self.task.job)
        current = read_manifest(corpus.folder.parent)
        if current is None or current.version != corpus.manifest.version:
            raise _CorpusMovedError
