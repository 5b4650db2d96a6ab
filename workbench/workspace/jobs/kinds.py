"""The kinds of jobs: what each is called, what it takes, and the function that does the work.

Functions and models are named by their dotted paths, since they belong to packages that this one must not import. A new
kind is a module with the two, and an entry here: its jobs then have their rows, their process, the verbs of `mrag jobs`
and their card on the screens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workbench.core import UsageError, shorten

Run = Callable[[Any, Any], Mapping[str, Any] | None]
"""Does the work of a task (`jobs.task`) with its parameters; what it returns is added to the job's result."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """One kind of job.

    `run` and `parameters` are paths, `module:name`: of a `Run`, and of the pydantic model or dataclass that it takes.
    `start` and `change` are the verbs that people need to start and resume one, and to stop and discard one.
    `title` names the kind to people, `busy` says that a job (`{}`: its id) cannot be changed while it is at work.

    `in_turn`: one job of the kind works at a time, the others wait. `breaks_off`: a stop is raised wherever the work
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
    busy: str = "This job is at work. Stop it first, or wait for the end."
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
            busy="The experiment “{}” is being worked on. Stop it first, or wait until it ends.",
            in_background=False,
        ),
        JobKind(
            name="pilot",
            title="Pilot",
            run="workbench.experiments.jobs.control:run_pilot",
            parameters="workbench.workspace.jobs.job:NoParameters",
            start="runs.start",
            change="runs.stop",
            busy="The pilot “{}” is being worked on. Stop it first, or wait until it ends.",
            in_background=False,
        ),
        JobKind(
            name="search",
            title="Search for the best recipe",
            run="workbench.optimise.search_running:run_search",
            parameters="workbench.workspace.jobs.job:NoParameters",
            start="searches.start",
            change="searches.stop",
            busy="The search “{}” is being worked on. Stop it first, or wait until it ends.",
            in_background=False,
        ),
        JobKind(
            name="indexing",
            title="Indexing",
            run="workbench.jobs.indexing.index_building:run_indexing",
            parameters="workbench.jobs.indexing.index_jobs:IndexParameters",
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
            busy="These files are being read. Stop that first, or wait for the end.",
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
            busy="This import is under way. Stop it first, or wait for the end.",
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
            busy="This import is under way. Stop it first, or wait for the end.",
            breaks_off=True,
            expires=True,
        ),
        JobKind(
            name="writing",
            title="Writing of questions",
            run="workbench.jobs.question_generation.writing_jobs:run_writing",
            parameters="workbench.jobs.question_generation.writing_jobs:WritingParameters",
            start="drafts.write",
            change="imports.change",
            busy="These questions are being written. Stop that first, or wait for the end.",
            expires=True,
        ),
        JobKind(
            name="download",
            title="Download of a model",
            run="workbench.models.background:run_download",
            parameters="workbench.models.background:DownloadParameters",
            start="models.download",
            change="models.download",
            by_parameters=True,
        ),
        JobKind(
            name="proposals",
            title="Proposals of causes",
            run="workbench.annotation.diagnosis.proposal_batch:run_proposals",
            parameters="workbench.annotation.diagnosis.proposal_batch:ProposalParameters",
            start="proposals.run",
            change="proposals.run",
            in_background=False,
        ),
    )
}


def _loaded(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
