"""ROUGE against the package rouge-score with our words."""

from __future__ import annotations

import pytest

from tests.reference.texts import LANGUAGES, pairs, real_pairs
from workbench.languages.catalogue import language
from workbench.metrics.answers.flexible_em import units, usable_golds
from workbench.metrics.answers.ngram_overlap import rouge_l, rouge_n


class Units:
    """Our tokeniser in rouge-score's form."""

    def tokenize(self, text: str) -> list[str]:
        return units(text)


def theirs(answer: str, gold: str) -> dict[str, float]:
    rouge = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is not installed")
    scorer = rouge.RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=Units())
    return {name: score.fmeasure for name, score in scorer.score(gold, answer).items()}


def check(answer: str, gold: str, code: str) -> None:
    known = language(code)
    if not usable_golds([gold], known) or not units(gold):
        return
    expected = theirs(answer, gold)
    assert rouge_n(answer, [gold], 1, language=known).value == pytest.approx(expected["rouge1"])
    assert rouge_l(answer, [gold], language=known).value == pytest.approx(expected["rougeL"])
    if len(units(gold)) > 1:
        assert rouge_n(answer, [gold], 2, language=known).value == pytest.approx(expected["rouge2"])


def test_it_agrees_on_random_texts() -> None:
    for answer, golds in pairs(400, seed=7):
        check(answer, golds[0], "en")


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_agrees_on_real_texts(code: str) -> None:
    for answer, (gold,) in real_pairs(code, 60):
        check(answer, gold, code)


def test_the_peer_itself_scores_identical_chinese_and_russian_texts_nought() -> None:
    rouge = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is not installed")
    scorer = rouge.RougeScorer(["rougeL"])
    for text, code in (("埃菲尔铁塔位于巴黎", "zh"), ("Эйфелева башня в Париже", "ru")):
        assert scorer.score(text, text)["rougeL"].fmeasure == 0.0
        assert rouge_l(text, [text], language=language(code)).value == 1.0
