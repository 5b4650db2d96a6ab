"""Indexes of a corpus by further encoders, besides the built-in one: which there are, opening them, and building them.

Each is in `<version>/encoded/<fingerprint of the encoder>/`, with the encoder's name in `encoder.json`, written last.
They are built on request, in turn, and resumed after a kill: what a killed build had encoded is in
`<version>/encoding/…` until the index is complete. A version that came of another one has its indexes, and lacks only
the passages that were added: these alone are encoded.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core import Encoder, MissingError, Passage, WorkbenchError, component, fingerprint
from workbench.data.corpora.build import DENSE, LEXICAL, Progress, quiet
from workbench.data.corpora.corpus import Corpus, StoreState, read_store, searched_dense, searched_sparse
from workbench.data.corpora.passage_table import removed_rows
from workbench.retrieval import (
    CheckpointedEncoder,
    DenseIndex,
    LevelledSearch,
    SentenceIndex,
    SentenceRescoring,
    SparseEncoder,
    SparseIndex,
    VectorSearch,
    count_sentences,
    last_row,
    manifest_path,
    read_manifest,
)
from workbench.workspace import atomic

ENCODED, ENCODING = "encoded", "encoding"
NAME_FILE = "encoder.json"
KINDS = ("dense", "sparse")
SENTENCES = "sentences"
"""The folder, in an index's own, of the vectors of sentences; and their kind."""


def open_dense(
    corpus: Corpus,
    name: str,
    encoder: Encoder,
    *,
    levelling: float = 0.0,
    sentence_share: float = 0.0,
    exact: bool = False,
) -> VectorSearch:
    """The corpus's index by `encoder`, as `index_dense` built it.

    `levelling`: the strength of a `LevelledSearch`; `sentence_share`: see `SentenceRescoring`; 0 for neither. `exact`:
    all vectors are read, where otherwise the best of many are estimated first.

    `name` is the encoder's, with the options of its index, as on the command line. Raises MissingError with the command
    that builds it.
    """
    by_sentences = sentence_share > 0
    with corpus.naming_it(f" --encoder {name}"):
        folder = _index_folder(corpus, name, index_identity(encoder, by_sentences))
        removed = removed_rows(corpus.folder)
        index = searched_dense(corpus.folder, store_key(folder, "dense"), DenseIndex.open(folder, encoder, removed))
        index = index.exactly() if exact else index
        dense: VectorSearch = LevelledSearch(index, levelling) if levelling else index
        if not by_sentences:
            return dense
        return SentenceRescoring(dense, SentenceIndex.open(folder / SENTENCES, encoder, removed), share=sentence_share)


def is_dense_indexed(corpus: Corpus, encoder: Encoder, *, by_sentences: bool) -> bool:
    """Whether the corpus has what `open_dense` opens."""
    return is_indexed(corpus, index_identity(encoder, by_sentences))


def dense_unindexed(corpus: Corpus, encoder: Encoder, *, by_sentences: bool) -> int:
    """How many passages of the corpus the index lacks that `open_dense` opens."""
    folder = index_folders(corpus, index_identity(encoder, by_sentences))[1]
    if _is_complete(corpus, folder):
        return 0
    rows = corpus.table.rows
    return int((rows > _last_row(folder)).sum()) if (folder / NAME_FILE).is_file() else len(rows)


def open_sparse(corpus: Corpus, name: str, encoder: SparseEncoder) -> SparseIndex:
    """As `open_dense`, for learned sparse vectors."""
    with corpus.naming_it(f" --encoder {name} --sparse"):
        folder = _index_folder(corpus, name, encoder.identity)
        index = SparseIndex.open(folder, encoder, removed_rows(corpus.folder))
        return searched_sparse(corpus.folder, store_key(folder, "sparse"), index)


def is_indexed(corpus: Corpus, identity: str) -> bool:
    """Whether the corpus has an index by the encoder of this identity that has all of its passages."""
    return _is_complete(corpus, index_folders(corpus, identity)[1])


def damaged_indexes(corpus: Corpus) -> list[str]:
    """What is wrong with the corpus's indexes by further encoders, all bytes compared; a sentence for each."""
    folders = sorted(file.parent for file in (corpus.folder / ENCODED).glob(f"*/{NAME_FILE}"))
    return [problem for folder in folders if (problem := damage(folder))]


