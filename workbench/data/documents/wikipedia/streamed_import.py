"""Articles to passages, a part at a time, so that a kill costs one part and memory holds one batch.

A folder holds the work: `parts/000001.arrow` … and `state.json`, which names the files, their sizes, how they are split
and the place after the last part. State is written after its part, both atomically: what a killed import left beyond
its state is written again, byte for byte.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path

from workbench.core import Passage, UsageError
from workbench.data.corpora.passage_table import PassageTable, write_table
from workbench.data.documents.wikipedia.article import ArticleSource, WikiArticle
from workbench.workspace import write_text

ARTICLES_PER_PART = 20_000
STATE, PARTS = "state.json", "parts"
VERSION = 1

Splitter = Callable[[WikiArticle], Sequence[Passage]]
"""An article's passages."""
Watch = Callable[["ImportState"], bool]
"""Is handed the state after each part and at intervals; returns whether to go on."""


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import is. `place` is that in the file number `file`, from 0; `read` of `size` is how much of it."""

    inputs: tuple[tuple[str, int], ...]
    split: str
    file: int = 0
    place: Mapping[str, int] | None = None
    parts: int = 0
    articles: int = 0
    pages: int = 0
    passages: int = 0
    complete: bool = False
    version: int = VERSION


def read_state(folder: Path) -> ImportState | None:
    """The state of the work in a folder, None where there is none that this version can go on with."""
    try:
        values = json.loads((folder / STATE).read_text(encoding="utf-8"))
        state = ImportState(**{**values, "inputs": tuple((str(name), int(size)) for name, size in values["inputs"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return state if state.version == VERSION else None


def stream_articles(
    sources: Sequence[ArticleSource],
    folder: Path,
    splitter: Splitter,
    *,
    split: str,
    watch: Watch = lambda _: True,
    articles_per_part: int = ARTICLES_PER_PART,
) -> ImportState:
    """Reads all articles of `sources` into parts in `folder`, going on from where an earlier call was ended.

    `split` names everything that the passages depend on beside the files. Raises UsageError where the work in the
    folder is of other files or split otherwise, and what the sources raise; what was done is kept.
    """
    inputs = tuple((source.name, source.path.stat().st_size) for source in sources)
    state = read_state(folder) or ImportState(inputs, split)
    if (state.inputs, state.split) != (inputs, split):
        names = ", ".join(name for name, _ in state.inputs)
        raise UsageError(
            f"An import of {names} ({state.split}) was begun under this name and is not complete. Go on with it by "
            "naming the same files and the same splitting, or delete it."
        )
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    while not state.complete:
        state = _next_part(sources, folder, splitter, state, articles_per_part)
        write_text(folder / STATE, json.dumps(asdict(state), ensure_ascii=False, sort_keys=True))
        if not watch(state):
            break
    return state


def passages_of(folder: Path) -> Iterator[Passage]:
    """The passages of all parts, in order, a part at a time."""
    state = read_state(folder)
    for number in range(1, (state.parts if state else 0) + 1):
        yield from PassageTable(_part(folder, number))


def forget(folder: Path) -> None:
    """Deletes the work in a folder."""
    shutil.rmtree(folder, ignore_errors=True)


def _next_part(
    sources: Sequence[ArticleSource], folder: Path, splitter: Splitter, state: ImportState, articles_per_part: int
) -> ImportState:
    """Writes one part and returns the state after it."""
    after = state
    wanted = state.articles + articles_per_part

    def passages() -> Iterator[Passage]:
        nonlocal after
        for number in count(state.file):
            if number == len(sources):
                after = replace(after, file=number, place=None, complete=True)
                return
            place = after.place if after.file == number and after.place else {}
            for reached, article in sources[number].articles(place):
                after = replace(after, file=number, place=dict(reached), pages=after.pages + 1)
                if article is not None:
                    batch = splitter(article)
                    yield from batch
                    after = replace(after, articles=after.articles + 1, passages=after.passages + len(batch))
                    if after.articles >= wanted:
                        return
            after = replace(after, file=number + 1, place=None)

    part = _part(folder, state.parts + 1)
    beside = part.with_suffix(".writing")
    written = write_table(beside, passages())
    if written or not after.complete:
        beside.replace(part)
        return replace(after, parts=state.parts + 1)
    beside.unlink()
    return after


def _part(folder: Path, number: int) -> Path:
    return folder / PARTS / f"{number:06d}.arrow"
