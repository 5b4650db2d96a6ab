"""Which Ray is used: a word on the command line, checked before anything is started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec

from workbench.core import MissingError, UsageError, shorten

LOCAL = "local"
"""The address of workers that are started on this machine."""
ADDRESS = re.compile(r"(ray://)?[\w.-]+:\d{1,5}|(ray://)?\[[0-9A-Fa-f:.]+\]:\d{1,5}")
WORKERS_LIMIT = 1_000
"""Workers that may be asked for."""


@dataclass(frozen=True, slots=True)
class RayChoice:
    """The address of a Ray cluster, or `local`, and the number of workers; 0 for one per processor, at most 8.

    Raises UsageError for an address or a number that cannot be one.
    """

    address: str
    workers: int = 0

    def __post_init__(self) -> None:
        """Raises UsageError."""
        if self.address != LOCAL and not ADDRESS.fullmatch(self.address):
            raise UsageError(
                f"“{shorten(self.address)}” is not an address of Ray. Allowed: {LOCAL} for workers on this machine, "
                "host:6379 from a machine of the cluster, ray://host:10001 from elsewhere. For example: --ray local"
            )
        if not 0 <= self.workers <= WORKERS_LIMIT:
            raise UsageError(f"{self.workers} is not a number of workers. Allowed: 1 to {WORKERS_LIMIT:,}.")

    @property
    def is_local(self) -> bool:
        """Whether the workers are started on this machine, and end with the process that started them."""
        return self.address == LOCAL


def ray_choice(address: str | None, workers: int) -> RayChoice | None:
    """What a command was given by --ray and --workers; None where it runs in one process.

    Raises UsageError for workers without an address and for one that is not valid, MissingError where Ray is missing.
    """
    if address is None:
        if workers:
            raise UsageError("--workers is the number of workers on Ray: add --ray local")
        return None
    choice = RayChoice(address.strip(), workers)
    check_installed()
    return choice


def check_installed() -> None:
    """Raises MissingError with the command that installs Ray where it is not installed."""
    if find_spec("ray") is None:
        raise MissingError("Ray is not installed. Type: pip install -r requirements-scale.txt")
