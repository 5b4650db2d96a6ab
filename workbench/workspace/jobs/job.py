"""A job, work that a process of its own does, as its row in the database says; and the kinds of jobs.

Functions and models of a kind are named by their dotted paths, since they belong to packages that this one must not
import. A new kind is a module with the two, and an entry here: its jobs then have their rows, their process, the verbs
of `mrag jobs` and their card on the screens.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from workbench.core import UsageError, shorten
from workbench.workspace.tables import jobs as table

State = Literal["staged", "waiting", "running", "done", "stopped", "failed", "interrupted"]
"""`staged`: its files are there and nothing was begun. `waiting`: its process starts, or waits for its turn.
`interrupted`: its process was killed; resuming goes on where it was. No row has that state: a row that claims a process
whose lock is free is read so."""
STATE_TITLES: Mapping[str, str] = {
    "staged": "not started",
    "waiting": "starting",
    "running": "running",
    "done": "finished",
    "stopped": "stopped",
    "failed": "failed",
    "interrupted": "interrupted",
    "": "not started",
}
"""What a person reads for each state, on screens and on the command line; "" where there is no job."""
UNDER_WAY = ("waiting", "running")
ERROR_LIMIT = 300
"""Characters of an error that a library raised."""

Parameters = TypeVar("Parameters")


class NoParameters(BaseModel):
    """The parameters of a kind whose job's id says all."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Job:
    """How a job stands. Times are seconds since 1970; `done` of `total` (0: not known) in the present `phase`.

    `parameters` are what its kind was asked for, `result` what became of it so far: both as JSON has them.
    """

    id: str
    kind: str
    title: str = ""
    state: State = "staged"
    stop: bool = False
    phase: str = ""
    done: int = 0
    total: int = 0
    created: float = 0.0
    started: float = 0.0
    heartbeat: float = 0.0
    ended: float | None = None
    pid: int | None = None
    error: str = ""
    actor: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""
        return self.state in UNDER_WAY

    @property
    def share(self) -> float:
        """How much of the present phase is done, 0 to 1; 0 while that is not known."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def read(self, kind: type[Parameters]) -> Parameters:
        """The parameters as a record. Raises ValueError for those of another kind or version."""
        return TypeAdapter(kind).validate_python(self.parameters)


JOB_COLUMNS = tuple(table.c[item.name] for item in fields(Job))
"""The columns that `job_of` reads, in order."""


def job_of(row: Sequence[Any]) -> Job:
    """The job of a row's `JOB_COLUMNS`."""
    values = dict(zip((item.name for item in fields(Job)), row, strict=True))
    return Job(**{**values, "parameters": json.loads(values["parameters"]), "result": json.loads(values["result"])})


def as_json(value: object) -> str:
    """Parameters or a result as the database has them. Raises ValueError for what JSON cannot hold."""
    return TypeAdapter(type(value)).dump_json(value).decode()


Run = Callable[[Any, Any], Mapping[str, Any] | None]
"""Does the work of a task (`jobs.task`) with its parameters; what it returns is added to the job's result."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """One kind of job.

    `run` and `parameters` are paths, `module:name`: of a `Run`, and of the pydantic model or dataclass that it takes.
    `start` and `change` are the verbs that people need to start and resume one, and to stop and discard one.
    `title` names the kind to people.

    `in_turn`: one job of the kind works at a time, the others wait; those whose parameters say `short` wait for each
    other alone. `breaks_off`: a stop is raised wherever the work
    is; otherwise the work looks at it. `in_background`: the process lowers its priority and takes half of the
    processors. `expires`: a job at rest that nobody looked after for days is removed. `by_parameters`: a new job needs
    no more than its parameters, so it can be started by its kind's name.
    """

    name: str
    title: str
    run: str
    parameters: str
    start: str
    change: str
    in_turn: bool = False
    breaks_off: bool = False
    in_background: bool = True
    expires: bool = False
    by_parameters: bool = False

    def function(self) -> Run:
        """The function that does the work."""
        loaded: Run = _loaded(self.run)
        return loaded

    def checked(self, parameters: object) -> Any:
        """The parameters as the kind's record. Raises UsageError for others."""
        try:
            return TypeAdapter(_loaded(self.parameters)).validate_python(parameters)
        except ValidationError as error:
            first = error.errors()[0]
            at = ".".join(map(str, first["loc"])) or "parameters"
            raise UsageError(f"{self.title}: {at}: {first['msg']} (given: {shorten(first['input'])}).") from error


