"""The jobs that index corpora by an encoder; each corpus, encoder and version of the corpus has at most one."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import fingerprint
from workbench.data import CorpusLibrary, CorpusManifest
from workbench.workspace import Job, JobClaim, Jobs, duration_words, verb


@dataclass(frozen=True, slots=True)
class IndexParameters:
    """What is indexed: a corpus by its name and the version that it had, and the encoder."""

    corpus: str
    version: str
    encoder: str


class IndexJobs(Jobs):
    """The indexing jobs of a workspace. A corpus that was imported anew has jobs of its own."""

    kind = "indexing"

    @verb("corpora.index", "{corpus.name}")
    def start(self, corpus: CorpusManifest, encoder: str) -> bool:
        """Starts or resumes indexing in a process in the background; False where one is at work already."""
        job_id = index_id(corpus, encoder)
        if self.is_active(job_id):
            return False
        with self.claimed(job_id) as claim:
            if claim is None:
                return False
            self.sweep_gone()
            claim.launch(_parameters(corpus, encoder), title=corpus.name, total=corpus.passages)
        return True

    def begun_here(self, claim: JobClaim, corpus: CorpusManifest, encoder: str) -> Job:
        """Makes a claimed job one that this process works on."""
        self.sweep_gone()
        return claim.record("running", _parameters(corpus, encoder), title=corpus.name, total=corpus.passages)

    def of(self, corpus: CorpusManifest, encoder: str) -> Job | None:
        """How the indexing of a corpus stands, None where none was ever begun for it as it is now."""
        return self.job(index_id(corpus, encoder))

    def sweep_gone(self) -> None:
        """Removes the jobs whose corpus is gone or was imported anew."""
        versions = {item.version for item in CorpusLibrary(self.settings.corpora).list()}
        for job in self.all():
            if not job.active and job.read(IndexParameters).version not in versions:
                self._discard(job.id)


def index_id(corpus: CorpusManifest, encoder: str) -> str:
    """The id of the job that indexes a corpus as it is now by an encoder."""
    return f"index-{fingerprint('index job', [corpus.version, encoder])}"


def left_words(job: Job, now: float) -> str:
    """What is left of a job that is encoding at `now`, such as “about 3 minutes”; "" while that is unknown."""
    ends = job.result.get("ends") if job.state == "running" else None
    return "" if ends is None else f"about {duration_words(max(1.0, ends - now))}"


def far_words(job: Job, now: float) -> str:
    """How far a job is at `now`, such as “40 % (about 3 minutes)”."""
    left = left_words(job, now)
    return f"{100 * job.share:.0f} %{f' ({left})' if left else ''}"


def _parameters(corpus: CorpusManifest, encoder: str) -> IndexParameters:
    return IndexParameters(corpus.name, corpus.version, encoder)
