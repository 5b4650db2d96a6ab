"""How a corpus can be searched by meaning: ready, under way, or what is missing, in words that the screens show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.app import Workbench
from workbench.components import missing_packages, unknown_languages
from workbench.data import CorpusManifest
from workbench.jobs.indexing.index_jobs import IndexJobs, IndexParameters, left_words
from workbench.jobs.indexing.index_rates import known_rate, seconds_for
from workbench.jobs.indexing.on_demand import encoders_on_demand, installed_on_demand
from workbench.workspace import Job, State, duration_words

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


def start_on_demand(bench: Workbench, manifest: CorpusManifest) -> None:
    """Begins indexing a corpus in the background by each installed encoder that does so, unless that is done."""
    corpus = bench.corpus(manifest.name)
    for encoder in installed_on_demand():
        if not bench.registry.is_indexed(corpus, encoder):
            IndexJobs(bench.settings).start(corpus.manifest, encoder)


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
