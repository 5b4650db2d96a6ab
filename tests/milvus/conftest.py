"""One Milvus Lite file for all tests of a process, and the sample pushed into it once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from workbench.app.workbench import Workbench
from workbench.core.records import Passage, Query
from workbench.data.corpora.build import quiet
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.encoded_indexes import index_sparse, open_sparse
from workbench.jobs.indexing.store_push import push
from workbench.languages.segment import index_tokens
from workbench.retrieval.milvus import connection
from workbench.retrieval.milvus.connection import MilvusAddress
from workbench.retrieval.sparse import SparseIndex
from workbench.workspace import settings

SPARSE = "word-lengths"


class TokenWeights:
    """A learned sparse encoder in small: each token of a text weighs by its length, in one of `vocabulary` columns."""

    identity = "token-weights"
    vocabulary = 512

    def _weights(self, texts: Sequence[str]) -> csr_matrix:
        rows = np.zeros((len(texts), self.vocabulary), dtype=np.float32)
        for number, text in enumerate(texts):
            for token in index_tokens(text):
                rows[number, sum(map(ord, token)) % self.vocabulary] += np.sqrt(len(token))
        return csr_matrix(rows)

    def encode_passages(self, passages: Sequence[Passage]) -> csr_matrix:
        return self._weights([passage.searchable for passage in passages])

    def encode_queries(self, queries: Sequence[Query]) -> csr_matrix:
        return self._weights([query.text for query in queries])


@dataclass(frozen=True)
class TwoPlaces:
    """The same sample, searched in its files and in Milvus."""

    files: Workbench
    milvus: Workbench

    @property
    def corpora(self) -> tuple[Corpus, Corpus]:
        return self.files.corpus("sample"), self.milvus.corpus("sample")

    def sparse(self) -> tuple[SparseIndex, SparseIndex]:
        one, other = (open_sparse(corpus, SPARSE, TokenWeights()) for corpus in self.corpora)
        return one, other


@pytest.fixture(scope="session")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Milvus Lite file; each corpus has collections of its own in it."""
    address = MilvusAddress.of(f"milvus://{tmp_path_factory.mktemp('milvus')}/lite.db")
    yield address.text
    connection.disconnect(address)


@pytest.fixture(scope="session")
def places(sample_home: Path, lite: str, tmp_path_factory: pytest.TempPathFactory) -> TwoPlaces:
    """The sample with a sparse index in two workspaces, in one of them pushed into Milvus; to be read only."""
    homes = [tmp_path_factory.mktemp("places") / name for name in ("files", "milvus")]
    shutil.copytree(sample_home / "corpora", homes[0] / "corpora", copy_function=os.link)
    files = Workbench(settings.load(homes[0]))
    index_sparse(files.corpus("sample"), SPARSE, TokenWeights())
    shutil.copytree(homes[0] / "corpora", homes[1] / "corpora", copy_function=os.link)
    milvus = Workbench(settings.load(homes[1]))
    push(milvus, "sample", lite, quiet)
    return TwoPlaces(files, milvus)
