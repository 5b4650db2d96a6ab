"""Indexes of a corpus by further encoders, beside the built-in one: built when asked, resumed when killed.

Each lies in `<version>/encoded/<fingerprint of the encoder>/`, with the encoder's name in `encoder.json`, written last.
What a killed build had encoded lies in `<version>/encoding/…` until the index is whole.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from workbench.corpora.build import Progress, quiet
from workbench.corpora.corpus_library import Corpus
from workbench.errors import MissingError
from workbench.identity import fingerprint
from workbench.protocols import Encoder
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.checkpoint import Checkpointed
from workbench.retrieval.sparse import SparseEncoder, SparseIndex
from workbench.storage import atomic

ENCODED, ENCODING = "encoded", "encoding"
MARK = "encoder.json"
BATCH = 8_192
"""Passages handed to the encoder at a time; it cuts its own batches."""


def index_dense(corpus: Corpus, name: str, encoder: Encoder, progress: Progress = quiet) -> None:
    """Encodes every passage with `encoder`, called `name` in recipes. Goes on where a killed build was."""

    def build(work: Path, total: int, watch: Callable[[int], None]) -> None:
        checkpointed = Checkpointed(encoder, work / "vectors", total, watch)
        DenseIndex.build(work / "index", checkpointed, iter(corpus.table), batch=BATCH)

    _index(corpus, name, encoder.identity, build, progress)


def index_sparse(corpus: Corpus, name: str, encoder: SparseEncoder, progress: Progress = quiet) -> None:
    """The same for learned sparse vectors."""

    def build(work: Path, _total: int, watch: Callable[[int], None]) -> None:
        SparseIndex.build(work / "index", encoder, iter(corpus.table), watch, checkpoint=work / "parts")

    _index(corpus, name, encoder.identity, build, progress)


def _index(
    corpus: Corpus,
    name: str,
    identity: str,
    build: Callable[[Path, int, Callable[[int], None]], None],
    progress: Progress,
) -> None:
    work, target = _places(corpus, identity)
    with _alone(work):
        if is_indexed(corpus, identity):
            shutil.rmtree(work, ignore_errors=True)
            return
        total = len(corpus.table)
        build(work, total, lambda done: progress("encoding", done, total))
        _finish(work, target, name, identity)


def open_dense(corpus: Corpus, name: str, encoder: Encoder) -> DenseIndex:
    """The corpus's index by `encoder`. Raises MissingError with the command that builds it."""
    return DenseIndex.open(_found(corpus, name, encoder.identity), encoder)


def open_sparse(corpus: Corpus, name: str, encoder: SparseEncoder) -> SparseIndex:
    """The same for learned sparse vectors."""
    return SparseIndex.open(_found(corpus, name, encoder.identity), encoder)


def is_indexed(corpus: Corpus, identity: str) -> bool:
    """Whether the corpus has a whole index by the encoder of this identity."""
    return (_places(corpus, identity)[1] / MARK).is_file()


def encoders_of(corpus: Corpus) -> tuple[str, ...]:
    """The names under which encoders indexed the corpus."""
    marks = sorted((corpus.folder / ENCODED).glob(f"*/{MARK}"))
    return tuple(json.loads(mark.read_text(encoding="utf-8"))["name"] for mark in marks)


def _places(corpus: Corpus, identity: str) -> tuple[Path, Path]:
    key = fingerprint("encoded", identity)
    return corpus.folder / ENCODING / key, corpus.folder / ENCODED / key


def _found(corpus: Corpus, name: str, identity: str) -> Path:
    if not is_indexed(corpus, identity):
        raise MissingError(
            f"The corpus “{corpus.manifest.name}” is not indexed by the encoder “{name}”. "
            f"Type: python -m workbench corpora index {corpus.manifest.name} --encoder {name}"
        )
    return _places(corpus, identity)[1]


class _alone:  # noqa: N801 — reads as a word in `with _alone(folder)`
    """One builder of an index at a time; the lock ends with the process, however that ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / ".lock").open("w")

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _finish(work: Path, target: Path, name: str, identity: str) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    (work / "index").replace(target)
    atomic.write_text(target / MARK, json.dumps({"name": name, "identity": identity}) + "\n")
    shutil.rmtree(work, ignore_errors=True)
