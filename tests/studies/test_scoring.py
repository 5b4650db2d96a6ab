"""Scores of a batch: by answer and by ranking, unscored where there is nothing to compare with."""

from __future__ import annotations

import pytest

from workbench.errors import UsageError
from workbench.records import Question
from workbench.studies.scoring import NO_GOLD_PASSAGE, NO_PASSAGES, Scorable, checked_metrics, score

WHO = Question("q1", "Who?", "en", ("Marconi",), ("a.en", "a.fi"))
LANGUAGES = {"a.en": "en", "a.fi": "fi"}


def scored(text: str, passages: tuple[str, ...], scope: tuple[str, ...]) -> dict[str, float | None]:
    (found,) = score(["flexible_em", "hit@1", "mrr"], [Scorable(WHO, text, passages, scope)], LANGUAGES)
    return {name: item.value for name, item in found.items()}


def test_an_answer_is_measured_by_its_text_and_its_passages() -> None:
    assert scored("Marconi", ("x", "a.en"), ("en",)) == {"flexible_em": 1.0, "hit@1": 0.0, "mrr": 0.5}


def test_gold_passages_that_were_not_found_are_a_zero() -> None:
    assert scored("nobody", ("x",), ("en",)) == {"flexible_em": 0.0, "hit@1": 0.0, "mrr": 0.0}
    assert scored("nobody", (), ("en",))["mrr"] == 0.0


def test_gold_passages_out_of_scope_are_unscored_with_the_reason() -> None:
    (found,) = score(["mrr"], [Scorable(WHO, "", ("x",), ("th",))], LANGUAGES)
    assert found["mrr"] == NO_GOLD_PASSAGE
    (found,) = score(["mrr"], [Scorable(WHO, "", (), ())], LANGUAGES)
    assert found["mrr"] == NO_PASSAGES


def test_each_item_keeps_its_own_scores() -> None:
    items = [
        Scorable(WHO, "Marconi", ("a.en",), ("en",)),
        Scorable(WHO, "nobody", ("a.en",), ("en",)),
        Scorable(WHO, "Marconi", ("x", "a.en"), ("en",)),
    ]
    found = score(["flexible_em", "mrr"], items, LANGUAGES)
    assert [(item["flexible_em"].value, item["mrr"].value) for item in found] == [(1.0, 1.0), (0.0, 1.0), (1.0, 0.5)]


def test_an_unknown_metric_is_named() -> None:
    with pytest.raises(UsageError, match="Unknown metric “beauty”"):
        checked_metrics(["flexible_em", "beauty"])
