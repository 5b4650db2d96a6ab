"""Building a corpus's indexes by further encoders (`encoded`): in turn, and resumed after a kill.

A version that came of another one has its indexes, and lacks only the passages that were added: these alone are
encoded. What a killed build had encoded is in `<version>/encoding/…` until the index is complete.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core import Encoder, Passage
from workbench.data.corpora.build import Progress, quiet
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.encoded import (
    NAME_FILE,
    SENTENCES,
    damage,
    index_folders,
    index_identity,
    is_indexed,
    kinds,
)
from workbench.retrieval import (
    CheckpointedEncoder,
    DenseIndex,
    SentenceIndex,
    SparseEncoder,
    SparseIndex,
    count_sentences,
    last_row,
)
from workbench.workspace import atomic

BATCH = 8_192
"""Passages given to the encoder at a time; it cuts its own batches."""
SENTENCE_BATCH = 1_024
"""The same where their sentences are encoded."""


def index_dense(
    corpus: Corpus, name: str, encoder: Encoder, progress: Progress = quiet, *, by_sentences: bool = False
) -> None:
    """Encodes every passage with `encoder`, called `name` in recipes; `by_sentences`: every sentence, too.

    Resumes where a killed build stopped; where a former version was indexed, only what came since is encoded.
    """
    # Passages and their sentences are about as much text, so each is reported as half of the work.
    passes = 2 if by_sentences else 1

    def of_passages(task: _Task, count: int) -> CheckpointedEncoder:
        return CheckpointedEncoder(encoder, task.work / "vectors", count, lambda done: task.report(done // passes))

    def of_sentences(task: _Task, count: int) -> CheckpointedEncoder:
        def report(done: int) -> None:
            task.report(task.total * (count + done) // (2 * count))

        return CheckpointedEncoder(encoder, task.work / "sentence-vectors", count, report)

    def build(task: _Task) -> None:
        rows = corpus.table.rows
        DenseIndex.build(task.new, of_passages(task, task.total), iter(corpus.table), batch=BATCH, rows=rows)
        if by_sentences:
            checkpointed = of_sentences(task, count_sentences(iter(corpus.table)))
            folder = task.new / SENTENCES
            SentenceIndex.build(folder, checkpointed, iter(corpus.table), batch=SENTENCE_BATCH, rows=rows)

    def extend(task: _Task) -> None:
        passages, rows = _missing(corpus, task.target, DenseIndex.layout.kind)
        if passages:
            dense = DenseIndex.open(task.target, encoder, corpus.table.removed)
            dense.extend(task.target, passages, rows, encoder=of_passages(task, len(passages)), batch=BATCH)
        folder = task.target / SENTENCES
        passages, rows = _missing(corpus, folder, SENTENCES) if by_sentences else ([], [])
        if passages:
            checkpointed = of_sentences(task, count_sentences(passages))
            index = SentenceIndex.open(folder, encoder, corpus.table.removed)
            index.extend(folder, passages, rows, encoder=checkpointed, batch=SENTENCE_BATCH)

    _index(corpus, name, index_identity(encoder, by_sentences), build, extend, progress)


def index_sparse(corpus: Corpus, name: str, encoder: SparseEncoder, progress: Progress = quiet) -> None:
    """As `index_dense`, for learned sparse vectors."""

    def build(task: _Task) -> None:
        parts, rows = task.work / "parts", corpus.table.rows
        SparseIndex.build(task.new, encoder, iter(corpus.table), task.report, checkpoint=parts, rows=rows)

    def extend(task: _Task) -> None:
        passages, rows = _missing(corpus, task.target, SparseIndex.layout.kind)
        index = SparseIndex.open(task.target, encoder, corpus.table.removed)
        index.extend(task.target, passages, rows, task.report, checkpoint=task.work / "parts")

    _index(corpus, name, encoder.identity, build, extend, progress)


@dataclass(frozen=True, slots=True)
class _Task:
    """Where to encode `total` passages, and how it is reported.

    `work` is a folder for what a kill shall not cost, `target` that of the complete index.
    """

    work: Path
    target: Path
    total: int
    report: Callable[[int], None]

    @property
    def new(self) -> Path:
        """The folder of a new index, until it is complete."""
        return self.work / "index"


def _index(
    corpus: Corpus,
    name: str,
    identity: str,
    build: Callable[[_Task], None],
    extend: Callable[[_Task], None],
    progress: Progress,
) -> None:
    work, target = index_folders(corpus, identity)
    with _BuildLock(work):
        is_sound = (target / NAME_FILE).is_file() and not damage(target)
        # What a killed build had written of its index; its vectors are kept.
        shutil.rmtree(work / "index", ignore_errors=True)
        if not is_sound:
            total = len(corpus.table)
            build(_Task(work, target, total, lambda done: progress("encoding", done, total)))
            _finish(work, target, name, identity)
        elif not is_indexed(corpus, identity):
            total = len(_missing(corpus, target, kinds(target)[0])[0])
            extend(_Task(work, target, total, lambda done: progress("encoding", done, total)))
        shutil.rmtree(work, ignore_errors=True)


def _missing(corpus: Corpus, folder: Path, kind: str) -> tuple[Sequence[Passage], Sequence[int]]:
    """The passages that came after all those of the index of this kind in `folder`, and their rows."""
    numbered = list(corpus.table.numbered(last_row(folder, kind) + 1))
    return [passage for _, passage in numbered], [row for row, _ in numbered]


class _BuildLock:
    """Lets one process at a time build an index; the lock ends with the process, however that ends."""

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
    atomic.write_text(target / NAME_FILE, json.dumps({"name": name, "identity": identity}) + "\n")
