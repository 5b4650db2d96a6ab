"""Writes the sample's translation memory, `memory.tmx`, from its articles and questions.

Run it after editing them: make sample
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from workbench.data.corpora.sample.content import aligned_sentences
from workbench.models import Unit, write_tmx


def units() -> list[Unit]:
    """One unit for each group of aligned texts, in order."""
    return [Unit(id=f"s{number:04d}", texts=tuple(group)) for number, group in enumerate(aligned_sentences(), start=1)]


def write_memory(path: Path) -> None:
    """Writes the memory to `path`, atomically."""
    write_tmx(path, units())


if __name__ == "__main__":
    with as_file(files("workbench.data.corpora.sample").joinpath("memory.tmx")) as place:
        write_memory(place)
