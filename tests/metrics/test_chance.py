"""The level of chance: other questions' golds as answers."""

from workbench.languages.catalogue import language
from workbench.metrics.case_report import chance_level
from workbench.metrics.catalogue import MEASURES

EN = language("en")


def test_golds_without_a_common_gram_have_a_level_of_zero() -> None:
    level = chance_level(MEASURES["char3_recall"], [["abcd"], ["efgh"], ["ijkl"]], EN)
    assert (level.mean, level.n) == (0.0, 15)


def test_golds_with_common_grams_have_their_share() -> None:
    # each has 3 grams, of which the other has "ing"
    level = chance_level(MEASURES["char3_recall"], [["xxing"], ["yying"]], EN)
    assert level.mean is not None and abs(level.mean - 1 / 3) < 1e-12


def test_an_equal_gold_is_a_right_answer_and_not_chance() -> None:
    assert chance_level(MEASURES["char3_recall"], [["yes"], ["yes"]], EN).n == 0


def test_one_question_has_no_other() -> None:
    assert chance_level(MEASURES["char3_recall"], [["yes"]], EN).mean is None


def test_the_same_seed_gives_the_same_level() -> None:
    golds = [[word] for word in ("London", "Lyon", "Lisbon", "Lublin", "Berlin")]
    first, second = (chance_level(MEASURES["char3_recall"], golds, EN, seed=3) for _ in range(2))
    assert first == second
