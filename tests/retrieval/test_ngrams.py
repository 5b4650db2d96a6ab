"""Hashed character n-grams and the forms of a text they are taken from."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from workbench.retrieval.encoders.latent_space import count_ngrams, latin_form, native_form, skeleton

WIDTH = 1 << 16


def total(text: str, n: int, *, within_words: bool = False) -> int:
    return int(count_ngrams([text], (n,), WIDTH, ["x"], within_words=within_words).sum())


def test_a_text_of_n_characters_has_n_minus_2_trigrams() -> None:
    assert total("abcdef", 3) == 4


def test_ngrams_within_words_hold_no_space_inside() -> None:
    # " ab", "ab ", " cd", "cd " and not "b c"
    assert total(" ab cd ", 3, within_words=True) == 4


def test_a_repeated_ngram_is_counted() -> None:
    assert count_ngrams(["aaaa"], (3,), WIDTH, ["x"]).max() == 2


def test_ngrams_do_not_reach_from_one_text_into_the_next() -> None:
    both = count_ngrams(["ab", "cd"], (3,), WIDTH, ["x", "x"])
    assert both.nnz == 0
    assert both.shape == (2, WIDTH)


def test_two_salts_make_two_features() -> None:
    rows = count_ngrams(["abc", "abc", "abc"], (3,), WIDTH, ["en", "de", "en"]).toarray()
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[1])


def test_hashing_is_the_same_on_every_machine() -> None:
    assert count_ngrams(["abc"], (3,), WIDTH, ["en"]).indices.tolist() == [5186]


@given(st.lists(st.text(max_size=12), min_size=1, max_size=5))
def test_a_text_is_counted_the_same_alone_and_in_a_batch(texts: list[str]) -> None:
    forms = [native_form(text) for text in texts]
    batch = count_ngrams(forms, (1, 2, 3), WIDTH, ["x"] * len(forms))
    alone = [count_ngrams([form], (1, 2, 3), WIDTH, ["x"]) for form in forms]
    assert all((batch[i] != row).nnz == 0 for i, row in enumerate(alone))


def test_a_latin_form_is_lower_case_ascii_words() -> None:
    assert latin_form("Москва, 1980!") == " moskva 1980 "


def test_a_text_without_letters_or_digits_has_an_empty_form() -> None:
    assert native_form("… !") == latin_form("") == skeleton("") == ""


@pytest.mark.parametrize("name", ["Picasso", "Пикассо"])
def test_a_name_has_one_skeleton_in_several_scripts(name: str) -> None:
    assert skeleton(latin_form(name)) == " bkss "
