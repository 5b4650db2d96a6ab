"""Small corpora of random words, always the same for a seed, and what their index holds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from workbench.app.workbench import Workbench
from workbench.core.records import Passage
from workbench.data.corpora.build import CorpusManifest
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.encoded_indexes import ENCODED

WORDS = (
    *("river", "bridge", "market", "radio", "winter", "engine", "letter", "garden"),
    *("school", "island", "doctor", "window", "silver", "music", "forest"),
)
ENCODER = "e5-small"


def random_passages(count: int, seed: int = 0, language: str = "en") -> Iterator[Passage]:
    """Passages of two short sentences each."""
    words = random.Random(seed)
    for number in range(count):
        sentences = (" ".join(words.choices(WORDS, k=5)).capitalize() + "." for _ in range(2))
        document = f"{seed}-{number}"
        yield Passage(f"{document}.0", document, "", language, " ".join(sentences))


def add_corpus(bench: Workbench, name: str = "mine", count: int = 12, seed: int = 0) -> CorpusManifest:
    """A corpus without an index by any further encoder."""
    return bench.library.add(name, random_passages(count, seed), source="a test", licence="none")


def index_bytes(corpus: Corpus) -> dict[str, bytes]:
    """Every file of the corpus's indexes by further encoders, by its path."""
    folder = corpus.folder / ENCODED
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
