"""Indexing a corpus as a job: in turn, with its pace measured, until it is complete, stopped or its corpus is gone.

Each corpus, encoder and version of the corpus has at most one job. What is encoded is on disk at once, so a kill costs
seconds. The index is swapped in whole when it is complete: who searches the corpus meanwhile is not disturbed, and the
next question uses it. The screens show in words how a corpus can be searched by meaning: ready, under way, or what is
missing.

The pace of each encoder on this machine is kept in the workspace, in characters per second, since passages differ in
length: the next corpus's time follows from its text.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from workbench.app import Workbench
from workbench.components import EncoderSpread, adapters_for, missing_packages, searches_on_demand, unknown_languages
from workbench.core import JobStopped, UsageError, fingerprint
from workbench.data import Corpus, CorpusLibrary, CorpusManifest, read_manifest
from workbench.pipeline import Recipe
from workbench.workspace import (
    Job,
    JobClaim,
    Jobs,
    PieceRate,
    RunningJob,
    State,
    atomic,
    detached,
    duration_words,
    verb,
)

if TYPE_CHECKING:
    from workbench.data import Corpus


FILE = "index-rates.json"


def known_rate(home: Path, encoder: str) -> float:
    """Characters per second of the encoder's latest job in this workspace, 0 where there was none."""
    try:
        rate = float(json.loads(_file(home).read_bytes())[encoder])
    except (OSError, ValueError, TypeError, KeyError):
        return 0.0
    return rate if 0 < rate < float("inf") else 0.0


def seconds_for(home: Path, encoder: str, corpus: Corpus) -> float | None:
    """How long indexing all of a corpus takes by the pace known, None where none is."""
    rate = known_rate(home, encoder)
    return corpus.table.characters() / rate if rate else None


def keep_rate(home: Path, encoder: str, rate: float) -> None:
    """Keeps a measured pace for the next estimates: its mean with what was known, as the machine may be busy now."""
    try:
        rates = json.loads(_file(home).read_bytes())
    except (OSError, ValueError):
        rates = {}
    rates = rates if isinstance(rates, dict) else {}
    if known := known_rate(home, encoder):
        rate = (rate + known) / 2
    atomic.write_text(_file(home), json.dumps({**rates, encoder: round(rate, 1)}) + "\n")


def _file(home: Path) -> Path:
    return home / detached.FOLDER / FILE


def encoders_on_demand() -> tuple[str, ...]:
    """The encoders that index a new corpus unasked, whether their packages are installed or not."""
    return tuple(item.name for item in adapters_for("encoder") if item.indexes_on_demand)


def installed_on_demand() -> tuple[str, ...]:
    """Those of them whose packages are installed; () on a platform that has none of these."""
    return tuple(name for name in encoders_on_demand() if not missing_packages(name, "encoder"))


def index_wish(recipe: Recipe) -> str:
    """The encoder whose index a recipe searches and that can be built on demand; "" for none."""
    can_be_built = searches_on_demand(recipe) and not missing_packages(recipe.encoder, "encoder")
    return recipe.encoder if can_be_built else ""


def index_wishes(recipes: Iterable[Recipe]) -> tuple[tuple[str, str], ...]:
    """The (corpus, encoder) pairs of `index_wish` over recipes, each once, in order."""
    pairs = ((recipe.corpus, index_wish(recipe)) for recipe in recipes)
    return tuple(dict.fromkeys(pair for pair in pairs if pair[1]))


@dataclass(frozen=True, slots=True)
class IndexParameters:
    """What is indexed: a corpus by its name and the version that it had, and the encoder.

    `short`: few passages have no vectors yet, so these do not wait for a corpus that takes hours.
    """

    corpus: str
    version: str
    encoder: str
    short: bool = False


AT_ONCE = 2_000
"""Passages without vectors up to which they are encoded at once, in front or as a short job: a few minutes."""


class IndexJobs(Jobs):
    """The indexing jobs of a workspace. A corpus that was imported anew has jobs of its own."""

    kind = "indexing"

    @verb("corpora.index", "{corpus.name}")
    def start(self, corpus: CorpusManifest, encoder: str, passages: int | None = None) -> bool:
        """Starts or resumes indexing in a process in the background; False where one is at work already.

        `passages`: how many have no vectors yet, None for all.
        """
        total = corpus.passages if passages is None else passages
        job_id = index_id(corpus, encoder)
        if self.is_active(job_id):
            return False
        with self.claimed(job_id) as claim:
            if claim is None:
                return False
            self.sweep_gone()
            parameters = IndexParameters(corpus.name, corpus.version, encoder, short=total <= AT_ONCE)
            claim.launch(parameters, title=corpus.name, total=total)
        return True

    def begun_here(self, claim: JobClaim, corpus: CorpusManifest, encoder: str) -> Job:
        """Makes a claimed job one that this process works on."""
        self.sweep_gone()
        parameters = IndexParameters(corpus.name, corpus.version, encoder)
        return claim.record("running", parameters, title=corpus.name, total=corpus.passages)

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


