"""The Ask screen over a fake workbench."""

import pytest

from tests.fakes import FakeWorkbench
from tests.screens.conftest import Open, codes, html, unfold
from workbench.core.errors import GenerationFailed
from workbench.ui.ask import controls
from workbench.ui.parts.access import UNEXPECTED
from workbench.ui.parts.page_state import NOT_AVAILABLE


def test_before_a_question_the_examples_are_shown_and_nothing_is_called(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask()
    assert "Scope matters" in html(app)
    assert not fake.requests
    assert not app.query_params


def test_pressing_ask_asks_in_the_detected_language_and_shows_the_answer(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask()
    app.text_input(key="ask_question").input("Kuka keksi radion?")
    app.button[0].click().run()
    assert [(text, code) for text, code, _ in fake.requests] == [("Kuka keksi radion?", "fi")]
    assert "Marconi" in html(app)


def test_a_link_restores_the_complete_choice_and_answers(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(
        q="Who?", lang="th", mode="drag", scope="en+ul", prompt="reply-short-en", k="3", corpus="mine", ask="1"
    )
    text, code, recipe = fake.requests[0]
    assert (text, code) == ("Who?", "th")
    assert (recipe.mode, recipe.scope, recipe.prompt, recipe.k, recipe.corpus) == (
        "drag",
        "en+ul",
        "reply-short-en",
        3,
        "mine",
    )
    assert app.text_input(key="ask_question").value == "Who?"
    assert "third" in html(app)


def test_the_url_holds_the_choice_after_a_change(open_ask: Open) -> None:
    app = unfold(open_ask(q="Who?", lang="en", ask="1"))
    app.segmented_control(key="ask_mode").set_value("trag").run()
    assert app.query_params["mode"] == "trag"
    assert app.query_params["scope"] == "en"


def test_a_mode_sets_its_default_scope_and_a_change_of_scope_is_called_a_departure(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en")
    app.segmented_control(key="ask_mode").set_value("monorag").run()
    assert app.segmented_control(key="ask_scope").value == "ul"
    assert "the paper searches" not in html(app)
    app.segmented_control(key="ask_scope").set_value("all").run()
    assert "monoRAG: the paper searches the user&#x27;s language; you search all languages" in html(app)


def test_a_fusion_of_ranks_or_scores_is_explained_where_several_languages_are_searched(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", retriever="rrf", scope="all")
    assert "its passage is ranked low" in html(app)
    app.segmented_control(key="ask_scope").set_value("ul").run()
    assert "its passage is ranked low" not in html(app)


def test_a_bad_link_gives_sentences_and_falls_back(open_ask: Open) -> None:
    app = open_ask(q="Who?", mode="<b>magic</b>", k="0")
    assert "Unknown mode “&lt;b&gt;magic&lt;/b&gt;”" in html(app)
    assert app.segmented_control(key="ask_mode").value == "multirag"


def test_a_url_with_unknown_parameters_does_not_fix_the_controls(open_ask: Open) -> None:
    app = open_ask(utm_source="mail")
    app.segmented_control(key="ask_mode").set_value("trag").run()
    assert app.segmented_control(key="ask_mode").value == "trag"
    assert app.query_params["mode"] == "trag"


def test_an_empty_question_gets_a_sentence(open_ask: Open) -> None:
    app = open_ask()
    app.button[0].click().run()
    assert "The question is empty." in html(app)


def test_a_question_of_ten_thousand_characters_gets_a_sentence(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask()
    app.text_input(key="ask_question").input("why " * 2500)
    app.button[0].click().run()
    assert "at most 2,000 are allowed" in html(app)
    assert not fake.requests


def test_an_error_of_the_workbench_is_shown_as_its_sentence(open_ask: Open, fake: FakeWorkbench) -> None:
    fake.raises = GenerationFailed("The generator <i>said</i> no.")
    assert "The generator &lt;i&gt;said&lt;/i&gt; no." in html(open_ask(q="Who?", lang="en", ask="1"))


def test_an_unexpected_error_shows_no_traceback(open_ask: Open, fake: FakeWorkbench) -> None:
    fake.raises = RuntimeError("secret detail")
    app = open_ask(q="Who?", lang="en", ask="1")
    assert UNEXPECTED.replace("'", "&#x27;") in html(app)
    assert "secret detail" not in html(app)
    assert not app.exception


def test_a_workspace_that_cannot_be_used_is_named(open_ask: Open, fake: FakeWorkbench) -> None:
    fake.raises = PermissionError(13, "Permission denied")
    assert "cannot be read or written (Permission denied)" in html(open_ask(q="Who?", lang="en", ask="1"))


def test_an_answer_is_kept_while_the_choice_stays_the_same(open_ask: Open, fake: FakeWorkbench) -> None:
    open_ask(q="Who?", lang="en", ask="1").run().run()
    assert len(fake.requests) == 1


def test_the_choice_outlives_a_visit_to_another_page(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", mode="drag", ask="1", **{"dialectic.explanation": "0"})
    app.switch_page("pages/home.py").run()
    unfold(app.switch_page("pages/ask.py").run())
    assert app.text_input(key="ask_question").value == "Who?"
    assert app.segmented_control(key="ask_mode").value == "drag"
    assert app.toggle(key="ask_explanation").value is False


def test_controls_that_the_browser_lost_are_set_again(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", mode="trag", k="3", ask="1"))
    app.text_input(key="ask_question").set_value("")
    app.segmented_control(key="ask_mode").set_value(None).run()
    assert app.text_input(key="ask_question").value == "Who?"
    assert app.segmented_control(key="ask_mode").value == "trag"
    assert app.segmented_control(key="ask_scope").value == "en"
    assert len(fake.requests) == 1


def test_a_question_typed_while_the_page_was_still_loading_is_asked(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", mode="trag", ask="1"))
    app.text_input(key="ask_question").set_value("When?")
    app.segmented_control(key="ask_mode").set_value(None)
    app.button[0].click().run()
    assert [question for question, _, _ in fake.requests] == ["Who?", "When?"]
    assert app.query_params["q"] == app.text_input(key="ask_question").value == "When?"
    assert app.query_params["mode"] == "trag"


def test_dialectic_options_outlive_a_change_of_mode(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", mode="drag", ask="1", **{"dialectic.explanation": "0"}))
    app.segmented_control(key="ask_mode").set_value("multirag").run()
    app.segmented_control(key="ask_mode").set_value("drag").run()
    assert fake.requests[-1][2].dialectic.explanation is False


def test_every_control_has_a_line_of_help(open_ask: Open) -> None:
    app = open_ask(mode="drag")
    controls = [*app.text_input, *app.selectbox, *app.number_input, *app.toggle, *app.segmented_control]
    assert len(controls) >= 13
    assert all(control.help for control in controls)


def test_no_text_of_a_question_or_document_reaches_markdown(open_ask: Open) -> None:
    app = open_ask(q="![x](http://evil.example/x.png)", lang="en", ask="1")
    assert not [item for item in (*app.markdown, *app.caption, *app.header) if "evil" in item.value]


def test_a_url_left_over_from_another_screen_does_not_cost_the_answer(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", mode="trag", ask="1")
    app.query_params.clear()
    app.query_params["dataset"] = "sample"
    app.run()
    assert app.text_input(key="ask_question").value == "Who?"
    assert "Marconi" in html(app)
    assert "dataset" not in app.query_params
    assert app.query_params["mode"] == "trag"
    assert len(fake.requests) == 1


def test_after_an_error_no_progress_remains_and_the_examples_are_still_offered(
    open_ask: Open, fake: FakeWorkbench
) -> None:
    fake.raises = GenerationFailed("It broke off.")
    app = open_ask(q="Who?", lang="en", ask="1")
    assert "It broke off." in html(app)
    assert not app.status
    assert "More examples" in [item.label for item in app.expander]


def test_after_an_empty_question_the_examples_are_still_offered(open_ask: Open) -> None:
    app = open_ask()
    app.button[0].click().run()
    assert "More examples" in [item.label for item in app.expander]


def test_a_scope_that_holds_nothing_offers_to_search_all_languages(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="th", mode="monorag", corpus="mine", ask="1")
    assert "so scope “ul” holds nothing" in html(app)
    assert not fake.requests
    next(button for button in app.button if button.label == "Search all languages").click().run()
    assert app.query_params["scope"] == "all"
    assert "Marconi" in html(app)


def test_no_message_of_the_screen_names_an_option_of_the_command_line(open_ask: Open) -> None:
    bad = {"mode": "x", "scope": "x", "prompt": "x", "corpus": "x", "lang": "KLINGON"}
    app = open_ask(q="Who?", **bad)
    shown = html(app)
    assert NOT_AVAILABLE in shown
    assert shown.count("“x”") + shown.count("“KLINGON”") == len(bad)
    assert " --" not in html(app)
    app = open_ask(q="Who?", lang="th", mode="monorag", corpus="mine", ask="1")
    assert "holds nothing" in html(app)
    assert " --" not in html(app)


def test_asking_again_leaves_the_cache_aside(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1")
    app.button(key="ask_again").click().run().run()
    assert fake.cached == [True, False]


def test_the_probability_of_a_detected_language_is_shown_and_none_for_a_selected_one(open_ask: Open) -> None:
    assert "detected, probability" in html(open_ask(q="Kuka keksi radion?", ask="1"))
    assert "detected, probability" not in html(open_ask(q="Kuka keksi radion?", lang="fi", ask="1"))


def test_pivot_explains_the_prompt_that_it_uses(open_ask: Open) -> None:
    shown = html(open_ask(mode="pivot"))
    assert "Prompt: in English" in shown
    assert "Prompt: Instruction and named answer language are both the user" not in shown


def test_all_missing_models_of_a_recipe_are_named_at_once(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1", encoder="bge-m3", reranker="bge-reranker-v2-m3")
    assert "2 components that cannot be used yet" in html(app)
    assert not fake.requests


def test_the_models_in_the_lists_are_marked_as_ready_or_not(open_ask: Open) -> None:
    options = open_ask().selectbox(key="ask_encoder").options
    assert options[0].startswith("● ")
    assert any(option.startswith("○ ") for option in options)


def test_an_answer_folds_the_settings_to_a_line_that_names_them_and_a_change_keeps_them_open(open_ask: Open) -> None:
    app = open_ask()
    assert app.segmented_control(key="ask_mode")
    app.text_input(key="ask_question").input("Kuka keksi radion?")
    app.button[0].click().run()
    assert not app.segmented_control
    assert "<b>MultiRAG</b><bdi> · all languages</bdi><bdi> · corpus sample</bdi>" in html(app)
    unfold(app).segmented_control(key="ask_mode").set_value("trag").run()
    assert app.segmented_control(key="ask_mode").value == "trag"
    assert "<b>tRAG</b><bdi> · English</bdi>" in html(app)


def test_what_is_folded_is_not_drawn(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", ask="1")
    assert "Be brief." not in html(app)
    assert not app.selectbox
    app.session_state["prompt"] = True
    assert "Be brief." in html(app.run())


def test_each_claim_of_an_answer_leads_to_its_sentence(open_ask: Open, fake: FakeWorkbench) -> None:
    shown = html(open_ask(q="Who?", lang="en", ask="1"))
    assert 'Marconi <a class="wb-jump" href="#document-1-0">[1]</a>' in shown
    assert '<mark id="document-1-0">Marconi</mark>' in shown


def test_another_question_draws_the_answer_alone_and_what_goes_wrong_is_shown(
    open_ask: Open, fake: FakeWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_ask(q="Who?", lang="en", ask="1")
    drawn: list[object] = []
    with monkeypatch.context() as patch:
        patch.setattr(controls, "draw", drawn.append)
        app.text_input(key="ask_question").input("When?")
        app.button[0].click().run()
    assert not drawn
    assert [question for question, _, _ in fake.requests] == ["Who?", "When?"]
    assert app.query_params["q"] == "When?"
    assert "Marconi" in html(app)
    app.run().text_input(key="ask_question").input("")
    app.button[0].click().run()
    assert "The question is empty." in html(app)
    assert "Marconi" not in html(app)


def test_what_shows_more_of_an_answer_follows_another_question(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", ask="1")
    app.session_state["prompt"] = True
    app.run()
    app.text_input(key="ask_question").input("When?")
    app.button[0].click().run()
    assert "When?" in codes(app)


def test_a_question_in_a_language_that_cannot_be_told_has_the_box_for_it_where_it_is_asked_for(
    open_ask: Open, fake: FakeWorkbench
) -> None:
    app = open_ask(q="ᚠᚢᚦᚨᚱᚲ", ask="1")
    assert "could not be identified" in html(app) and not fake.requests
    app.selectbox(key="ask_language").set_value("fi").run()
    assert [code for _, code, _ in fake.requests] == ["fi"] and "Marconi" in html(app)
