"""How answers, documents, steps and languages are drawn."""

from tests.fakes import answer, evidence
from workbench.core.records import AnswerClaim, Evidence, Generation, Passage, Sections, Span, Step, Translation
from workbench.pipeline.recipe import make_recipe
from workbench.ui.ask import answer_view, documents
from workbench.ui.data import data_view
from workbench.ui.parts import badges

RECIPE = make_recipe({})
PAYLOAD = "<script>alert(1)</script>"


def test_counts_are_drawn_where_languages_differ_in_them() -> None:
    assert data_view.languages_text({"en": 52, "fi": 4}) == "English (en) 52, Suomi (fi) 4"
    many = {"en": 52, "fi": 4, "ar": 5, "th": 5, "zh": 5}
    assert data_view.languages_text(many) == "5 languages, 4 to 52 each"


def test_the_answer_says_when_its_language_is_not_the_users() -> None:
    card = answer_view.answer_card(answer(language="fi"), RECIPE)
    assert "The answer is in English; the question was asked in Finnish." in card


def test_an_answer_in_the_users_language_says_nothing_of_it() -> None:
    assert "The answer is in" not in answer_view.answer_card(answer(), RECIPE)


def test_an_empty_answer_says_so_and_shows_the_readers_note() -> None:
    card = answer_view.answer_card(answer(text="", generation=Generation("", note="Nothing to quote.")), RECIPE)
    assert "No answer" in card
    assert "Nothing to quote." in card


def test_a_translated_question_shows_the_translation_its_kind_and_match() -> None:
    card = answer_view.answer_card(answer(question_translation=Translation("Who?", "fi", "en", "fuzzy", 0.87)), RECIPE)
    assert "near match in the translation memory" in card
    assert "87% match" in card


def test_no_figure_is_called_confidence() -> None:
    shown = answer_view.answer_card(answer(), RECIPE) + documents.documents_list(answer().evidence, ())
    assert "confidence" not in shown.casefold()


def test_payloads_in_question_answer_note_document_and_title_are_escaped() -> None:
    passages, generation = evidence(PAYLOAD, title=PAYLOAD), Generation(PAYLOAD, (Span(1, 0, 5),), PAYLOAD)
    result = answer(PAYLOAD, text=PAYLOAD, generation=generation, passages=passages)
    shown = answer_view.answer_card(result, RECIPE) + documents.documents_list(passages, generation.spans)
    assert "<script" not in shown
    assert '<mark id="document-1-0">&lt;scri</mark>' in shown


def test_the_score_that_ranks_a_document_is_shown_and_that_of_every_stage_on_demand() -> None:
    shown = documents.documents_list(evidence("text"), ())
    assert "<summary>rank 1 · 1.00 relative</summary>" in shown
    assert "<bdi>lexical 2.500 · hybrid 1.000</bdi>" in shown


def test_spans_mark_the_translation_where_the_generator_read_it() -> None:
    passage = Passage("a", "a", "Sauna", "fi", "Löyly on höyryä.")
    item = Evidence(passage, 1, {}, Translation("Löyly is steam.", "fi", "en", "exact", 1.0))
    shown = documents.documents_list([item], [Span(1, 9, 14)])
    assert "Löyly on höyryä.</div>" in shown
    assert 'Löyly is <mark id="document-1-9">steam</mark>.' in shown


def test_a_translation_to_help_reading_is_shown_next_to_the_original_and_the_marks_stay_there() -> None:
    item = Evidence(Passage("a", "a", "Sauna", "fi", "Löyly on höyryä."), 1, {})
    shown = documents.documents_list(
        [item], [Span(1, 9, 15)], {1: Translation("Löyly is steam.", "fi", "en", "exact", 1.0)}
    )
    assert 'Löyly on <mark id="document-1-9">höyryä</mark>.' in shown
    assert "Löyly is steam." in shown


def test_a_span_of_another_rank_marks_nothing() -> None:
    assert "<mark" not in documents.documents_list(evidence("text"), [Span(2, 0, 3)])


def test_only_the_dialectic_sections_that_exist_are_shown() -> None:
    shown = answer_view.sections_card(Sections(extraction="one", argumentation="three", answer="x"))
    assert "Dialectic argumentation" in shown
    assert "Explanation" not in shown


def test_the_documents_and_their_languages_are_counted() -> None:
    shown = documents.heading([*evidence("a", "b"), *evidence("c", language="fi")])
    assert "Documents given to the generator (3)" in shown
    assert "English 2, Finnish 1" in shown


def test_each_step_has_a_bar_where_it_ran_and_its_tokens() -> None:
    steps = [Step("retrieve", "r", 0.1, True), Step("generate", "g", 0.3, False, {"tokens": "7 read", "note": "x"})]
    shown = answer_view.steps_table(steps)
    assert '<span class="wb-time wb-cached" style="--share:25.0%;--low:0.0%"></span>' in shown
    assert '<span class="wb-time" style="--share:75.0%;--low:25.0%"></span>' in shown
    assert "n = 2 steps" in shown
    assert "<td>7 read</td>" in shown and "note: x" in shown


def test_claims_are_a_list_and_each_has_the_documents_that_it_rests_on() -> None:
    claims = (AnswerClaim("Popov.", (Span(1, 0, 1), Span(1, 3, 4))), AnswerClaim("Marconi.", (Span(2, 0, 1),)))
    generation = Generation("Popov. … Marconi.", claims=claims)
    result = answer(text=generation.text, generation=generation, passages=evidence("Popov", "Marconi"))
    card = answer_view.answer_card(result, RECIPE)
    assert card.count("<li") == 2
    assert 'Popov. <a class="wb-jump" href="#document-1-0">[1]</a></li>' in card
    assert 'Marconi. <a class="wb-jump" href="#document-2-0">[2]</a></li>' in card
    assert "…" not in card


def test_a_language_nobody_described_is_shown_by_its_code() -> None:
    assert badges.language_words("xx") == "xx (xx)"


def test_the_first_thirteen_languages_have_different_hues() -> None:
    from workbench.languages.catalogue import CHIRKOVA_LANGUAGES

    assert len({badges.hue(code) for code in CHIRKOVA_LANGUAGES}) == len(CHIRKOVA_LANGUAGES)


def test_a_passage_has_the_colour_of_its_language_and_its_title_the_fonts() -> None:
    shown = data_view.passages_list([Passage("p1", "d1", "無線通信", "ja", "無線通信は電波を用いる。")])
    assert f"--hue:{badges.hue('ja')}" in shown
    assert '<bdi class="wb-title" lang="ja">無線通信</bdi>' in shown
