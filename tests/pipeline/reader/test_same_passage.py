"""Documents that are one passage in several languages count once."""

from dataclasses import replace

from tests.pipeline.reader.readers import evidence
from workbench.core.records import Evidence
from workbench.pipeline.reader.claims import Claim, distinct_passages, passages_in_words
from workbench.pipeline.reader.sentence_ranking import Candidate


def claims(*items: Evidence, english: str = "") -> list[Claim]:
    """A claim per document: its text, or `english` where that is not empty."""
    return [
        Claim(
            Candidate(item, 0, len(item.text), 0.0),
            english or item.text,
            "en" if english else item.language,
            ("X",),
        )
        for item in items
    ]


def test_the_same_english_is_one_passage() -> None:
    items = evidence(("fi", "Yksi."), ("de", "Eins."), ("fr", "Un."))
    same = claims(*items, english="One.")
    assert distinct_passages(same) == [[1, 2, 3]]
    assert passages_in_words(same) == "one passage, in Finnish, German and French"


def test_an_aligned_corpus_says_itself_which_passages_are_one() -> None:
    one, other = evidence(("fi", "Yksi."), ("de", "Zwei."))
    aligned = [replace(item, passage=replace(item.passage, group="g")) for item in (one, other)]
    assert distinct_passages(claims(one, other)) == [[1], [2]]
    assert distinct_passages(claims(*aligned)) == [[1, 2]]


def test_two_passages_in_one_language_are_two() -> None:
    assert passages_in_words(claims(*evidence(("en", "One."), ("en", "Another.")))) == "English"
