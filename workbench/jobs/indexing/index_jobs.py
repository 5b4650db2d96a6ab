"""Indexing jobs: started, watched, stopped and resumed from any process; each corpus and encoder has at most one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core import fingerprint
from workbench.data import CorpusLibrary, CorpusManifest
from workbench.jobs.indexing.index_status import IndexFiles, IndexStatus, now
from workbench.jobs.job_folder import last_word
from workbench.workspace import Settings, detached, lock, verb

WORKER = "workbench.jobs.indexing.index_worker"


@dataclass(frozen=True, slots=True)
class IndexJobs:
    """The indexing jobs of a workspace. A corpus that was imported anew has jobs of its own."""

    settings: Settings

    @property
    def folder(self) -> Path:
        """Where locks, logs and statuses are."""
        return self.settings.home / detached.FOLDER

    @verb("corpora.index", "{corpus.name}")
    def start(self, corpus: CorpusManifest, encoder: str) -> bool:
        """Starts or resumes indexing in a process in the background; False where one is at work already."""
        if self.is_active(corpus, encoder):
            return False
        with self.claimed(corpus, encoder) as claim:
            if claim is None:
                return False
            self._spawn(corpus.name, encoder, claim)
        return True

    @verb("corpora.index", "{corpus.name}")
    def stop(self, corpus: CorpusManifest, encoder: str) -> bool:
        """Asks the process at work to stop after the passages that it is at; False where none is."""
        if not self.is_active(corpus, encoder):
            return False
        self.files(corpus, encoder).wish.touch()
        return True

    def status(self, corpus: CorpusManifest, encoder: str) -> IndexStatus | None:
        """How the indexing of a corpus stands, None where none was ever begun for it as it is now."""
        return _checked(self.files(corpus, encoder))

    def is_active(self, corpus: CorpusManifest, encoder: str) -> bool:
        """Whether a process is at work on it or about to be."""
        status = self.status(corpus, encoder)
        return status is not None and status.active

    def files(self, corpus: CorpusManifest, encoder: str) -> IndexFiles:
        """The files of a job."""
        return IndexFiles.in_folder(self.folder, fingerprint("index job", [corpus.version, encoder]))

    @contextmanager
    def claimed(self, corpus: CorpusManifest, encoder: str) -> Iterator[ClaimedJob | None]:
        """Makes the indexing of a corpus this process's job until the end of the block; None where it is another's."""
        files = self.files(corpus, encoder)
        with lock.acquired(files.lock) as number:
            if number is None:
                yield None
                return
            self._sweep()
            before = files.read()
            files.wish.unlink(missing_ok=True)
            begun = IndexStatus(corpus.name, corpus.version, encoder, "waiting", total=corpus.passages)
            if before is not None:
                begun = replace(begun, done=before.done, rate=before.rate, seconds_left=before.seconds_left)
            files.write(replace(begun, started=now(), updated=now()))
            yield ClaimedJob(files, number)

    def _spawn(self, name: str, encoder: str, claim: ClaimedJob) -> None:
        detached.start(
            WORKER,
            [name, encoder],
            self.settings,
            lock_number=claim.lock_number,
            log=claim.files.log,
            environment=detached.background_environment(),
        )

    def _sweep(self) -> None:
        """Removes the files of jobs whose corpus is gone or was imported anew."""
        versions = {item.version for item in CorpusLibrary(self.settings.corpora).list()}
        for path in self.folder.glob("index-*.json"):
            files = IndexFiles(path.with_suffix(""))
            status = files.read()
            if status is not None and status.version not in versions and not lock.is_locked(files.lock):
                files.remove()


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that this process has: its files, and the number of its lock for a process that it is handed to."""

    files: IndexFiles
    lock_number: int


def _checked(files: IndexFiles) -> IndexStatus | None:
    """The status; `interrupted` where it claims a process that is gone without having recorded an end."""
    return last_word(files.read, files.lock, lambda status: replace(status, state="interrupted", stopping=False))
