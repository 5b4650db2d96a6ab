"""The characters of an answer that match a gold: as the metric counts, in any script, and no more than the match."""

from __future__ import annotations

import pytest

from workbench.experiments.results.queries import instances as module
from workbench.experiments.results.queries.instances import gold_spans


def _marked(answer: str, golds: list[str], code: str) -> list[str]:
    return [answer[start:end] for start, end in gold_spans(answer, golds, code)]


@pytest.mark.parametrize(
    ("answer", "golds", "code", "marked"),
    [
        ("It was usually Thomas Edison.", ["Thomas Edison"], "en", ["Thomas Edison"]),
        ("Radion keksi Marconin veli.", ["Marconi"], "fi", ["Marconin"]),
        ("يوصف نهر النيل بأنه الأطول", ["نهر النيل"], "ar", ["نهر النيل"]),
        ("他出生在北京，后来离开。", ["北京"], "zh", ["北京"]),
        ("About 2,500 people.", ["2500"], "en", ["2,500"]),
        ("Rome, then Rome again", ["Rome"], "en", ["Rome", "Rome"]),
    ],
    ids=[
        "nothing around it",
        "a form of the word",
        "Arabic",
        "without spaces",
        "a number with separators",
        "each time",
    ],
)
def test_what_matches_a_gold_is_marked(answer: str, golds: list[str], code: str, marked: list[str]) -> None:
    assert _marked(answer, golds, code) == marked


@pytest.mark.parametrize(("answer", "gold"), [("a party", "art"), ("It was Bell.", "Marconi"), ("", "x"), ("x", "")])
def test_what_the_metric_counts_as_wrong_has_no_mark(answer: str, gold: str) -> None:
    assert _marked(answer, [gold], "en") == []


def test_a_language_that_is_not_known_has_no_marks() -> None:
    assert _marked("Marconi", ["Marconi"], "tlh") == []


def test_marks_end_where_the_searched_part_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHARACTERS", 10)
    assert _marked("Rome and also Rome", ["Rome"], "en") == ["Rome"]
