"""The claims of a dialectic answer, read from its argument."""

from __future__ import annotations

import csv
import io

import pytest

from tests.fakes import answer, evidence
from workbench.app.answer_parts import answer_claims, argument_claims, citations, claims_csv
from workbench.core.records import Answer, AnswerClaim, Generation, Sections, Span


def argued(argumentation: str, explanation: str = "") -> Answer:
    """An answer with these sections over two English documents and two French ones."""
    english, french = evidence("a", "b"), evidence("a", "b", "c", "d", language="fr")[2:]
    return answer(passages=(*english, *french), sections=Sections("", explanation, argumentation, "Marconi"))


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("[2] says so", (2,)),
        ("[1], [2] and [4] agree", (1, 2, 4)),
        ("[1, 3] agree", (1, 3)),
        ("[1]–[3] agree", (1, 2, 3)),
        ("[1-3] agree", (1, 2, 3)),
        ("in 1851 [1851] and [x]", ()),
        ("[7] is not among them", ()),
    ],
)
def test_documents_are_cited_by_rank(text: str, ranks: tuple[int, ...]) -> None:
    assert citations(text, [1, 2, 3, 4]) == ranks


def test_each_statement_that_cites_documents_is_a_claim_with_their_languages() -> None:
    claims = argument_claims(argued("Documents [1] and [3] point to Popov.\n- [2] points to Marconi. They differ."))
    assert [(claim.text, claim.ranks, claim.languages) for claim in claims] == [
        ("Documents [1] and [3] point to Popov.", (1, 3), ("en", "fr")),
        ("[2] points to Marconi.", (2,), ("en",)),
    ]


def test_an_argument_that_cites_nothing_leaves_it_to_the_explanation() -> None:
    (claim,) = argument_claims(argued("They differ.", "[4] says Popov."))
    assert (claim.part, claim.ranks) == ("explanation", (4,))


def test_an_answer_without_sections_has_no_claims() -> None:
    assert argument_claims(answer()) == ()


def test_the_table_is_numbered_and_holds_no_formula() -> None:
    rows = list(csv.reader(io.StringIO(claims_csv(argument_claims(argued("=[1] and [3] agree."))))))
    assert rows[1][0] == "1"
    assert rows[1][2] != "=[1] and [3] agree."
    assert rows[1][3:] == ["1 3", "en fr"]


def test_an_answers_claims_are_those_that_its_generator_names() -> None:
    claims = (AnswerClaim("Popov.", (Span(1, 0, 6),)), AnswerClaim("Marconi.", (Span(2, 0, 8), Span(1, 7, 15))))
    generated = Generation("Popov. … Marconi.", claims=claims)
    assert answer_claims(answer(text="Popov. … Marconi.", generation=generated)) == claims


def test_an_answer_that_does_not_consist_of_them_is_one_claim_with_all_its_sources() -> None:
    generated = Generation("Popov.", (Span(1, 0, 6),), claims=(AnswerClaim("Popov.", (Span(1, 0, 6),)),))
    translated = answer(text="Попов.", generation=generated)
    assert answer_claims(translated) == (AnswerClaim("Попов.", (Span(1, 0, 6),)),)
    assert answer_claims(answer(text=" ")) == ()


def test_a_claim_says_that_its_documents_are_one_text_in_several_languages() -> None:
    (claim,) = argument_claims(argued("Documents [1] and [3] (one passage, in English and French) point to Talbot."))
    assert claim.support == "one text in 2 languages"
    (claim,) = argument_claims(argued("Documents [1] and [3] point to Talbot."))
    assert claim.support == "", "nothing says that they translate each other"