KINDS: dict[str, JobKind] = {
    item.name: item
    for item in (
        JobKind(
            name="experiment",
            title="Experiment",
            run="workbench.experiments.jobs.control:run_experiment",
            parameters="workbench.experiments.jobs.control:ExperimentParameters",
            start="runs.start",
            change="runs.stop",
            in_background=False,
        ),
        JobKind(
            name="pilot",
            title="Pilot",
            run="workbench.experiments.jobs.control:run_pilot",
            parameters="workbench.workspace.jobs.job:NoParameters",
            start="runs.start",
            change="runs.stop",
            in_background=False,
        ),
        JobKind(
            name="search",
            title="Search for the best recipe",
            run="workbench.optimise.search_running:run_search",
            parameters="workbench.workspace.jobs.job:NoParameters",
            start="searches.start",
            change="searches.stop",
            in_background=False,
        ),
        JobKind(
            name="forecast",
            title="Trial of a search",
            run="workbench.optimise.search_trial:run_trial",
            parameters="workbench.optimise.search_trial:TrialParameters",
            start="searches.start",
            change="searches.stop",
            breaks_off=True,
            expires=True,
            by_parameters=True,
        ),
        JobKind(
            name="indexing",
            title="Indexing",
            run="workbench.jobs.indexing.index_report:run_indexing",
            parameters="workbench.jobs.indexing.index_report:IndexParameters",
            start="corpora.index",
            change="corpora.index",
            in_turn=True,
        ),
        JobKind(
            name="documents",
            title="Documents",
            run="workbench.jobs.imports.intake_jobs:run_intake",
            parameters="workbench.jobs.imports.intake_jobs:IntakeParameters",
            start="corpora.add",
            change="imports.change",
            breaks_off=True,
            expires=True,
        ),
        JobKind(
            name="dataset",
            title="Import of a dataset",
            run="workbench.jobs.imports.dataset_imports:run_dataset_import",
            parameters="workbench.jobs.imports.dataset_imports:DatasetParameters",
            start="datasets.add",
            change="imports.change",
            breaks_off=True,
            expires=True,
        ),
        JobKind(
            name="wikipedia",
            title="Import of Wikipedia",
            run="workbench.jobs.imports.wikipedia_imports:run_wikipedia_import",
            parameters="workbench.jobs.imports.wikipedia_imports:WikipediaRequest",
            start="corpora.add",
            change="imports.change",
            breaks_off=True,
            expires=True,
        ),
        JobKind(
            name="writing",
            title="Writing of questions",
            run="workbench.jobs.question_generation.question_writing:run_writing",
            parameters="workbench.jobs.question_generation.question_writing:QuestionParameters",
            start="drafts.write",
            change="imports.change",
            expires=True,
        ),
        JobKind(
            name="demonstrations",
            title="Writing of demonstrations",
            run="workbench.jobs.demonstrations.demonstration_writing:run_demonstrations",
            parameters="workbench.jobs.demonstrations.demonstration_writing:DemonstrationParameters",
            start="drafts.write",
            change="imports.change",
            expires=True,
        ),
        JobKind(
            name="download",
            title="Download of a model",
            run="workbench.models.download:run_download",
            parameters="workbench.models.download:DownloadParameters",
            start="models.download",
            change="models.download",
            by_parameters=True,
        ),
        JobKind(
            name="tuning",
            title="Tuning of a model",
            run="workbench.jobs.tuning.tuning_jobs:run_tuning",
            parameters="workbench.jobs.tuning.tuning_spec:TuningSpec",
            start="models.tune",
            change="models.tune",
            in_turn=True,
            in_background=False,
        ),
        JobKind(
            name="proposals",
            title="Proposals of causes",
            run="workbench.annotation.diagnosis.diagnosing:run_proposals",
            parameters="workbench.annotation.diagnosis.diagnosing:ProposalParameters",
            start="proposals.run",
            change="proposals.run",
            in_background=False,
        ),
    )
}


def _loaded(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
