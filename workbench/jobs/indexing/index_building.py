"""Indexing a corpus as a job: in turn, with its pace measured, until it is complete, stopped or its corpus is gone.

What is encoded is on disk at once, so a kill costs seconds. The index is swapped in whole when it is complete: who
searches the corpus meanwhile is not disturbed, and the next question uses it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from workbench.app import Workbench
from workbench.components import EncoderSpread
from workbench.core import UsageError, WorkbenchError, is_panic, shorten
from workbench.data import Corpus, CorpusManifest, read_manifest
from workbench.jobs.indexing import index_rates
from workbench.jobs.indexing.index_jobs import ClaimedJob, IndexJobs
from workbench.jobs.indexing.index_status import IndexState, IndexStatus, now
from workbench.workspace import PieceRate, lock, verb

Watch = Callable[[IndexStatus], None]
"""Called with the status whenever it changes, at most twice a second."""

TURN = "index-turn.lock"
"""In the folder of jobs: whoever has it encodes in the background, the others wait."""
BETWEEN = 0.5
"""Seconds between two writes of the status, and between looks at somebody else's."""
ERROR_LIMIT = 300
"""Characters of an error that a library raised."""


class IndexingStopped(Exception):
    """Somebody asked the indexing to stop; what was encoded is kept."""


class _CorpusMovedError(Exception):
    """The corpus was renamed, deleted or imported anew while it was indexed."""


def unwatched(_status: IndexStatus) -> None:
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
    Raises IndexingStopped, UsageError for a corpus or an encoder that does not exist, and what the encoder raises.
    """
    jobs = IndexJobs(bench.settings)
    while True:
        manifest = bench.corpus(name).manifest
        with jobs.claimed(manifest, encoder) as claim:
            if claim is not None:
                IndexBuild(bench, manifest, encoder, claim, watch, shall_stop, spread=spread).run()
                return
        _follow(jobs, manifest, encoder, watch, shall_stop)
        if bench.registry.is_indexed(bench.corpus(name), encoder):
            return


def _follow(
    jobs: IndexJobs, manifest: CorpusManifest, encoder: str, watch: Watch, shall_stop: Callable[[], bool]
) -> None:
    """Watches the job of another process until that ends."""
    while (status := jobs.status(manifest, encoder)) is not None and status.active:
        if shall_stop():
            raise IndexingStopped
        if status.state == "waiting" and status.pid is not None:
            jobs.stop(manifest, encoder)
        watch(status)
        time.sleep(BETWEEN)


@dataclass
class IndexBuild:
    """The work of one job, which this process has claimed. `in_turn`: it waits until no other one of these encodes.

    `spread`: which processes encode; None for this one.
    """

    bench: Workbench
    manifest: CorpusManifest
    encoder: str
    claim: ClaimedJob
    watch: Watch = unwatched
    shall_stop: Callable[[], bool] = never
    in_turn: bool = False
    spread: EncoderSpread | None = None
    _status: IndexStatus = field(init=False)
    _written: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        status = self.claim.files.read()
        assert status is not None  # whoever claims a job writes one
        self._status = status

    def run(self) -> None:
        """Works to the end, and records it. Raises IndexingStopped and what the encoder raises, likewise recorded."""
        self._tell("waiting", pid=os.getpid())
        try:
            with self._turn():
                self._build()
        except IndexingStopped:
            self._tell("stopped")
            raise
        except WorkbenchError as error:
            self._tell("failed", error=error.on_screen)
            raise
        except BaseException as error:
            if isinstance(error, Exception) or is_panic(error):
                self._tell("failed", error=f"{type(error).__name__}: {shorten(error, ERROR_LIMIT)}")
            else:
                self._tell("stopped")  # by Ctrl+C
            raise
        self._tell("done", done=self.manifest.passages, total=self.manifest.passages, seconds_left=0.0)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        while self.in_turn:
            self._check_stop()
            with lock.acquired(self.claim.files.lock.with_name(TURN)) as number:
                if number is not None:
                    yield
                    return
        yield

    def _build(self) -> None:
        """Indexes the corpus under its present name; one that was imported anew is a job of its own."""
        while True:
            corpus = self._present()
            try:
                self._index(corpus)
            except IndexingStopped:
                raise
            except _CorpusMovedError:
                pass
            except Exception:
                # The files of a corpus that was renamed or replaced are gone, whatever the error says.
                if corpus.folder.is_dir():
                    raise
            else:
                return

    def _present(self) -> Corpus:
        """The corpus as it is now. Raises IndexingStopped where it is another one, for which a job then begins."""
        try:
            corpus = self.bench.corpus(self.manifest.name)
        except UsageError as error:
            raise IndexingStopped from error  # deleted: its status goes with the next job
        if corpus.manifest.version != self.manifest.version:
            IndexJobs(self.bench.settings).start(corpus.manifest, self.encoder)
            raise IndexingStopped
        return corpus

    def _index(self, corpus: Corpus) -> None:
        home, total = self.bench.settings.home, corpus.manifest.passages
        each = corpus.table.characters() / max(total, 1)
        pieces = PieceRate(index_rates.known_rate(home, self.encoder) / max(each, 1e-9))

        def progress(_phase: str, done: int, _total: int) -> None:
            self._check_stop()
            self._check_version(corpus)
            pieces.add(done, time.monotonic())
            left = (total - done) / pieces.rate if pieces.rate else None
            self._tell("running", done=done, total=total, rate=pieces.rate, seconds_left=left, seldom=True)

        pieces.add(0, time.monotonic())
        left = total / pieces.rate if pieces.rate else None
        self._tell("running", rate=pieces.rate, total=total, seconds_left=left)
        try:
            self.bench.registry.index(corpus, self.encoder, "dense", progress, spread=self.spread)
        finally:
            if pieces.is_measured:
                index_rates.keep_rate(home, self.encoder, pieces.rate * each)

    def _check_version(self, corpus: Corpus) -> None:
        """Raises _CorpusMovedError where the corpus was renamed, deleted or changed; looks twice a second."""
        if time.monotonic() - self._written >= BETWEEN:
            current = read_manifest(corpus.folder.parent)
            if current is None or current.version != corpus.manifest.version:
                raise _CorpusMovedError

    def _check_stop(self) -> None:
        if self.shall_stop() or self.claim.files.wish.exists():
            raise IndexingStopped

    def _tell(self, state: IndexState, *, seldom: bool = False, **values: object) -> None:
        """Records a change; with `seldom` only where the last one is a while ago."""
        moment = time.monotonic()
        if seldom and moment - self._written < BETWEEN:
            return
        self._written = moment
        self._status = replace(self._status, state=state, updated=now(), **values)  # type: ignore[arg-type]
        self.claim.files.write(self._status)
        self.watch(self._status)
