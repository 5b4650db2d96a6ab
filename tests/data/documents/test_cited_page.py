"""Where a passage stands, in words, and its page as an image with the place marked."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from workbench.core.errors import DataError
from workbench.core.records import Evidence, Passage, Span, Translation
from workbench.data.browsing import ENDINGS, CitedPage, citation, cited_page, marked_image, page_images
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.documents.isolated_reading import ShownPage
from workbench.data.documents.isolated_worker import BY_NAME, ZIPPED
from workbench.data.documents.pdf.line_assembly import PageLine
from workbench.data.documents.pdf.pdf_pages import sentence_boxes

PASSAGE = Passage("a", "report.pdf", "Report", "en", "Ships sail. Trains run.", page=7, page_end=7, heading="Travel")


def _corpus(folder: Path) -> CorpusLibrary:
    file = folder / "report.pdf"
    file.write_bytes(b"%PDF-1.4 of a test")
    library = CorpusLibrary(folder / "corpora")
    library.add("mine", [PASSAGE], source="test", licence="", files=lambda: {"report.pdf": file})
    return library


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "report.pdf, page 7"),
        ({"page_end": 1_208, "page": 1_207}, "report.pdf, pages 1,207 to 1,208"),
        ({"document": "notes.md", "page": 0, "page_end": 0}, "notes.md"),
        ({"document": "rows.csv#12", "page": 0, "page_end": 0, "heading": ""}, "rows.csv#12"),
        ({"document": "radio", "page": 0, "page_end": 0, "heading": ""}, ""),
    ],
)
def test_a_passage_is_cited_by_its_file_and_page(changes: dict[str, object], words: str) -> None:
    assert citation(replace(PASSAGE, **changes)) == words  # type: ignore[arg-type]


def test_every_ending_that_is_read_counts_as_a_file() -> None:
    assert {f".{ending}" for ending in ENDINGS} == {*BY_NAME, *ZIPPED}


def test_the_sentences_of_an_answer_are_marked_and_without_them_the_passage(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path).open("mine")
    evidence = Evidence(PASSAGE, 2)
    page = cited_page(corpus, evidence, [Span(1, 0, 5), Span(2, 12, 23)])
    assert page is not None
    assert (list(page.numbers), page.sentences) == ([7], ("Trains run.",))
    page = cited_page(corpus, evidence, [])
    assert page is not None
    assert page.sentences == (PASSAGE.text,)


def test_what_was_cited_from_a_translation_marks_the_passage(tmp_path: Path) -> None:
    translation = Translation("Laivat purjehtivat.", "en", "fi", "model", None)
    evidence = Evidence(PASSAGE, 1, translation=translation)
    page = cited_page(_corpus(tmp_path).open("mine"), evidence, [Span(1, 0, 6)])
    assert page is not None
    assert page.sentences == (PASSAGE.text,)


def test_a_document_whose_file_is_not_kept_has_no_page(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path).open("mine")
    other = replace(PASSAGE, document="other.pdf")
    assert cited_page(corpus, Evidence(other, 1), []) is None
    assert cited_page(corpus, Evidence(replace(PASSAGE, page=0), 1), []) is None


def test_a_file_that_cannot_be_drawn_is_named_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(b"%PDF-1.4 of a test")
    with pytest.raises(DataError, match=r"report\.pdf"):
        page_images(CitedPage(file, "report.pdf", 1, 1, ("Ships sail.",)))


def test_of_a_passage_over_two_pages_each_page_has_its_part_marked() -> None:
    lines = [_line("Ships sail in the morning.", 700), _line("Trains run all day.", 680)]
    passage = "Ships sail in the morning.\n\nTrains run all day.\n\nBirds fly at night over the sea."
    assert len(sentence_boxes(lines, passage)) == 2
    assert len(sentence_boxes([_line("Birds fly at night over the sea.", 700)], passage)) == 1
    assert sentence_boxes([_line("Nothing of it.", 700)], passage) == []


def _line(text: str, bottom: float) -> PageLine:
    boxes = tuple((10.0 * place, bottom, 10.0 * place + 9, bottom + 12) for place in range(len(text)))
    return PageLine(text, boxes, (0.0, bottom, 10.0 * len(text), bottom + 12), 12.0)


def test_only_the_boxes_are_marked_and_the_letters_below_stay_dark() -> None:
    out = io.BytesIO()
    page = Image.new("RGB", (100, 100), "white")
    page.putpixel((30, 30), (0, 0, 0))
    page.save(out, "PNG")
    marked = Image.open(io.BytesIO(marked_image(ShownPage(out.getvalue(), [(0.2, 0.2, 0.2, 0.2)]))))
    assert [marked.getpixel(place) for place in ((30, 30), (35, 35), (80, 80))] == [
        (0, 0, 0),
        (255, 225, 90),
        (255, 255, 255),
    ]
