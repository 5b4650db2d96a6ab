"""D-RAG's argument on the screen: languages line by line, citations that lead to documents, and bold."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tests.fakes import answer, evidence
from tests.screens.conftest import Open, html
from workbench.app.answer_parts import argument_claims
from workbench.core.records import Sections
from workbench.ui.ask import answer_view, documents
from workbench.ui.parts.safe_html import anchor_of, rich

ARABIC = evidence("a", "b", language="ar")
TEXTS = st.text(alphabet=st.sampled_from("*[]12 ,a<&\"'\n–"), max_size=60)


def test_each_line_of_the_extraction_is_in_its_documents_language() -> None:
    shown = answer_view.sections_card(Sections(extraction="[1] (ar) “نعم”\n[2] (ar) “لا”"), ARABIC)
    assert shown.count('<bdi class="wb-quoted" lang="ar" dir="auto">') == 2


def test_a_part_that_a_stopped_answer_did_not_reach_has_no_heading() -> None:
    shown = answer_view.sections_card(Sections(extraction="[1] (ar) “نعم”"), ARABIC)
    assert "Extraction" in shown and "Explanation" not in shown and "Dialectic argumentation" not in shown


def test_a_citation_leads_to_the_card_of_its_document() -> None:
    shown = answer_view.sections_card(Sections(argumentation="[1] and [2] agree; [9] does not exist."), ARABIC)
    assert f'href="#{anchor_of(1)}">[1]</a>' in shown
    assert f'href="#{anchor_of(2)}">[2]</a>' in shown
    assert "#document-9" not in shown
    assert f'id="{anchor_of(1)}"' in documents.documents_list(ARABIC, ())


def test_a_list_of_documents_has_a_link_for_each() -> None:
    assert rich("[1, 2]", [1, 2]).count("<a ") == 2


def test_bold_is_shown_as_bold_and_other_markdown_stays_text() -> None:
    assert rich("**Marconi** in *1896* [x](http://evil.example)") == (
        "<b>Marconi</b> in *1896* [x](http://evil.example)"
    )


def test_what_is_bold_is_escaped() -> None:
    assert rich("**<script>**") == "<b>&lt;script&gt;</b>"


@given(TEXTS)
def test_no_text_becomes_anything_but_bold_and_links_within_the_page(text: str) -> None:
    bare = rich(text, [1, 2])
    for ours in ("<b>", "</b>", "</a>", *(f'<a class="wb-jump" href="#{anchor_of(rank)}">' for rank in (1, 2))):
        bare = type(bare)(bare.replace(ours, ""))
    assert not set(bare) & set("<>\"'")


def test_the_claims_table_links_each_document_and_names_the_languages() -> None:
    argued = answer(passages=ARABIC, sections=Sections(argumentation="[1] and [2] agree."))
    shown = answer_view.claims_table(argument_claims(argued))
    assert f'href="#{anchor_of(2)}"' in shown
    assert "<small>ar</small>" in shown


def test_a_dialectic_answer_offers_no_table_where_its_argument_cites_nothing(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", mode="drag", ask="1")
    assert "third" in html(app)
    assert not [item for item in app.expander if item.label.startswith("Claims")]
