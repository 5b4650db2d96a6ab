"""The built-in encoder on a corpus small enough to see through."""

from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import DataError, MissingError
from workbench.core.protocols import Encoder
from workbench.core.records import Passage, Query
from workbench.retrieval.encoders.builtin_encoder import BuiltinEncoder, reservoir_sample

TEXTS = {
    "en": ["The lake freezes in winter.", "Bread is baked in an oven.", "The Tolstoy museum opens at nine."],
    "fi": ["Järvi jäätyy talvella.", "Leipä paistetaan uunissa.", "Tolstoin museo avataan yhdeksältä."],
    "ru": ["Озеро замерзает зимой.", "Хлеб пекут в печи.", "Музей Толстого открывается в девять."],
}
ALL = [text for texts in TEXTS.values() for text in texts]
GROUPS = [[(code, texts[i]) for code, texts in TEXTS.items()] for i in range(3)]


def passages(code: str) -> list[Passage]:
    return [Passage(f"{code}{i}", f"{code}{i}", "", code, text) for i, text in enumerate(TEXTS[code])]


def nearest(encoder: BuiltinEncoder, question: str, code: str, among: str) -> int:
    vectors = encoder.encode_passages(passages(among))
    return int((vectors @ encoder.encode_queries([Query(question, code, (among,))])[0]).argmax())


@pytest.fixture(scope="module")
def aligned() -> BuiltinEncoder:
    return BuiltinEncoder.fit(ALL, GROUPS)


def test_it_is_an_encoder(aligned: BuiltinEncoder, tmp_path: Path) -> None:
    aligned.save(tmp_path)
    assert isinstance(aligned, Encoder)


@pytest.mark.parametrize(("question", "expected"), [("milloin järvi jäätyy?", 0), ("missä leipä paistetaan?", 1)])
def test_with_translations_a_question_finds_the_passage_in_another_language(
    aligned: BuiltinEncoder, question: str, expected: int
) -> None:
    assert nearest(aligned, question, "fi", "en") == expected
    assert nearest(aligned, question, "fi", "ru") == expected


def test_without_translations_a_shared_name_finds_the_passage_in_another_script() -> None:
    encoder = BuiltinEncoder.fit(ALL, [])
    assert nearest(encoder, "Когда открывается музей Толстого?", "ru", "en") == 2


def test_vectors_have_length_1(aligned: BuiltinEncoder) -> None:
    vectors = aligned.encode_passages(passages("en"))
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, aligned.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("text", ["", "?!", "77"])
def test_a_text_it_knows_nothing_of_is_a_zero_row(aligned: BuiltinEncoder, text: str) -> None:
    encoded = aligned.encode_queries([Query(text, "xx", ("en",)), Query("lake", "en", ("en",))])
    assert not encoded[0].any()
    assert encoded[1].any()


def test_a_question_has_the_same_vector_alone_and_among_others() -> None:
    letters = np.random.default_rng(1).choice(list("abcdefghijklmnop "), (300, 60))
    texts = ["".join(row) for row in letters]
    encoder = BuiltinEncoder.fit(texts, [[("en", text), ("fi", text[::-1])] for text in texts])
    queries = [Query(text[:30], "en", ()) for text in texts[:50]]
    alone = [encoder.encode_queries([query]) for query in queries]
    assert np.array_equal(encoder.encode_queries(queries), np.vstack(alone))


def test_saved_and_opened_it_gives_the_same_vectors_under_the_same_identity(
    aligned: BuiltinEncoder, tmp_path: Path
) -> None:
    aligned.save(tmp_path)
    opened = BuiltinEncoder.open(tmp_path)
    assert opened.identity == aligned.identity
    assert np.array_equal(opened.encode_passages(passages("ru")), aligned.encode_passages(passages("ru")))


def test_fitted_twice_on_one_corpus_it_is_the_same_encoder(aligned: BuiltinEncoder, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    aligned.save(tmp_path / "a")
    again = BuiltinEncoder.fit(ALL, GROUPS)
    again.save(tmp_path / "b")
    assert again.identity == aligned.identity


def test_fitted_on_other_text_it_has_another_identity(aligned: BuiltinEncoder, tmp_path: Path) -> None:
    aligned.save(tmp_path)
    before = aligned.identity
    other = BuiltinEncoder.fit(ALL[:4], GROUPS)
    other.save(tmp_path)
    assert other.identity != before


def test_one_text_is_enough() -> None:
    assert nearest(BuiltinEncoder.fit(["One lake."], []), "lake", "en", "en") == 0


def test_a_corpus_without_text_is_refused() -> None:
    with pytest.raises(DataError, match="no text"):
        BuiltinEncoder.fit(["", " "], [])


def test_a_missing_encoder_is_missing_and_a_damaged_one_is_damaged(aligned: BuiltinEncoder, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no encoder"):
        BuiltinEncoder.open(tmp_path)
    aligned.save(tmp_path)
    (tmp_path / "sounds.map.npy").write_bytes(b"not an array")
    with pytest.raises(DataError, match="damaged"):
        BuiltinEncoder.open(tmp_path)


def test_a_sample_is_everything_in_order_where_it_fits() -> None:
    assert reservoir_sample(iter("abc"), 5) == ["a", "b", "c"]
    assert len(set(reservoir_sample(range(1000), 10))) == 10