def damage(folder: Path) -> str:
    """What is wrong with the index in `folder`, in a sentence, "" where nothing is."""
    try:
        for kind in kinds(folder):
            read_manifest(folder, kind, lambda facts: facts, deep=True)
        if (folder / SENTENCES).is_dir():
            read_manifest(folder / SENTENCES, SENTENCES, lambda facts: facts, deep=True)
    except WorkbenchError as error:
        return str(error)
    return ""


def encoders_of(corpus: Corpus) -> tuple[str, ...]:
    """The names, in recipes, of the encoders that the corpus is indexed by."""
    files = sorted((corpus.folder / ENCODED).glob(f"*/{NAME_FILE}"))
    names = (_stored_name(file) for file in files if _is_complete(corpus, file.parent))
    return tuple(name for name in names if name)


def _is_complete(corpus: Corpus, folder: Path) -> bool:
    if not (folder / NAME_FILE).is_file():
        return False
    if not corpus.manifest.added:
        return True
    try:
        return _last_row(folder) >= int(corpus.table.rows[-1])
    except (WorkbenchError, OSError, ValueError):
        return True  # A damaged one is reported when it is opened.


def _last_row(folder: Path) -> int:
    """The last row that all parts of the index in `folder` have. Raises as `last_row` does."""
    indexed = [last_row(folder, kind) for kind in kinds(folder)]
    indexed += [last_row(folder / SENTENCES, SENTENCES)] if (folder / SENTENCES).is_dir() else []
    return min(indexed)


def complete_indexes(corpus: Corpus) -> Iterator[tuple[str, Path]]:
    """The name, in recipes, and the folder of each index that has all passages of the corpus."""
    for file in sorted((corpus.folder / ENCODED).glob(f"*/{NAME_FILE}")):
        if _is_complete(corpus, file.parent) and (name := _stored_name(file)):
            yield name, file.parent


def store_state(corpus: Corpus) -> StoreState | None:
    """Where the corpus's indexes are searched; None without a store. Raises DataError for a damaged file."""
    wish = read_store(corpus.folder.parent)
    if wish is None:
        return None
    store = read_store(corpus.folder)
    pushed = store.collections if store else {}
    names = {LEXICAL: "words (BM25)", DENSE: "built-in encoder"}
    names |= {store_key(folder, kind): name for name, folder in complete_indexes(corpus) for kind in kinds(folder)}
    there = tuple(name for key, name in names.items() if key in pushed)
    behind = tuple(name for key, name in names.items() if key not in pushed)
    return StoreState(corpus.manifest.name, store.address if store else wish.address, there, behind)


def store_key(folder: Path, kind: str) -> str:
    """The key, in a store, of the index of this kind in `folder`."""
    return f"{ENCODED}/{folder.name}/{kind}"


def kinds(folder: Path) -> list[str]:
    """The kinds of the index in `folder`, at least one."""
    return [kind for kind in KINDS if manifest_path(folder, kind).is_file()] or [KINDS[0]]


def _stored_name(file: Path) -> str:
    """The encoder's name in recipes; "" where the file is damaged: then its index has to be built again."""
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["name"])
    except (ValueError, KeyError, TypeError, OSError):
        return ""


def index_identity(encoder: Encoder, by_sentences: bool) -> str:
    """What an index is looked up by: the encoder's identity, and whether it has sentences."""
    return component("by-sentences", encoder=encoder.identity) if by_sentences else encoder.identity


def index_folders(corpus: Corpus, identity: str) -> tuple[Path, Path]:
    """Where the index is built, and where it is once complete."""
    key = fingerprint("encoded", identity)
    return corpus.folder / ENCODING / key, corpus.folder / ENCODED / key


def _index_folder(corpus: Corpus, name: str, identity: str) -> Path:
    if not is_indexed(corpus, identity):
        raise MissingError(
            f"The corpus “{corpus.manifest.name}” is not indexed by the encoder “{name}”.",
            command=f"Type: python -m workbench corpora index {corpus.manifest.name} --encoder {name}",
        )
    return index_folders(corpus, identity)[1]


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
        checkpoints, rows = task.work / "parts", corpus.table.rows
        SparseIndex.build(task.new, encoder, iter(corpus.table), task.report, checkpoint=checkpoints, rows=rows)

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
