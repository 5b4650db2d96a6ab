"""BGE-M3's three views through FlagEmbedding's loading code, equal to FlagEmbedding's own loop."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypedDict

import numpy as np
import pytest
import torch

from tests.models.tiny_encoders import HIDDEN, TEXTS, make_bge_m3
from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import Encoder, FloatArray
from workbench.core.records import Passage, Query
from workbench.models.local import find_model
from workbench.retrieval.dense import DenseIndex
from workbench.retrieval.encoders.bge_m3 import BgeM3, BgeM3Dense, BgeM3Sparse, _LoadedBgeM3
from workbench.retrieval.sparse import SparseEncoder, SparseIndex


@pytest.fixture(scope="module")
def model(bge_m3_folder: Path) -> BgeM3:
    return BgeM3(find_model(str(bge_m3_folder)), device="cpu", batch=4)


class FlagOutput(TypedDict):
    """What FlagEmbedding's `encode` returns for some texts."""

    dense_vecs: FloatArray
    lexical_weights: list[dict[str, float]]
    colbert_vecs: list[FloatArray]


@pytest.fixture(scope="module")
def bare(bge_m3_folder: Path) -> FlagOutput:
    from FlagEmbedding import BGEM3FlagModel

    flag = BGEM3FlagModel(str(bge_m3_folder), use_fp16=False, devices="cpu")
    output: FlagOutput = flag.encode(list(TEXTS), return_dense=True, return_sparse=True, return_colbert_vecs=True)
    return output


def test_the_dense_vectors_are_flag_embeddings(model: BgeM3, bare: FlagOutput) -> None:
    assert np.allclose(model.dense(TEXTS), bare["dense_vecs"], atol=1e-5)


def test_the_lexical_weights_are_flag_embeddings(model: BgeM3, bare: FlagOutput) -> None:
    ours = model.weights(TEXTS)
    for row, theirs in zip(ours, bare["lexical_weights"], strict=True):
        mine = {str(token): weight for token, weight in zip(row.indices, row.data, strict=True)}
        assert mine == pytest.approx(dict(theirs), abs=1e-5)


def test_the_token_vectors_are_flag_embeddings(model: BgeM3, bare: FlagOutput) -> None:
    for mine, theirs in zip(model.token_vectors(TEXTS), bare["colbert_vecs"], strict=True):
        assert np.allclose(mine, theirs, atol=1e-5)


def test_a_vector_has_length_one_and_the_models_dimensions(model: BgeM3) -> None:
    vectors = model.dense(TEXTS)
    assert vectors.shape == (len(TEXTS), HIDDEN) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_the_order_of_the_texts_is_kept(model: BgeM3) -> None:
    assert np.allclose(model.dense(TEXTS[::-1]), model.dense(TEXTS)[::-1], atol=1e-5)


def test_special_tokens_have_no_lexical_weight(model: BgeM3) -> None:
    assert not {0, 1, 2, 3} & set(model.weights([*TEXTS, "☃"]).indices.tolist())


def test_a_text_of_white_space_has_a_zero_vector(model: BgeM3) -> None:
    assert not model.dense([" ", "\n"]).any()


def test_no_text_gives_no_row(model: BgeM3) -> None:
    assert (model.dense([]).shape, model.weights([]).shape, model.token_vectors([])) == (
        (0, HIDDEN),
        (0, model.vocabulary),
        [],
    )


def test_a_text_longer_than_the_model_is_cut(bge_m3_folder: Path) -> None:
    short = BgeM3(find_model(str(bge_m3_folder)), device="cpu", max_length=16)
    assert np.allclose(short.dense(["cat " * 500]), short.dense(["cat " * 400]), atol=1e-6)


@pytest.mark.slow
def test_memory_that_runs_out_halves_the_batch(bge_m3_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = BgeM3(find_model(str(bge_m3_folder)), device="cpu", batch=4)
    expected = model.dense(TEXTS)
    run = _LoadedBgeM3.run

    def tight(self: _LoadedBgeM3, tokens: list[list[int]], view: str) -> object:
        if len(tokens) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return run(self, tokens, view)  # type: ignore[arg-type]

    monkeypatch.setattr(_LoadedBgeM3, "run", tight)
    assert np.allclose(model.dense(TEXTS), expected, atol=1e-5)


def test_the_dense_view_is_an_encoder(model: BgeM3) -> None:
    encoder = BgeM3Dense(model)
    assert isinstance(encoder, Encoder)
    assert encoder.dimensions == HIDDEN
    passage, query = (
        Passage("p", "d", "The cat", "en", "sat on the mat"),
        Query("The cat\nsat on the mat", "en", ("en",)),
    )
    assert np.allclose(encoder.encode_passages([passage]), encoder.encode_queries([query]), atol=1e-6)


def test_the_sparse_view_is_a_sparse_encoder(model: BgeM3) -> None:
    encoder = BgeM3Sparse(model)
    assert isinstance(encoder, SparseEncoder)
    assert encoder.encode_queries([Query("cat", "en", ("en",))]).shape == (1, encoder.vocabulary)


def test_the_identity_names_model_revision_libraries_and_view_but_no_path(bge_m3_folder: Path) -> None:
    local_model = find_model(str(bge_m3_folder))
    identity = BgeM3Dense(BgeM3(local_model)).identity
    assert local_model.revision in identity
    assert "FlagEmbedding 1." in identity
    assert identity.endswith("view=dense")
    assert str(bge_m3_folder.parent) not in identity


def test_a_folder_without_the_two_heads_is_refused_not_filled_with_random_numbers(tmp_path: Path) -> None:
    (make_bge_m3(tmp_path / "m") / "sparse_linear.pt").unlink()
    with pytest.raises(MissingError, match=r"lacks sparse_linear\.pt"):
        BgeM3(find_model(str(tmp_path / "m")))


def test_a_config_that_cannot_be_read_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (make_bge_m3(tmp_path / "m") / "config.json").write_text("{")
    with pytest.raises(DataError, match=r"config\.json"):
        BgeM3(find_model(str(tmp_path / "m")))


def test_dense_and_sparse_views_serve_an_index_each(model: BgeM3, tmp_path: Path) -> None:
    passages = [Passage(f"p{i}", "d", "", "en", text) for i, text in enumerate(TEXTS)]
    queries = [Query(text, "en", ("en",)) for text in TEXTS]
    dense, sparse = BgeM3Dense(model), BgeM3Sparse(model)
    DenseIndex.build(tmp_path / "dense", dense, iter(passages))
    SparseIndex.build(tmp_path / "sparse", sparse, iter(passages))
    for index in (DenseIndex.open(tmp_path / "dense", dense), SparseIndex.open(tmp_path / "sparse", sparse)):
        assert all(ranking for ranking in index.retrieve(queries, 3))
    nearest = [ranking[0].row for ranking in DenseIndex.open(tmp_path / "dense", dense).retrieve(queries, 1)]
    assert nearest == list(range(len(TEXTS)))


def test_threads_may_share_the_model(model: BgeM3) -> None:
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: model.dense([text])[0], TEXTS * 5))
    assert np.allclose(together, np.vstack([model.dense(TEXTS)] * 5), atol=1e-5)
