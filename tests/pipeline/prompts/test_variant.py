"""The six variants and what each asks for."""

import pytest

from workbench.core.errors import UsageError
from workbench.pipeline.prompts.variants import DEFAULT_VARIANT, VARIANTS, answer_language, entities_in, variant


def test_the_variants_are_the_six_of_the_paper_in_its_order() -> None:
    assert [item.name for item in VARIANTS] == [
        "reply-short-en",
        "reply-short-same-lang-en",
        "reply-short-in-ul-en",
        "reply-short-ul",
        "reply-short-in-ul-ul",
        "reply-short-in-ul-ne-ul",
    ]


def test_the_default_is_the_papers_best_one() -> None:
    assert variant(DEFAULT_VARIANT).prompt_language == "ul"
    assert variant(DEFAULT_VARIANT).asks_answer_in == "ul"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reply-short-en", ""),
        ("reply-short-same-lang-en", "fi"),
        ("reply-short-in-ul-en", "fi"),
        ("reply-short-ul", ""),
        ("reply-short-in-ul-ul", "fi"),
        ("reply-short-in-ul-ne-ul", "fi"),
    ],
)
def test_the_answer_language_is_the_users_where_the_variant_names_one(name: str, expected: str) -> None:
    assert answer_language(name, "fi") == expected


def test_only_the_last_variant_asks_for_names_in_the_users_alphabet() -> None:
    assert [entities_in(item.name, "ru") for item in VARIANTS] == ["", "", "", "", "", "ru"]


def test_an_unknown_variant_is_refused_with_the_allowed_names_and_what_to_type() -> None:
    with pytest.raises(UsageError) as caught:
        variant("reply-long")
    assert "“reply-long”" in str(caught.value)
    assert "reply-short-ul" in str(caught.value)
    assert "--prompt reply-short-in-ul-ul" in str(caught.value)
