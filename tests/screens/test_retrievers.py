"""The retrievers on the Ask screen: each has a title, and the papers' fusions can be selected."""

from __future__ import annotations

from typing import get_args

from tests.fakes import FakeWorkbench
from tests.screens.conftest import Open, html, unfold
from workbench.pipeline.fields import recipe_field
from workbench.pipeline.recipe import RetrieverName


def test_every_retriever_of_a_recipe_has_a_title(open_ask: Open) -> None:
    field = recipe_field("retriever")
    assert set(field.about.options) == set(get_args(RetrieverName))
    assert open_ask().selectbox(key="ask_retriever").options == [field.shown(name) for name in get_args(RetrieverName)]


def test_fusion_by_distribution_is_selected_and_is_in_the_url(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", ask="1"))
    app.selectbox(key="ask_retriever").set_value("dbsf").run()
    assert app.query_params["retriever"] == "dbsf"
    assert fake.requests[-1][2].retriever == "dbsf"


def test_autorags_winner_is_set_with_its_fusion(open_ask: Open) -> None:
    app = open_ask(q="Who?", lang="en")
    app.selectbox(key="ask_shipped").set_value("kim-autorag-winner").run()
    assert app.selectbox(key="ask_retriever").value == "dbsf"
    assert "AutoRAG" in html(app)


def test_what_tunes_a_search_can_be_set_where_the_retriever_uses_it(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", ask="1"))
    assert app.selectbox(key="ask_normalisation").disabled and app.selectbox(key="ask_neighbour_side").disabled
    app.selectbox(key="ask_retriever").set_value("cc").run()
    app.selectbox(key="ask_normalisation").set_value("z-score").run()
    app.number_input(key="ask_neighbours").set_value(2).run()
    app.selectbox(key="ask_neighbour_side").set_value("previous").run()
    app.number_input(key="ask_score_percentile").set_value(0.5).run()
    recipe = fake.requests[-1][2]
    assert (recipe.normalisation, recipe.neighbours, recipe.neighbour_side) == ("z-score", 2, "previous")
    assert (recipe.score_percentile, recipe.score_threshold) == (0.5, None)
    assert app.query_params["normalisation"] == "z-score" and app.query_params["neighbours"] == "2"
    assert "share kept" in html(app)


def test_a_link_restores_what_tunes_a_search(open_ask: Open, fake: FakeWorkbench) -> None:
    app = unfold(open_ask(q="Who?", lang="en", ask="1", neighbours="1", score_threshold="-0.5", fusion_weight="0.25"))
    assert app.number_input(key="ask_neighbours").value == 1
    assert app.number_input(key="ask_score_threshold").value == -0.5
    assert app.number_input(key="ask_fusion_weight").value == 0.25
    assert fake.requests[-1][2].score_threshold == -0.5


def test_a_post_processor_outside_llama_index_packages_is_one_sentence(open_ask: Open, fake: FakeWorkbench) -> None:
    app = open_ask(q="Who?", lang="en", ask="1", reranker="llama-index:os:system")
    assert "“os:system” names no LlamaIndex post-processor" in html(app)
    assert not fake.requests


def test_a_post_processor_that_only_reorders_is_called_at_once(open_ask: Open, fake: FakeWorkbench) -> None:
    name = "llama-index:llama_index.core.postprocessor:LongContextReorder"
    open_ask(q="Who?", lang="en", ask="1", reranker=name)
    assert [recipe.reranker for _, _, recipe in fake.requests] == [name]
