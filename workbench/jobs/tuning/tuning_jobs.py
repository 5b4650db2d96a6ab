"""Tunings as jobs: each in a process of its own, with its copy of the demonstrations, one at a time."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from workbench.components import Registry, TunedCard, base_files
from workbench.core import UsageError
from workbench.data import DatasetLibrary
from workbench.jobs.demonstrations.demonstration_file import (
    FileChoices,
    check_apart,
    demonstrations_of,
    read_demonstrations,
    write_demonstrations,
)
from workbench.jobs.demonstrations.demonstration_store import DemonstrationStore
from workbench.jobs.indexing.index_report import left_words
from workbench.jobs.tuning.foresight import available_memory, foresee
from workbench.jobs.tuning.training import CHECKPOINTS, WEIGHTS, train
from workbench.jobs.tuning.tuning_spec import TuningSpec
from workbench.models import torch_device
from workbench.workspace import Job, Jobs, RunningJob, Settings, checksums, name_lock, opened_store, verb

DEMONSTRATIONS = "demonstrations.jsonl"
"""The copy of the demonstrations in a job's folder."""


@contextmanager
def demonstrations_at(settings: Settings, spec: TuningSpec) -> Iterator[Path]:
    """The demonstrations of a spec as a file: those of the set of this name, else the file at this path.

    Raises UsageError where one is of a question that is kept for evaluation, and as `read_demonstrations` does.
    """
    store = DemonstrationStore(opened_store(settings.database_url))
    if spec.demonstrations not in [item.name for item in store.sets()]:
        path = Path(spec.demonstrations).expanduser()
        _check_file(settings, path)
        yield path
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{spec.demonstrations}.jsonl"
        choices, library = FileChoices(prompt=spec.prompt), DatasetLibrary(settings.datasets)
        path.write_text(
            write_demonstrations(demonstrations_of(store, library, spec.demonstrations, choices)), encoding="utf-8"
        )
        yield path


def _check_file(settings: Settings, path: Path) -> None:
    store = DemonstrationStore(opened_store(settings.database_url))
    check_apart(store, DatasetLibrary(settings.datasets), read_demonstrations(path), "tuned")


class TuningJobs(Jobs):
    """The tunings of a workspace; a job's title is the model's name.

    Results have `training` and `holdout`, the steps and losses so far, `ends`, when it is expected to end, and
    `foresight`, what was foreseen in sentences.
    """

    kind = "tuning"

    @verb("models.tune", "{spec.name}")
    def start(self, spec: TuningSpec, file: Path) -> str:
        """Starts a tuning on the demonstrations in a file, of which it takes a copy; returns the job's id.

        Raises UsageError for a name that is in use, a base that cannot be tuned and a file that holds none, or one of
        a question that is kept for evaluation.
        """
        tuned = Registry(self.settings.home).tuned
        tuned.base(spec.base)
        _check_file(self.settings, file)
        # Where the file lies here means nothing to who reads the card.
        parameters = spec.model_copy(update={"demonstrations": file.name})
        job_id = uuid4().hex
        with name_lock(self.folder, f"tuning-{spec.name}"), self.undisturbed(job_id) as claim:
            before = self._before(spec.name)
            claim.files.folder.mkdir(parents=True)
            try:
                shutil.copyfile(file, claim.files.folder / DEMONSTRATIONS)
                claim.launch(parameters, title=spec.name)
            except BaseException:
                claim.remove()
                raise
        for job in before:
            self.discard(job.id)
        return job_id

    def _before(self, name: str) -> list[Job]:
        """The complete tunings of this name. Raises UsageError where the name is in use."""
        Registry(self.settings.home).tuned.check_free(name)
        jobs = [job for job in self.all() if job.title == name]
        if begun := [job for job in jobs if job.state != "done"]:
            raise UsageError(
                f"A tuning “{name}” was begun already: resume or discard it, or type another name.",
                command=f"Resume it: mrag jobs resume {begun[0].id}",
            )
        return jobs


def tuning_words(job: Job) -> str:
    """What a tuning is at: its phase, the last losses, and the time that is left."""
    steps = f" · {job.done:,} of {job.total:,} steps" if job.total else ""
    losses = [f"{words} {job.result[key][-1][1]:.3f}" for key, words in LOSSES.items() if job.result.get(key)]
    left = left_words(job, time.time())
    return " · ".join([f"{job.phase}{steps}", *losses, *([f"{left} left"] if left else [])])


LOSSES = {"training": "loss", "holdout": "held-out loss"}


def run_tuning(task: RunningJob, spec: TuningSpec) -> Mapping[str, Any]:
    """Tunes the model, from the last checkpoint where there is one, and stores it with its card."""
    # trl's trainer uses one GPU of a process.
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
    folder, tuned = task.files.folder, Registry(task.settings.home).tuned
    base, file = tuned.base(spec.base), folder / DEMONSTRATIONS
    task.tell("estimating", 0, 0)
    foreseen = foresee(spec, base.files, file)
    task.note(foresight=list(foreseen.sentences))
    limit_memory(torch_device(spec.device))
    training = train(spec, base.files, file, folder, task.tell, task.stop)
    weights = folder / WEIGHTS
    card = TunedCard(
        **dict(training),
        name=spec.name,
        base=spec.base,
        base_files=base_files(base),
        method=spec.method,
        settings=spec.model_dump(),
        departures=spec.departures(training.data.count),
        author=task.job.actor,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        files=checksums(weights, weights.iterdir()),
    )
    tuned.store(card, weights)
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
    return {"summary": card.summary, "ends": None}


def limit_memory(device: str) -> None:
    """Keeps this process to the memory that is free, so that too little of it is an error and not its sudden end.

    Only for a CPU, and where the system has such a limit.
    """
    import resource

    import psutil

    if device == "cpu" and (used := getattr(psutil.Process().memory_info(), "data", None)):
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (used + available_memory(device), most))
