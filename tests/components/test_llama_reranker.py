"""A LlamaIndex post-processor as the reranker of a recipe, from its name to the answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.retrieval import llama_packages
from workbench.app.workbench import Workbench
from workbench.core.errors import MissingError, UsageError
from workbench.core.records import Answer, Passage
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import settings

REORDER = "llama-index:llama_index.core.postprocessor:LongContextReorder"
OURS = "llama_index.postprocessor.ours"
BACKWARDS = f"llama-index:{OURS}:Backwards"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """Three passages, shorter where “lake” occurs more often; and the package `ours` installed."""
    llama_packages.install(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, OURS, raising=False)
    workbench = Workbench(settings.load(tmp_path / "home"))
    texts = ("lake lake lake", "lake lake and a boat", "lake and a boat and an old bridge")
    passages = [Passage(f"p{n}", f"d{n}", "", "en", text) for n, text in enumerate(texts)]
    workbench.library.add("lakes", passages, source="a test", licence="none")
    return workbench


def ask(bench: Workbench, reranker: str, **choices: object) -> Answer:
    recipe = make_recipe({"corpus": "lakes", "retriever": "lexical", "k": 3, "reranker": reranker, **choices})
    return bench.ask("Which lake?", "en", recipe)


def order(answer: Answer) -> list[str]:
    return [item.passage.id for item in answer.evidence]


def test_the_post_processor_orders_what_the_generator_is_given(bench: Workbench) -> None:
    assert order(ask(bench, "pass")) == ["p0", "p1", "p2"]
    answer = ask(bench, BACKWARDS)
    assert order(answer) == ["p2", "p1", "p0"]
    assert [item.scores["rerank"] for item in answer.evidence] == [1, 1 / 2, 1 / 3]
    assert all("lexical" in item.scores for item in answer.evidence)


def test_one_of_llama_indexs_core_needs_no_further_package(bench: Workbench) -> None:
    # It puts the best at both ends.
    assert order(ask(bench, REORDER)) == ["p0", "p2", "p1"]


def test_it_is_cached_under_its_name(bench: Workbench) -> None:
    ask(bench, REORDER)
    again, other = ask(bench, REORDER), ask(bench, BACKWARDS)
    assert {step.name: step.cached for step in again.steps}["rerank"]
    assert not {step.name: step.cached for step in other.steps}["rerank"]


def test_a_missing_package_is_reported_before_anything_is_searched(bench: Workbench) -> None:
    with pytest.raises(MissingError, match="pip install llama-index-postprocessor-cohere-rerank"):
        ask(bench, "llama-index:llama_index.postprocessor.cohere_rerank:CohereRerank")


def test_a_class_that_is_not_a_post_processor_is_refused_in_one_sentence(bench: Workbench) -> None:
    with pytest.raises(UsageError, match="is not an instantiable post-processor") as caught:
        ask(bench, "llama-index:llama_index.core.postprocessor.types:QueryBundle")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("role", ["encoder", "reranker"])
@pytest.mark.parametrize("name", ["os:system", "llama_index.core.postprocessor_evil:X", "antigravity:fly"])
def test_an_address_that_names_another_module_is_refused_before_it_is_called(
    role: str, name: str, bench: Workbench
) -> None:
    with pytest.raises(UsageError, match="names no LlamaIndex"):
        bench.registry.check(make_recipe({role: f"llama-index:{name}"}))
    assert "antigravity" not in sys.modules


def test_a_reordering_alone_sends_no_text_away(bench: Workbench) -> None:
    assert bench.registry.hosts(make_recipe({"reranker": REORDER})) == ()
    assert bench.registry.hosts(make_recipe({"reranker": BACKWARDS})) != ()


def test_it_can_be_tried_by_one_small_call(bench: Workbench) -> None:
    assert bench.registry.test("reranker", BACKWARDS).sentence.startswith("Ranked two passages")
    assert not bench.registry.test("reranker", f"llama-index:{OURS}:Needy").ok
