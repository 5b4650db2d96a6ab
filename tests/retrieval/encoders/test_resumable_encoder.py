"""A killed build resumes where it was, and never reuses a vector of another text."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError
from workbench.core.protocols import Encoder, FloatArray
from workbench.core.records import Passage, Query
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders import vector_cache
from workbench.retrieval.encoders.vector_cache import CheckpointedEncoder, discard

PASSAGES = [Passage(f"p{i}", "d", "", "en" if i % 2 else "de", f"text {i}") for i in range(10)]


class Counting(Encoder):
    """A text's vector points to the number in it. Dies after `lives` passages; remembers what it encoded."""

    identity = "counting"
    dimensions = 16

    def __init__(self, lives: int = 1000, identity: str = "counting") -> None:
        self.lives, self.identity, self.encoded_ids = lives, identity, list[str]()

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        if len(self.encoded_ids) + len(passages) > self.lives:
            raise KeyboardInterrupt
        self.encoded_ids += [passage.id for passage in passages]
        return np.eye(16, dtype=np.float32)[[int(passage.text.split()[1]) for passage in passages]]

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return np.eye(16, dtype=np.float32)[[int(query.text) for query in queries]]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "FIRST_PIECE", 2)
    monkeypatch.setattr(vector_cache, "PIECE_SECONDS", 0.0)


def killed(folder: Path, after: int) -> Counting:
    """A build that dies when it has encoded `after` passages."""
    encoder = Counting(lives=after)
    with pytest.raises(KeyboardInterrupt):
        CheckpointedEncoder(encoder, folder, len(PASSAGES)).encode_passages(PASSAGES)
    return encoder


def test_it_is_an_encoder_with_the_inner_identity(tmp_path: Path) -> None:
    wrapped = CheckpointedEncoder(Counting(), tmp_path / "v", 10)
    assert isinstance(wrapped, Encoder)
    assert (wrapped.identity, wrapped.dimensions) == ("counting", 16)


def test_the_vectors_are_the_inner_encoders(tmp_path: Path) -> None:
    wrapped = CheckpointedEncoder(Counting(), tmp_path / "v", 10)
    both = np.vstack([wrapped.encode_passages(PASSAGES[:7]), wrapped.encode_passages(PASSAGES[7:])])
    assert np.array_equal(both, np.eye(16, dtype=np.float32)[:10])


def test_after_a_kill_only_the_rest_is_encoded(tmp_path: Path) -> None:
    assert killed(tmp_path / "v", after=7).encoded_ids == ["p0", "p1", "p2", "p3", "p4", "p5"]
    again = Counting()
    vectors = CheckpointedEncoder(again, tmp_path / "v", 10).encode_passages(PASSAGES)
    assert again.encoded_ids == ["p6", "p7", "p8", "p9"]
    assert np.array_equal(vectors, np.eye(16, dtype=np.float32)[:10])


def test_a_text_that_changed_meanwhile_is_encoded_anew(tmp_path: Path) -> None:
    killed(tmp_path / "v", after=7)
    changed = [*PASSAGES[:3], replace(PASSAGES[3], text="text 15"), *PASSAGES[4:]]
    again = Counting()
    vectors = CheckpointedEncoder(again, tmp_path / "v", 10).encode_passages(changed)
    assert again.encoded_ids == ["p3", "p6", "p7", "p8", "p9"]
    assert vectors[3].argmax() == 15


@pytest.mark.parametrize(("identity", "passages"), [("another", 10), ("counting", 11)])
def test_another_encoder_or_corpus_starts_afresh(tmp_path: Path, identity: str, passages: int) -> None:
    killed(tmp_path / "v", after=7)
    again = Counting(identity=identity)
    CheckpointedEncoder(again, tmp_path / "v", passages).encode_passages(PASSAGES)
    assert again.encoded_ids == [passage.id for passage in PASSAGES]


def test_a_manifest_that_cannot_be_read_starts_afresh(tmp_path: Path) -> None:
    killed(tmp_path / "v", after=7)
    (tmp_path / "v" / vector_cache.MANIFEST).write_bytes(b"\xff{")
    again = Counting()
    CheckpointedEncoder(again, tmp_path / "v", 10).encode_passages(PASSAGES)
    assert again.encoded_ids == [passage.id for passage in PASSAGES]


def test_progress_is_reported_piece_by_piece(tmp_path: Path) -> None:
    counts: list[int] = []
    CheckpointedEncoder(Counting(), tmp_path / "v", 5, counts.append).encode_passages(PASSAGES[:5])
    assert counts == [2, 4, 5]


def test_more_passages_than_announced_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="more than the 9"):
        CheckpointedEncoder(Counting(), tmp_path / "v", 9).encode_passages(PASSAGES)


def test_a_dense_index_is_built_through_it_after_a_kill(tmp_path: Path) -> None:
    encoder = Counting(lives=7)
    with pytest.raises(KeyboardInterrupt):
        DenseIndex.build(tmp_path / "i", CheckpointedEncoder(encoder, tmp_path / "v", 10), iter(PASSAGES), batch=3)
    again = Counting()
    DenseIndex.build(tmp_path / "i", CheckpointedEncoder(again, tmp_path / "v", 10), iter(PASSAGES), batch=3)
    assert len(again.encoded_ids) == 10 - len(encoder.encoded_ids)
    (hits,) = DenseIndex.open(tmp_path / "i", Counting()).retrieve([Query("8", "en", ("de", "en"))], 1)
    assert [(hit.id, hit.row, hit.language) for hit in hits] == [("p8", 8, "de")]


def test_discard_leaves_nothing(tmp_path: Path) -> None:
    killed(tmp_path / "v", after=7)
    discard(tmp_path / "v")
    assert not (tmp_path / "v").exists()


def test_a_process_that_is_killed_outright_leaves_its_rows(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from tests.retrieval.encoders.test_resumable_encoder import PASSAGES, Counting, vector_cache
vector_cache.FIRST_PIECE, vector_cache.PIECE_SECONDS = 2, 0.0
class Killed(Counting):
    def encode_passages(self, passages):
        if len(self.encoded_ids) >= 6:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode_passages(passages)
vector_cache.CheckpointedEncoder(Killed(), Path(sys.argv[1]), len(PASSAGES)).encode_passages(PASSAGES)
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "v")], check=False)
    again = Counting()
    vectors = CheckpointedEncoder(again, tmp_path / "v", 10).encode_passages(PASSAGES)
    assert done.returncode == -signal.SIGKILL
    assert again.encoded_ids == ["p6", "p7", "p8", "p9"]
    assert np.array_equal(vectors, np.eye(16, dtype=np.float32)[:10])
