"""Renaming and deleting datasets and corpora: refused while something needs them, with what keeps working stated.

A job at work needs its datasets and corpora, and a dataset needs the corpus with its gold passages. Results are stored
with their questions and answers, so finished experiments need neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from workbench.app import Workbench
from workbench.core import UsageError, shorten
from workbench.data import CorpusManifest, DatasetLibrary, datasets_over, rename_corpus
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.queries.run_list import IMPORTING, PILOT
from workbench.workspace import Jobs, result_tables as t, verb

NAMED = 3
"""Experiments or datasets that a message names; the others are counted."""


@dataclass(frozen=True, slots=True)
class DataUse:
    """The names of the experiments with runs over a dataset or corpus: those at work, and how many others there are.

    `unfinished` of the others have cells without an answer, which could be resumed as long as nothing changes.
    """

    running: tuple[str, ...] = ()
    others: int = 0
    unfinished: int = 0

    @property
    def effect(self) -> str:
        """What a new name or none means for the experiments, in a sentence or two; "" where there are none."""
        if not self.others:
            return ""
        if self.others == 1:
            kept, lost = "1 experiment keeps its questions, answers and scores.", "It is not finished"
        else:
            kept = f"{self.others:,} experiments keep their questions, answers and scores."
            lost = f"{self.unfinished:,} of them {'is' if self.unfinished == 1 else 'are'} not finished"
        return f"{kept} {lost} and cannot be resumed any more." if self.unfinished else kept


def dataset_use(bench: Workbench, name: str) -> DataUse:
    """The experiments over a dataset."""
    return _use(bench, "dataset", (name,))


def corpus_use(bench: Workbench, name: str) -> DataUse:
    """The experiments over a corpus, under its present name or a former one."""
    return _use(bench, "corpus", _names(bench, name))


@verb("datasets.rename", "{name}")
def rename_dataset(bench: Workbench, name: str, new: str) -> str:
    """Rename a dataset; returns what it means for experiments.

    Raises UsageError where a job at work needs it, and as `DatasetLibrary.rename` does.
    """
    use = _checked(dataset_use(bench, name), f"the dataset “{shorten(name)}”")
    _datasets(bench).rename(name, new)
    return use.effect


@verb("datasets.delete", "{name}")
def delete_dataset(bench: Workbench, name: str) -> str:
    """Delete a dataset; returns what it means for experiments. Raises as `rename_dataset` does."""
    use = _checked(dataset_use(bench, name), f"the dataset “{shorten(name)}”")
    _datasets(bench).remove(name)
    return use.effect


@verb("corpora.rename", "{name}")
def rename_library_corpus(bench: Workbench, name: str, new: str) -> str:
    """Rename a corpus for all datasets over it; returns what it means for experiments.

    Raises UsageError where a job at work needs it, and as `CorpusLibrary.rename` does.
    """
    use = _checked(corpus_use(bench, name), f"the corpus “{shorten(name)}”")
    rename_corpus(bench.library, _datasets(bench), name, new)
    return use.effect


@verb("corpora.delete", "{name}")
def delete_corpus(bench: Workbench, name: str) -> str:
    """Delete a corpus for good, with its versions and the cached steps over it; returns what it means for experiments.

    Raises UsageError where a dataset or a job at work needs it, and as `CorpusLibrary.remove` does.
    """
    use = _checked(corpus_use(bench, name), f"the corpus “{shorten(name)}”")
    if over := datasets_over(_datasets(bench), name):
        noun, verb = ("dataset", "has its") if len(over) == 1 else ("datasets", "have their")
        raise UsageError(
            f"The {noun} {_listed(over)} {verb} gold passages in the corpus “{name}”. Delete "
            f"{'it' if len(over) == 1 else 'them'} first."
        )
    manifests = bench.library.list()
    former = next((manifest.former for manifest in manifests if manifest.name == name), ())
    names = {other for manifest in manifests if manifest.name != name for other in (manifest.name, *manifest.former)}
    bench.library.remove(name)
    bench.cache.drop_corpus([name, *(other for other in former if other not in names)])
    return use.effect


def version_use(bench: Workbench, name: str, version: CorpusManifest) -> int:
    """How many stored runs searched this version of a corpus."""
    r = t.runs.c
    statement = (
        select(func.count())
        .select_from(t.runs)
        .where(r.corpus.in_(_names(bench, name)), r.corpus_version == version.fingerprint)
    )
    with ExperimentJobs(bench.settings).engine.connect() as connection:
        return int(connection.execute(statement).scalar_one())


@verb("corpora.delete", "{name}")
def drop_corpus_version(bench: Workbench, name: str, version: str) -> str:
    """Drop a former version of a corpus; returns what it means for stored runs, "" where none searched it.

    Raises UsageError for the current version and for one that does not exist, and where a job at work needs the corpus.
    """
    _checked(corpus_use(bench, name), f"the corpus “{shorten(name)}”")
    manifest = next((other for other in bench.library.versions(name) if other.version == version), None)
    count = version_use(bench, name, manifest) if manifest is not None else 0
    bench.library.drop_version(name, version)
    if not count:
        return ""
    noun, verb = ("run", "keeps its") if count == 1 else ("runs", "keep their")
    return f"{count:,} stored {noun} searched it and {verb} answers and scores; documents are shown as they are now."


def _names(bench: Workbench, name: str) -> tuple[str, ...]:
    """The corpus's present name and its former ones."""
    return (name, *next((manifest.former for manifest in bench.library.list() if manifest.name == name), ()))


def _datasets(bench: Workbench) -> DatasetLibrary:
    return DatasetLibrary(bench.settings.datasets)


def _checked(use: DataUse, what: str) -> DataUse:
    if use.running:
        noun, verb = ("experiment", "is") if len(use.running) == 1 else ("experiments", "are")
        raise UsageError(
            f"The {noun} {_listed(use.running)} {verb} running over {what}. Stop "
            f"{'it' if len(use.running) == 1 else 'them'} first, or wait for the end."
        )
    return use


def _use(bench: Workbench, column: str, names: tuple[str, ...]) -> DataUse:
    jobs = ExperimentJobs(bench.settings)
    e = t.experiments.c
    statement = (
        select(e.id, e.name, e.kind)
        .join(t.runs, t.runs.c.experiment_id == e.id)
        .where(t.runs.c[column].in_(names))
        .distinct()
        .order_by(e.name)
    )
    with jobs.engine.connect() as connection:
        rows = [(str(row.id), str(row.name), str(row.kind)) for row in connection.execute(statement)]
    if not rows:
        return DataUse()
    active = {job.id for job in Jobs(bench.settings).all(active=True)}
    others = {key for key, _, kind in rows if key not in active and kind not in (PILOT, IMPORTING)}
    counts = [row.experiment for row in jobs.statuses(*others)] if others else []
    unfinished = sum(count.answered + count.failed < count.cells for count in counts if count.kind == "matrix")
    return DataUse(tuple(name for key, name, _ in rows if key in active), len(others), unfinished)


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{shorten(name)}”" for name in names]
    rest = len(quoted) - NAMED
    return ", ".join(quoted[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
