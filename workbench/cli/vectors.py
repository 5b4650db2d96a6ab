"""Vectors for search by meaning on the command line: computed in front, with progress, or left to a job or a person."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.shared import say
from workbench.core import JobStopped, WorkbenchError

if TYPE_CHECKING:
    from workbench.app import Workbench
    from workbench.components import EncoderSpread
    from workbench.data import CorpusManifest
    from workbench.workspace import Job

VECTORS = "--vectors/--no-vectors"
VECTORS_HELP = "Compute the vectors for search by meaning: of many passages in the background."
Vectors = Annotated[bool, typer.Option(VECTORS, help=VECTORS_HELP, show_default=False)]


def search_by_meaning(bench: Workbench, manifest: CorpusManifest, vectors: bool) -> None:
    """Has a corpus that got passages searched by meaning, too, and states how; without `vectors`, what would do so."""
    from workbench.jobs import index_added
    from workbench.pipeline import DEFAULT_ENCODER

    if not vectors:
        for line in _hints(bench, manifest.name):
            say(line)
        return
    with _interruptible(manifest.name, DEFAULT_ENCODER):
        if sentence := index_added(bench, manifest, _progress_lines()):
            say(sentence)


def index_in_front(bench: Workbench, name: str, encoder: str, spread: EncoderSpread | None) -> None:
    """Indexes a corpus, resuming what a job began, with its progress on stderr; follows a job that is at work.

    Raises WorkbenchError where somebody else stopped it, and what the encoder raises.
    """
    from workbench.jobs import build_now

    with _interruptible(name, encoder):
        build_now(bench, name, encoder, watch=_progress_lines(), spread=spread)


def _progress_lines() -> Callable[[Job], None]:
    """A callback that prints how far a job is, each line once."""
    from workbench.jobs import left_words

    latest = ""

    def show(job: Job) -> None:
        nonlocal latest
        left = left_words(job, time.time())
        line = f"encoding {job.done:,}/{job.total:,}{f', {left} left' if left else ''}"
        if job.active and line != latest:
            latest = line
            say(line)

    return show


@contextmanager
def _interruptible(name: str, encoder: str) -> Iterator[None]:
    """States how to continue encoding that is interrupted. Raises WorkbenchError where somebody else stopped it."""
    from workbench.components import index_command

    again = f"Continue: {index_command(name, encoder)}"
    try:
        yield
    except KeyboardInterrupt:
        say(f"The corpus “{name}” is complete, and the vectors that were computed are kept. {again}")
        raise
    except JobStopped as error:
        raise WorkbenchError(
            f"Indexing “{name}” by {encoder} was stopped from elsewhere. What was encoded is kept.", command=again
        ) from error


def _hints(bench: Workbench, name: str) -> list[str]:
    """A line for each encoder that would index the corpus called `name` on demand: the command, and how long it takes.

    The time is that of earlier indexing in this workspace; without any it is told once the indexing has begun.
    """
    from workbench.components import index_command
    from workbench.jobs import installed_on_demand, seconds_for
    from workbench.workspace import duration_words

    corpus = bench.corpus(name)
    lines = []
    for encoder in installed_on_demand():
        if not bench.registry.is_indexed(corpus, encoder):
            seconds = seconds_for(bench.settings.home, encoder, corpus)
            time = "" if seconds is None else f", which takes about {duration_words(seconds)}"
            lines.append(f"For search by meaning{time}: {index_command(name, encoder)}")
    return lines
