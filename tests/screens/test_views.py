"""How answers, documents, steps and languages are drawn."""

from tests.fakes import answer, evidence
from workbench.core.records import Evidence, Generation, Passage, Sections, Span, Step, Translation
from workbench.pipeline.recipe import make_recipe
from workbench.ui.ask import answer_view, documents
from workbench.ui.data import data_view
from workbench.ui.parts import badges

RECIPE = make_recipe({})
PAYLOAD = "<script>alert(1)</script>"


def test_counts_are_drawn_where_languages_differ_in_them() -> None:
    assert data_view.differ({"en": 52, "fi": 4})
    assert not data_view.differ({"en": 52, "fi": 52})


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
    assert "<mark>&lt;scri</mark>" in shown


def test_every_score_is_shown_by_its_stage() -> None:
    shown = documents.documents_list(evidence("text"), ())
    assert "lexical <b><bdi>2.500" in shown
    assert "hybrid <b><bdi>1.000" in shown


def test_spans_mark_the_translation_where_the_generator_read_it() -> None:
    passage = Passage("a", "a", "Sauna", "fi", "Löyly on höyryä.")
    item = Evidence(passage, 1, {}, Translation("Löyly is steam.", "fi", "en", "exact", 1.0))
    shown = documents.documents_list([item], [Span(1, 9, 14)])
    assert "Löyly on höyryä.</div>" in shown
    assert "Löyly is <mark>steam</mark>." in shown


def test_a_translation_to_help_reading_is_shown_next_to_the_original_and_the_marks_stay_there() -> None:
    item = Evidence(Passage("a", "a", "Sauna", "fi", "Löyly on höyryä."), 1, {})
    shown = documents.documents_list(
        [item], [Span(1, 9, 15)], {1: Translation("Löyly is steam.", "fi", "en", "exact", 1.0)}
    )
    assert "Löyly on <mark>höyryä</mark>." in shown
    assert "Löyly is steam." in shown


def test_a_span_of_another_rank_marks_nothing() -> None:
    assert "<mark>" not in documents.documents_list(evidence("text"), [Span(2, 0, 3)])


def test_only_the_dialectic_sections_that_exist_are_shown() -> None:
    shown = answer_view.sections_card(Sections(extraction="one", argumentation="three", answer="x"))
    assert "Dialectic argumentation" in shown
    assert "Explanation" not in shown


def test_the_documents_languages_are_counted() -> None:
    shown = documents.languages_line([*evidence("a", "b"), *evidence("c", language="fi")])
    assert shown.index("English") < shown.index("× 2") < shown.index("Suomi") < shown.index("× 1")


def test_the_timings_have_one_bar_per_step_and_separate_the_cached_ones() -> None:
    figure = answer_view.timings_figure([Step("retrieve", "r", 0.02, True), Step("generate", "g", 0.5, False)])
    bars = {trace.name: (list(trace.y), list(trace.x)) for trace in figure.data}
    assert bars == {"fresh": (["generate"], [500.0]), "from the cache": (["retrieve"], [20.0])}
    assert "n = 2" in figure.layout.title.text


def test_a_language_nobody_described_is_shown_by_its_code() -> None:
    assert badges.language_words("xx") == "xx (xx)"


def test_the_first_thirteen_languages_have_different_hues() -> None:
    from workbench.languages.catalogue import CHIRKOVA_LANGUAGES

    assert len({badges.hue(code) for code in CHIRKOVA_LANGUAGES}) == len(CHIRKOVA_LANGUAGES)


def test_the_passages_chart_names_the_corpus_and_its_n() -> None:
    figure = data_view.counts_figure({"en": 2, "fi": 1}, "Passages", "mine")
    assert (list(figure.data[0].y), list(figure.data[0].x)) == (["English (en)", "Finnish (fi)"], [2, 1])
    assert figure.layout.title.text == "Passages per language, mine (n = 3)"


def test_a_long_name_has_a_line_of_its_own_in_the_title_of_the_chart() -> None:
    figure = data_view.counts_figure({"en": 2, "fi": 1}, "Passages", "wikipedia-paragraphs")
    assert figure.layout.title.text == "Passages per language, <br>wikipedia-paragraphs (n = 3)"


def test_a_passage_has_the_colour_of_its_language_and_its_title_the_fonts() -> None:
    shown = data_view.passages_list([Passage("p1", "d1", "無線通信", "ja", "無線通信は電波を用いる。")])
    assert f"--hue:{badges.hue('ja')}" in shown
    assert '<bdi class="wb-title" lang="ja">無線通信</bdi>' in shown
