"""Query expansion, compressor and passage order on the Ask screen: controls, URL, refusals and what an answer shows."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes import FakeWorkbench, answer
from tests.screens.conftest import Open, html
from workbench.core.records import Compression, Expansion, Usage
from workbench.pipeline.recipe import make_recipe
from workbench.ui.ask.answer_view import answer_card, notes_card

LOCAL = "openai-like:tiny@http://127.0.0.1:9/v1"


def test_each_choice_is_a_control_and_is_in_the_url(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en", generator=LOCAL)
    app.selectbox(key="ask_query_expansion").set_value("multi-query").run()
    app.selectbox(key="ask_passage_order").set_value("best-repeated").run()
    app.selectbox(key="ask_compressor").set_value("refine").run()
    params = app.query_params
    values = (params["query_expansion"], params["passage_order"], params["compressor"])
    assert values == ("multi-query", "best-repeated", "refine")
    assert app.selectbox(key="ask_passage_order").disabled


def test_a_link_restores_each_choice(open_ask: Open) -> None:
    app = open_ask(q="Who?", query_expansion="hyde", expander=LOCAL, compressor="refine", compressor_model=LOCAL)
    assert app.selectbox(key="ask_query_expansion").value == "hyde"
    assert app.selectbox(key="ask_expander").value == LOCAL
    assert app.selectbox(key="ask_compressor").value == "refine"
    assert app.selectbox(key="ask_compressor_model").value == LOCAL


def test_without_a_language_model_it_is_one_sentence_and_nothing_is_asked(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1", query_expansion="hyde")
    assert "needs a language model, which the built-in reader is not" in html(app)
    assert not fake.requests


def test_an_expansion_by_a_model_waits_for_ask_though_the_reader_is_built_in(
    open_ask: Open, fake: FakeWorkbench
) -> None:
    app = open_ask(q="Who?", lang="en", ask="1", query_expansion="hyde", expander=LOCAL)
    assert "Press Ask" in html(app)
    assert not fake.requests


def test_an_answer_shows_its_queries_its_notes_and_their_tokens_escaped() -> None:
    usage = Usage(7, 3, estimated=False)
    expansion = Expansion(("<b>one?", "two?"), "en", "A note.", usage)
    shown = replace(answer(), expansion=expansion, compression=Compression("Notes <i>[1].", "en", (1, 2), usage=usage))
    card, notes = str(answer_card(shown, make_recipe({}))), str(notes_card(shown))
    assert "&lt;b&gt;one?" in card
    assert "two?" in card
    assert "A note." in card
    assert "14 read, 6 written" in card
    assert "Notes &lt;i&gt;[1]." in notes
    assert "[1], [2]" in notes


def test_an_answer_without_them_shows_neither() -> None:
    assert "Searched with" not in str(answer_card(answer(), make_recipe({})))
    assert not str(notes_card(answer()))
