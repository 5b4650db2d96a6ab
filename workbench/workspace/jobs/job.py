"""A job: work that a process of its own does, as its row in the database says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from workbench.workspace.job_tables import jobs as table

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
