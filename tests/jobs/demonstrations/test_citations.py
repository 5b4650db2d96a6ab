"""What an answer quotes stands in the document that it names."""

from __future__ import annotations

from workbench.core import Evidence, Passage
from workbench.jobs import citation_problem

KITE = "Lawrence Hargrave invented the box kite in Sydney."
DRACHE = "Der Kastendrachen wurde im Jahr 1893 erfunden."
DOCUMENTS = [
    Evidence(Passage("a", "a", "Kites", "en", KITE), 1),
    Evidence(Passage("b", "b", "Drachen", "de", DRACHE), 2),
]


def _problem(text: str) -> str:
    problem = citation_problem(text, "Who?", DOCUMENTS, lambda piece, _: "de" if piece == DRACHE else "en")
    return problem[1] if problem else ""


def test_a_quotation_of_the_document_that_is_named_holds() -> None:
    assert not _problem(f"[1] “{KITE}”\n[2] „{DRACHE}“")


def test_a_quotation_in_another_language_holds_as_a_translation_unless_it_stands_in_a_document_that_is_not_named() -> (
    None
):
    assert not _problem("[2] “The box kite was invented in the year 1893.”")
    assert _problem(f"[2] “{KITE}”") == f"[2] does not say “{KITE}”."
    assert _problem(f"[1] “{DRACHE}”") == f"[1] does not say “{DRACHE}”."
