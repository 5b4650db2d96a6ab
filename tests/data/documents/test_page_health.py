"""Text layers that do not say what the page shows are noticed, and sound ones are not taken for broken."""

from __future__ import annotations

import pytest

from benchmarks.documents.breaking_layers import ENGLISH, LAYERS, broken_layer
from benchmarks.documents.printing import texts
from workbench.data.corpora.sample import content
from workbench.data.documents.pdf.pdf_pages import PageFacts, page_fault


@pytest.mark.parametrize("name", LAYERS)
def test_a_broken_layer_is_noticed(name: str) -> None:
    font = "KrutiDev010" if name.startswith("font") else "Noto Sans"
    text = broken_layer(name)
    assert page_fault(PageFacts(text, (font,), stated=text)) is not None


@pytest.mark.parametrize("code", texts())
def test_a_text_as_written_is_sound(code: str) -> None:
    assert page_fault(PageFacts(texts()[code])) is None


def test_no_article_of_the_sample_counts_as_broken() -> None:
    pages = [PageFacts(passage.text) for passage in content.passages()]
    assert [page.text for page in pages if page_fault(page)] == []


def test_an_image_without_text_is_a_scan_and_an_empty_page_is_sound() -> None:
    scan = page_fault(PageFacts("", has_image=True))
    assert scan is not None and scan.kind == "scan" and scan.is_lost
    assert page_fault(PageFacts("")) is None
    assert page_fault(PageFacts(ENGLISH, has_image=True)) is None


def test_glyphs_without_a_text_are_noticed() -> None:
    fault = page_fault(PageFacts(ENGLISH, glyphs=500, glyphs_without_text=80))
    assert fault is not None and fault.kind == "unmapped"


def test_shapes_that_were_turned_into_letters_are_not_lost() -> None:
    text = broken_layer("shapes for letters (ar)")
    fault = page_fault(PageFacts(texts()["ar"], stated=text))
    assert fault is not None and not fault.is_lost


def test_a_page_in_nastaliq_type_is_named() -> None:
    fault = page_fault(PageFacts(texts()["ur"], ("/AAAAAA+NotoNastaliqUrdu-Bold",)))
    assert fault is not None and fault.kind == "font"
