"""A complete recipe as a LlamaIndex query engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.base.response.schema import Response
from llama_index.core.query_engine import RouterQueryEngine
from llama_index.core.selectors import LLMSingleSelector
from llama_index.core.tools import QueryEngineTool

from tests.coroutines import in_loop
from tests.retrieval import llama_packages
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.components.factory import generator
from workbench.core.errors import GenerationFailed, UsageError
from workbench.models.llm.conversation import as_llama_llm
from workbench.pipeline.choices import MODES
from workbench.pipeline.recipe import make_recipe
from workbench.retrieval.rerank.llama_index import from_node

QUESTION = "Kuka keksi radion?"


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_it_answers_as_the_workbench_does(mode: str, sample_workbench: Workbench) -> None:
    recipe = make_recipe({"mode": mode})
    response = sample_workbench.query_engine(recipe, "fi").query(QUESTION)
    answer = sample_workbench.ask(QUESTION, "fi", recipe)
    assert isinstance(response, Response)
    assert response.response == answer.text
    assert [from_node(item.node) for item in response.source_nodes] == [item.passage for item in answer.evidence]
    assert response.metadata is not None
    assert (response.metadata["language"], response.metadata["answer_language"]) == ("fi", answer.answer_language)


def test_its_nodes_have_the_scores_of_the_retriever(sample_workbench: Workbench) -> None:
    recipe = make_recipe({"scope": "en+ul", "k": 4})
    nodes = sample_workbench.query_engine(recipe, "fi").query(QUESTION).source_nodes
    expected = sample_workbench.retriever(recipe, "fi").retrieve(QUESTION)
    assert [item.score for item in nodes] == [item.score for item in expected]


def test_a_reranked_node_has_the_score_of_the_reranker(
    sample_workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama_packages.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    recipe = make_recipe({"reranker": "llama-index:llama_index.postprocessor.ours:Backwards", "k": 3})
    nodes = sample_workbench.query_engine(recipe, "fi").query(QUESTION).source_nodes
    assert [item.score for item in nodes] == [1, 1 / 2, 1 / 3]


def test_a_translated_passage_carries_its_translation(sample_workbench: Workbench) -> None:
    recipe = make_recipe({"mode": "crossrag"})
    nodes = sample_workbench.query_engine(recipe, "fi").query(QUESTION).source_nodes
    translations = [item.translation for item in sample_workbench.ask(QUESTION, "fi", recipe).evidence]
    assert any(translations)
    assert [item.node.metadata.get("translation") for item in nodes] == [
        None if item is None else item.text for item in translations
    ]


def test_it_retrieves_without_answering(sample_workbench: Workbench) -> None:
    from llama_index.core.schema import QueryBundle

    recipe = make_recipe({"mode": "trag", "generator": "openai-like:m@http://127.0.0.1:9/v1"})
    nodes = sample_workbench.query_engine(recipe, "fi").retrieve(QueryBundle(QUESTION))
    evidence = sample_workbench.ask(QUESTION, "fi", make_recipe({"mode": "trag"})).evidence
    assert [from_node(item.node) for item in nodes] == [item.passage for item in evidence]


def test_it_answers_asynchronously(sample_workbench: Workbench) -> None:
    engine = sample_workbench.query_engine(make_recipe({}), "fi")
    assert str(in_loop(engine.aquery(QUESTION))) == str(engine.query(QUESTION))


def test_a_language_model_behind_an_endpoint_answers_and_its_tokens_are_counted(workbench: Workbench) -> None:
    with misbehaving() as server:
        recipe = make_recipe({"generator": f"openai-like:m@{server.url('well')}"})
        response = workbench.query_engine(recipe, "fi").query(QUESTION)
    assert str(response) == "Paris"
    assert response.metadata is not None
    assert response.metadata["usage"] == {"prompt_tokens": 11, "completion_tokens": 2}


def test_a_generator_that_fails_raises_the_workbenchs_error(workbench: Workbench) -> None:
    with misbehaving() as server:
        recipe = make_recipe({"generator": f"openai-like:m@{server.url('unauthorised')}"})
        with pytest.raises(GenerationFailed):
            workbench.query_engine(recipe, "fi").query(QUESTION)


def test_another_query_engine_can_route_to_it(workbench: Workbench) -> None:
    engine = workbench.query_engine(make_recipe({}), "fi")
    with misbehaving() as server:
        server.script = lambda _: '[{"choice": 1, "reason": "the only one"}]'
        llm = as_llama_llm(generator(f"openai-like:m@{server.url('says')}", workbench.settings.home))
        tool = QueryEngineTool.from_defaults(engine, name="sample", description="articles on inventions")
        router = RouterQueryEngine(LLMSingleSelector.from_defaults(llm), [tool], llm=llm)
        assert str(router.query(QUESTION)) == str(engine.query(QUESTION))


def test_what_cannot_be_asked_is_refused_in_a_sentence(sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="Unknown language"):
        sample_workbench.query_engine(make_recipe({}), "klingon")
    with pytest.raises(UsageError, match="Unknown"):
        sample_workbench.query_engine(make_recipe({"generator": "no-such-model"}), "fi")
    with pytest.raises(UsageError, match="holds no letter or digit"):
        sample_workbench.query_engine(make_recipe({}), "fi").query("?!")
