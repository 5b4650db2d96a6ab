"""SPLADE through sentence-transformers' sparse encoder."""

from pathlib import Path

import numpy as np
import pytest

from tests.models.tiny_encoders import TEXTS
from workbench.core.errors import MissingError
from workbench.core.records import Passage, Query
from workbench.models.local import find_model
from workbench.retrieval.encoders.sentence_transformers import SpladeEncoder
from workbench.retrieval.sparse import SparseEncoder


def passages(*texts: str) -> list[Passage]:
    return [Passage(str(i), "d", "", "en", text) for i, text in enumerate(texts)]


@pytest.fixture(scope="module")
def splade(splade_folder: Path) -> SpladeEncoder:
    return SpladeEncoder(find_model(str(splade_folder)), device="cpu", batch=2)


def test_it_is_a_sparse_encoder_over_the_vocabulary(splade: SpladeEncoder, splade_folder: Path) -> None:
    from transformers import AutoTokenizer

    assert isinstance(splade, SparseEncoder)
    assert splade.vocabulary == len(AutoTokenizer.from_pretrained(splade_folder))


def test_weights_are_the_formula_of_splade_max(splade: SpladeEncoder, splade_folder: Path) -> None:
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(splade_folder)(TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        logits = AutoModelForMaskedLM.from_pretrained(splade_folder)(**tokens).logits[0]
    expected = torch.log1p(torch.relu(logits)).max(dim=0).values.numpy()
    weights = splade.encode_passages(passages(TEXTS[0])).toarray()[0]
    assert np.allclose(weights, expected, atol=1e-4)


def test_the_order_of_the_texts_is_kept(splade: SpladeEncoder) -> None:
    forward, backward = splade.encode_passages(passages(*TEXTS)), splade.encode_passages(passages(*TEXTS[::-1]))
    assert np.allclose(forward.toarray(), backward.toarray()[::-1], atol=1e-4)


def test_a_text_of_white_space_has_an_empty_row(splade: SpladeEncoder) -> None:
    weights = splade.encode_queries([Query(text, "en", ("en",)) for text in (" ", "cat")])
    assert [weights[0].nnz, weights[1].nnz > 0] == [0, True]


def test_no_text_gives_no_row(splade: SpladeEncoder) -> None:
    assert splade.encode_passages([]).shape == (0, splade.vocabulary)


def test_active_keeps_only_the_highest_weights(splade_folder: Path, splade: SpladeEncoder) -> None:
    few = SpladeEncoder(find_model(str(splade_folder)), device="cpu", active=5).encode_passages(passages(TEXTS[0]))
    all_of_it = splade.encode_passages(passages(TEXTS[0]))
    assert few.nnz == 5
    assert np.allclose(sorted(few.data), sorted(all_of_it.data)[-5:], atol=1e-5)


def test_a_model_without_a_language_model_head_is_refused(bge_m3_folder: Path) -> None:
    with pytest.raises(MissingError, match="is not a SPLADE model"):
        SpladeEncoder(find_model(str(bge_m3_folder)))
