"""Indexes of a corpus by further encoders, besides the built-in one: built on request, resumed after a kill.

Each is in `<version>/encoded/<fingerprint of the encoder>/`, with the encoder's name in `encoder.json`, written last.
What a killed build had encoded is in `<version>/encoding/…` until the index is complete.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from workbench.corpora.build import Progress, quiet
from workbench.corpora.corpus_library import Corpus
from workbench.errors import MissingError, WorkbenchError
from workbench.identity import component, fingerprint
from workbench.protocols import Encoder
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.checkpoint import CheckpointedEncoder
from workbench.retrieval.index_manifest import manifest_path, read_manifest
from workbench.retrieval.language_level import LevelledSearch
from workbench.retrieval.sentence_index import SentenceIndex, SentenceRescoring, count_sentences
from workbench.retrieval.sparse import SparseEncoder, SparseIndex
from workbench.retrieval.vector_search import VectorSearch
from workbench.storage import atomic

ENCODED, ENCODING = "encoded", "encoding"
NAME_FILE = "encoder.json"
KINDS = ("dense", "sparse")
SENTENCES = "sentences"
"""The folder, in an index's own, of the vectors of sentences; and their kind."""
BATCH = 8_192
"""Passages given to the encoder at a time; it cuts its own batches."""
SENTENCE_BATCH = 1_024
"""The same where their sentences are encoded."""


def index_dense(
    corpus: Corpus, name: str, encoder: Encoder, progress: Progress = quiet, *, by_sentences: bool = False
) -> None:
    """Encodes every passage with `encoder`, called `name` in recipes; `by_sentences`: every sentence, too.

    Resumes where a killed build stopped.
    """

    def build(work: Path, total: int, report: Callable[[int], None]) -> None:
        # Passages and their sentences are about as much text, so each is told as half of the work.
        passes = 2 if by_sentences else 1
        checkpointed = CheckpointedEncoder(encoder, work / "vectors", total, lambda done: report(done // passes))
        DenseIndex.build(work / "index", checkpointed, iter(corpus.table), batch=BATCH)
        if by_sentences:
            count = count_sentences(iter(corpus.table))
            checkpointed = CheckpointedEncoder(
                encoder, work / "sentence-vectors", count, lambda done: report(total * (count + done) // (2 * count))
            )
            SentenceIndex.build(work / "index" / SENTENCES, checkpointed, iter(corpus.table), batch=SENTENCE_BATCH)

    _index(corpus, name, _index_identity(encoder, by_sentences), build, progress)


def index_sparse(corpus: Corpus, name: str, encoder: SparseEncoder, progress: Progress = quiet) -> None:
    """As `index_dense`, for learned sparse vectors."""

    def build(work: Path, _total: int, report: Callable[[int], None]) -> None:
        SparseIndex.build(work / "index", encoder, iter(corpus.table), report, checkpoint=work / "parts")

    _index(corpus, name, encoder.identity, build, progress)


def _index(
    corpus: Corpus,
    name: str,
    identity: str,
    build: Callable[[Path, int, Callable[[int], None]], None],
    progress: Progress,
) -> None:
    work, target = _folders(corpus, identity)
    with _BuildLock(work):
        if is_indexed(corpus, identity) and not _damage(target):
            shutil.rmtree(work, ignore_errors=True)
            return
        # What a killed build had written of its index; its vectors are kept.
        shutil.rmtree(work / "index", ignore_errors=True)
        total = len(corpus.table)
        build(work, total, lambda done: progress("encoding", done, total))
        _finish(work, target, name, identity)


def open_dense(
    corpus: Corpus, name: str, encoder: Encoder, *, levelling: float = 0.0, sentence_share: float = 0.0
) -> VectorSearch:
    """The corpus's index by `encoder`, as `index_dense` built it.

    `levelling`: the strength of a `LevelledSearch`; `sentence_share`: see `SentenceRescoring`; 0 for neither.

    `name` is the encoder's, with the options of its index, as on the command line. Raises MissingError with the command
    that builds it.
    """
    by_sentences = sentence_share > 0
    with corpus.naming_it(f" --encoder {name}"):
        folder = _index_folder(corpus, name, _index_identity(encoder, by_sentences))
        index = DenseIndex.open(folder, encoder)
        dense: VectorSearch = LevelledSearch(index, levelling) if levelling else index
        if not by_sentences:
            return dense
        return SentenceRescoring(dense, SentenceIndex.open(folder / SENTENCES, encoder), share=sentence_share)


def is_dense_indexed(corpus: Corpus, encoder: Encoder, *, by_sentences: bool) -> bool:
    """Whether the corpus has what `open_dense` opens."""
    return is_indexed(corpus, _index_identity(encoder, by_sentences))


def open_sparse(corpus: Corpus, name: str, encoder: SparseEncoder) -> SparseIndex:
    """As `open_dense`, for learned sparse vectors."""
    with corpus.naming_it(f" --encoder {name} --sparse"):
        return SparseIndex.open(_index_folder(corpus, name, encoder.identity), encoder)


def is_indexed(corpus: Corpus, identity: str) -> bool:
    """Whether the corpus has a complete index by the encoder of this identity."""
    return (_folders(corpus, identity)[1] / NAME_FILE).is_file()


def damaged_indexes(corpus: Corpus) -> list[str]:
    """What is wrong with the corpus's indexes by further encoders, all bytes compared; a sentence for each."""
    folders = sorted(file.parent for file in (corpus.folder / ENCODED).glob(f"*/{NAME_FILE}"))
    return [problem for folder in folders if (problem := _damage(folder))]


def _damage(folder: Path) -> str:
    """What is wrong with the index in `folder`, in a sentence, "" where nothing is."""
    kinds = [kind for kind in KINDS if manifest_path(folder, kind).is_file()] or KINDS[:1]
    try:
        for kind in kinds:
            read_manifest(folder, kind, lambda facts: facts, deep=True)
        if (folder / SENTENCES).is_dir():
            read_manifest(folder / SENTENCES, SENTENCES, lambda facts: facts, deep=True)
    except WorkbenchError as error:
        return str(error)
    return ""


def encoders_of(corpus: Corpus) -> tuple[str, ...]:
    """The names, in recipes, of the encoders that the corpus is indexed by."""
    files = sorted((corpus.folder / ENCODED).glob(f"*/{NAME_FILE}"))
    names = (_stored_name(file) for file in files)
    return tuple(name for name in names if name)


def _stored_name(file: Path) -> str:
    """The encoder's name in recipes; "" where the file is damaged: then its index has to be built again."""
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["name"])
    except (ValueError, KeyError, TypeError, OSError):
        return ""


def _index_identity(encoder: Encoder, by_sentences: bool) -> str:
    return component("by-sentences", encoder=encoder.identity) if by_sentences else encoder.identity


def _folders(corpus: Corpus, identity: str) -> tuple[Path, Path]:
    """Where the index is built, and where it is once complete."""
    key = fingerprint("encoded", identity)
    return corpus.folder / ENCODING / key, corpus.folder / ENCODED / key


def _index_folder(corpus: Corpus, name: str, identity: str) -> Path:
    if not is_indexed(corpus, identity):
        raise MissingError(
            f"The corpus “{corpus.manifest.name}” is not indexed by the encoder “{name}”.",
            command=f"Type: python -m workbench corpora index {corpus.manifest.name} --encoder {name}",
        )
    return _folders(corpus, identity)[1]


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
    shutil.rmtree(work, ignore_errors=True)
