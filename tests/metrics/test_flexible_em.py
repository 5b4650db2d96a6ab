"""Flexible exact match: containment on token borders, where the script has them."""

import pytest

from workbench.languages import language
from workbench.metrics.answers.flexible_em import flexible_em


@pytest.mark.parametrize(
    ("answer", "gold", "code", "expected"),
    [
        ("It was Marconi, in 1895.", "marconi", "en", 1.0),
        ("a party", "art", "en", 0.0),
        ("a party of art", "art", "en", 1.0),
        ("in 1895", "189", "en", 0.0),
        ("答案是北京市。", "北京", "zh", 1.0),
        ("成立于1895年", "1895", "zh", 1.0),
        ("ในกรุงเทพมีวัด", "กรุงเทพ", "th", 1.0),
        ("마르코니가 발명했다", "마르코니", "ko", 1.0),
        ("1895년에", "1895", "ko", 1.0),
        ("18953", "1895", "ko", 0.0),
        ("وماركوني اخترعه", "ماركوني", "ar", 1.0),
        ("سافر للقاهرة", "القاهرة", "ar", 1.0),
        ("زماركوني", "ماركوني", "ar", 0.0),
    ],
)
def test_a_gold_matches_only_as_a_complete_token(answer: str, gold: str, code: str, expected: float) -> None:
    assert flexible_em(answer, [gold], language=language(code)).value == expected


def test_a_gold_that_normalises_to_nothing_is_unscored() -> None:
    assert flexible_em("the", ["the", "?"], language=language("en")).value is None


def test_one_of_several_golds_is_enough() -> None:
    assert flexible_em("seven", ["7", "seven"], language=language("en")).value == 1.0