TYPICAL_PASSAGES, TYPICAL_CHARACTERS = 10_000, 500
"""The corpus whose time is shown as an example: passages, and characters of each."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How the index of a corpus by an encoder stands.

    `estimate`: how long it would take from the beginning, such as “about 3 minutes”, "" while no pace is known.
    `missing`: the packages without which it cannot be built; the built-in encoder then serves. `unknown` counts the
    passages in languages that the encoder was not trained on.
    """

    corpus: str
    encoder: str
    passages: int
    is_ready: bool
    job: Job | None
    estimate: str
    missing: tuple[str, ...]
    unknown: Mapping[str, int]

    @property
    def state(self) -> Literal["ready", "missing", "new"] | State:
        """What can be said and done about it in one word; `new`: nothing was begun."""
        if self.job is not None and self.job.active:
            return self.job.state
        if self.is_ready:
            return "ready"
        if self.missing:
            return "missing"
        return "new" if self.job is None or self.job.state == "done" else self.job.state

    def words(self, now: float) -> str:
        """The state in a few words at `now`."""
        job = self.job
        if job is None or self.state in ("ready", "missing", "new"):
            takes = f"; it takes {self.estimate}" if self.estimate else ""
            fixed = {"ready": "ready", "missing": f"needs the package {', '.join(self.missing)}"}
            return fixed.get(self.state, f"not prepared yet{takes}")
        at = f"{job.done:,} of {job.total:,} passages"
        left = left_words(job, now)
        return {
            "waiting": "starts soon, or after another corpus",
            "running": f"stopping at {at}" if job.stop else f"{at}{f', {left} left' if left else ''}",
            "stopped": f"stopped at {at}",
            "failed": f"failed at {at}",
            "interrupted": f"interrupted at {at}: its process ended, and nothing is lost",
        }[self.state]


def index_report(bench: Workbench, manifest: CorpusManifest, encoder: str) -> IndexReport:
    """How the index of a corpus by an encoder stands now. Raises UsageError for an encoder that does not exist."""
    missing = missing_packages(encoder, "encoder")
    job = IndexJobs(bench.settings).of(manifest, encoder)
    ready, estimate = False, ""
    if not missing and not (job is not None and job.active):
        corpus = bench.corpus(manifest.name)
        ready = bench.registry.is_indexed(corpus, encoder)
        seconds = None if ready else seconds_for(bench.settings.home, encoder, corpus)
        estimate = f"about {duration_words(seconds)}" if seconds else ""
    unknown = {code: manifest.languages[code] for code in unknown_languages(encoder, manifest.languages)}
    return IndexReport(manifest.name, encoder, manifest.passages, ready, job, estimate, missing, unknown)


def index_reports(bench: Workbench, manifest: CorpusManifest) -> list[IndexReport]:
    """The report for each encoder that indexes on demand."""
    return [index_report(bench, manifest, encoder) for encoder in encoders_on_demand()]


def under_way(bench: Workbench) -> dict[str, list[Job]]:
    """The indexing that processes are at work on, by corpus; one statement, so a screen can look often."""
    jobs = [(job.read(IndexParameters).version, job) for job in IndexJobs(bench.settings).all(active=True)]
    manifests = bench.library.list() if jobs else []
    by_name = {item.name: [job for version, job in jobs if version == item.version] for item in manifests}
    return {name: active for name, active in by_name.items() if active}


def pace_words(home: Path, encoder: str) -> str:
    """How long a typical corpus takes on this machine, by what was measured; "" before anything was."""
    rate = known_rate(home, encoder)
    if not rate:
        return ""
    seconds = TYPICAL_PASSAGES * TYPICAL_CHARACTERS / rate
    return (
        f"Measured on this machine: {TYPICAL_PASSAGES:,} passages of {TYPICAL_CHARACTERS} characters take about "
        f"{duration_words(seconds)}."
    )


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


def index_added(bench: Workbench, manifest: CorpusManifest, watch: Watch | None = None) -> str:
    """Has a corpus that got passages searched by meaning, too; returns how that stands in a sentence, "" if as before.

    The encoder is the default recipe's. With `watch`, this process encodes up to AT_ONCE passages that have no vectors
    yet; otherwise a job in the background does. Raises as `build_now` does.
    """
    name, encoder = manifest.name, index_wish(Recipe())
    if not encoder:
        packages = ", ".join(package for item in encoders_on_demand() for package in missing_packages(item, "encoder"))
        lacks = f", since the package {packages} is not installed" if packages else ""
        return f"The corpus “{name}” is searched by words and by the built-in encoder alone{lacks}."
    if len(unknown_languages(encoder, manifest.languages)) == len(manifest.languages):
        return (
            f"The corpus “{name}” is searched by words and by the built-in encoder alone, since {encoder} was not "
            f"trained on its languages ({', '.join(sorted(manifest.languages))})."
        )
    corpus = bench.corpus(name)
    count = bench.registry.unindexed(corpus, encoder)
    if not count:
        return ""
    if watch is not None and count <= AT_ONCE:
        build_now(bench, name, encoder, watch=watch)
        return f"The corpus “{name}” is searched by words and by meaning ({encoder})."
    IndexJobs(bench.settings).start(corpus.manifest, encoder, count)
    job_id = index_id(corpus.manifest, encoder)
    return (
        f"The vectors of {count:,} passages for search by meaning are computed in the background, as the job {job_id}; "
        "how far it is: mrag jobs list"
    )


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
                self.task.tell(ENCODING, self.task.job.total, self.task.job.total, ends=None)
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
        home, encoder = self.bench.settings.home, self._parameters.encoder
        total = self.bench.registry.unindexed(corpus, encoder) or corpus.manifest.passages
        each = corpus.table.characters() / max(corpus.manifest.passages, 1)
        pieces = PieceRate(known_rate(home, encoder) / max(each, 1e-9))

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
                keep_rate(home, encoder, pieces.rate * each)

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
