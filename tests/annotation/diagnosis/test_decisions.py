"""The rules alone: from what was observed and tried to a label, in their order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.annotation.diagnosis.proposal import TAXONOMY, CaseFacts, CaseTrial, TrialKind, decide
from workbench.annotation.diagnosis.surface_matches import SurfaceMatch
from workbench.annotation.error_taxonomy import shipped_taxonomies

GIVEN = CaseFacts(right=False, bearing=("g",), is_known=True, given=("a", "g", "b"), bearing_given=("g",))
LACKING = CaseFacts(right=False, bearing=("g",), is_known=True, given=("a", "b"), rank=30, depth=200)


def trial(kind: TrialKind, right: bool | None, words: str = "A change") -> CaseTrial:
    return CaseTrial(kind, words, "text", "en", right)


@pytest.mark.parametrize(
    ("facts", "trials", "label"),
    [
        (CaseFacts(right=True), [], "not-wrong"),
        (CaseFacts(right=False, unusable="no gold"), [], ""),
        (CaseFacts(right=False, unanswerable=True), [], "answer-not-in-corpus"),
        (CaseFacts(right=False, sections_missing=True), [], "format"),
        (CaseFacts(right=False, sections_missing=True, unanswerable=True), [], "format"),
        (CaseFacts(right=False, match=SurfaceMatch("wrong-language", "a", "a", "en")), [], "wrong-language"),
        (CaseFacts(right=False, untried="no corpus"), [], ""),
        (CaseFacts(right=False), [], "answer-not-in-corpus"),
        (LACKING, [trial("gold-given", True)], "not-retrieved"),
        (LACKING, [trial("gold-given", None)], "not-retrieved"),
        (LACKING, [trial("gold-given", False)], "not-retrieved"),
        (LACKING, [trial("gold-given", False), trial("translated", True)], "not-retrieved"),
        (LACKING, [trial("unchanged", True), trial("gold-given", True)], ""),
        (GIVEN, [trial("gold-given", True), trial("left-out", True)], "misled-by-document"),
        (GIVEN, [trial("gold-given", True), trial("left-out", False)], "misled-by-document"),
        (GIVEN, [trial("gold-given", False)], "reader-error"),
        (GIVEN, [trial("gold-given", False), trial("translated", True)], "foreign-documents"),
        (GIVEN, [trial("answer-in-ul", True), trial("gold-given", False)], "wrong-language"),
        (GIVEN, [trial("unchanged", None), trial("gold-given", None)], ""),
    ],
)
def test_the_first_rule_that_applies_decides(facts: CaseFacts, trials: list[CaseTrial], label: str) -> None:
    proposal = decide(facts, trials)
    assert proposal.label == label
    assert proposal.evidence
    assert proposal.trials == tuple(trials)


def test_every_label_of_the_rules_is_one_that_people_can_give() -> None:
    keys = next(item.keys for item in shipped_taxonomies() if item.name == TAXONOMY)
    labels = {decide(facts, trials).label for facts, trials in ((GIVEN, [trial("left-out", True)]), (LACKING, []))}
    assert labels | {"inflected-form", "transliterated-name", "code-switched", "wrong-language"} <= set(keys)


def test_a_document_in_a_language_that_is_not_searched_is_named_as_the_reason() -> None:
    facts = CaseFacts(right=False, bearing=("g",), is_known=True, outside_scope=True, given=("a",))
    assert "languages that the recipe does not search" in decide(facts, [trial("gold-given", True)]).evidence[0]


def test_a_passage_that_only_contains_the_gold_does_not_blame_the_reader() -> None:
    facts = CaseFacts(right=False, bearing=("g",), is_known=False, given=("a",))
    assert decide(facts, [trial("gold-given", False)]).label == ""


def test_a_search_that_failed_alone_is_told_from_one_that_is_not_all() -> None:
    mended, not_mended, translated = (
        decide(LACKING, trials).evidence[-1]
        for trials in (
            [trial("gold-given", True)],
            [trial("gold-given", False)],
            [trial("gold-given", False), trial("translated", True)],
        )
    )
    assert mended == "Given the right documents, the answer is right."
    assert not_mended.startswith("A better search alone does not fix it")
    assert translated.endswith("only when they are translated to English.")


def test_what_could_not_be_run_again_is_judged_by_what_was_given() -> None:
    all_bear = CaseFacts(right=False, bearing=("g",), is_known=True, given=("g",), bearing_given=("g",))
    untried = decide(all_bear, [trial("unchanged", None), trial("gold-given", None)])
    assert (untried.label, untried.evidence) == (
        "reader-error",
        ("Every document that was given answers the question.",),
    )
    alone = decide(all_bear, [trial("gold-given", True)])
    assert alone.label == "" and "though all that were given answer the question" in alone.evidence[0]


def test_a_search_that_a_deeper_retrieval_mends_says_so() -> None:
    unranked = replace(LACKING, rank=None)
    proposal = decide(unranked, [trial("gold-given", True), trial("deeper", True)])
    assert proposal.evidence == (
        "No document that answers the question is among the first 200.",
        "Given the right documents, the answer is right.",
        "So it is with a deeper retrieval.",
    )
