"""The options --ray and --workers: what verbs that can use Ray take, and what they do with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import say

if TYPE_CHECKING:
    from workbench.components import EncoderSpread, RayChoice

Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Run models on Ray: local, host:6379 or ray://host:10001. Its machines need the same packages, folders.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers", help="Workers on Ray, each with its own models; by default one per processor, at most 8."
    ),
]


def checked_ray(address: str | None, workers: int, encoder: str = "") -> RayChoice | None:
    """The Ray that the options name, None for none; `encoder` is one that shall run there.

    Raises UsageError for options that are not valid and for an encoder that a service runs, MissingError without Ray.
    """
    from workbench.components import ray_choice

    choice = ray_choice(address, workers)
    if choice is not None and encoder:
        from workbench.components import check_local

        check_local(encoder)
    return choice


@contextmanager
def spread_over(choice: RayChoice | None, home: Path) -> Iterator[EncoderSpread | None]:
    """Workers that encode, for the block; None where this process does."""
    if choice is None:
        yield None
        return
    from workbench.components import RaySpread, ray_pool

    say("Starting workers …")
    with ray_pool(choice, home) as pool:
        say("1 worker encodes." if len(pool) == 1 else f"{len(pool):,} workers encode.")
        yield RaySpread(pool)
