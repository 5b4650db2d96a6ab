"""What a language adds to all of its vectors is taken away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError
from workbench.core.protocols import FloatArray
from workbench.core.records import Passage, Query
from workbench.languages.catalogue import CHIRKOVA_LANGUAGES
from workbench.retrieval.encoders.e5_small_encoder import MEANS
from workbench.retrieval.encoders.language_means import CentredEncoder, LanguageMeans


def vector(*numbers: float) -> FloatArray:
    return np.array(numbers, dtype=np.float32)


class Fixed:
    """An encoder that gives every text the same vector, or none to a blank one."""

    identity = "fixed"
    dimensions = 2

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        return np.array([[0.6, 0.8] if passage.text.strip() else [0, 0] for passage in passages], dtype=np.float32)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        return np.array([[0.6, 0.8] for _ in queries], dtype=np.float32)


def test_the_mean_of_the_language_is_taken_out_and_the_rest_has_length_one() -> None:
    means = LanguageMeans({"fi": vector(0.6, 0)})
    centred = means.centred(vector(0.6, 0.8)[None], ["fi"], 0.5)
    expected = np.array([0.3, 0.8]) / np.hypot(0.3, 0.8)
    assert np.allclose(centred[0], expected, atol=1e-6)


def test_english_is_the_reference_and_stays() -> None:
    means = LanguageMeans({"fi": vector(0.6, 0)})
    assert np.allclose(means.centred(vector(0.6, 0.8)[None], ["en"], 1.0), [[0.6, 0.8]])


def test_a_language_without_a_mean_takes_the_mean_of_all() -> None:
    means = LanguageMeans({"fi": vector(0.4, 0), "et": vector(0, 0.4)})
    assert np.allclose(
        means.centred(vector(0.6, 0.8)[None], ["liv"], 1.0),
        means.centred(vector(0.6, 0.8)[None], ["x"], 1.0),
    )
    alone = LanguageMeans({"liv": vector(0.2, 0.2)})
    assert np.allclose(
        means.centred(vector(0.6, 0.8)[None], ["liv"], 1.0), alone.centred(vector(0.6, 0.8)[None], ["liv"], 1.0)
    )


def test_strength_nought_changes_nothing() -> None:
    means = LanguageMeans({"fi": vector(0.6, 0)})
    assert np.allclose(means.centred(vector(0.6, 0.8)[None], ["fi"], 0.0), [[0.6, 0.8]])


def test_a_zero_row_stays_zero() -> None:
    centred = CentredEncoder(Fixed(), LanguageMeans({"fi": vector(0.6, 0)}))
    assert not centred.encode_passages([Passage("p", "d", "", "fi", " ")]).any()


def test_questions_and_passages_are_centred_alike() -> None:
    centred = CentredEncoder(Fixed(), LanguageMeans({"fi": vector(0.6, 0)}))
    passages = centred.encode_passages([Passage("p", "d", "", "fi", "talo")])
    assert np.allclose(passages, centred.encode_queries([Query("talo", "fi", ())]))


def test_a_table_comes_back_as_it_was_to_float16(tmp_path: Path) -> None:
    LanguageMeans({"fi": vector(0.1, 0.2)}).save(tmp_path / "means.npz")
    again = LanguageMeans.open(tmp_path / "means.npz")
    assert again.languages == ("fi",)
    assert np.allclose(
        again.centred(vector(0.6, 0.8)[None], ["fi"], 1.0),
        LanguageMeans({"fi": vector(0.1, 0.2)}).centred(vector(0.6, 0.8)[None], ["fi"], 1.0),
        atol=1e-3,
    )


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"not a table"])
def test_a_damaged_table_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "means.npz").write_bytes(content)
    with pytest.raises(DataError, match="cannot be read"):
        LanguageMeans.open(tmp_path / "means.npz")


def test_strength_and_table_are_part_of_the_identity() -> None:
    one, other = LanguageMeans({"fi": vector(0.6, 0)}), LanguageMeans({"fi": vector(0, 0.6)})
    identities = {
        CentredEncoder(Fixed(), one).identity,
        CentredEncoder(Fixed(), other).identity,
        CentredEncoder(Fixed(), one, 0.5).identity,
    }
    assert len(identities) == 3


def test_the_shipped_table_has_every_language_of_the_sample() -> None:
    assert set(CHIRKOVA_LANGUAGES) - {"en"} <= set(LanguageMeans.open(MEANS).languages)
