"""A recipe's search as a LlamaIndex retriever, and the page that shows how to use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import regex

from tests.retrieval import llama_packages
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Passage
from workbench.pipeline.recipe import make_recipe, recipe_to_yaml
from workbench.retrieval.rerank.llama_index import from_node

PAGE = Path(__file__).parents[2] / "docs" / "take-a-recipe-out.md"
QUESTION = "Kuka keksi radion?"

Choices = dict[str, object]


def retrieved(bench: Workbench, choices: Choices, question: str = QUESTION) -> list[Passage]:
    nodes = bench.retriever(make_recipe(choices), "fi").retrieve(question)
    return [from_node(item.node) for item in nodes]


def evidence_passages(bench: Workbench, choices: Choices) -> list[Passage]:
    answer = bench.ask(QUESTION, "fi", make_recipe(choices), cached=False)
    return [item.passage for item in answer.evidence]


@pytest.mark.parametrize(
    "choices",
    [
        {"mode": "monorag", "k": 3},
        {"mode": "trag"},
        {"mode": "multirag", "scope": "en+ul", "retriever": "dbsf"},
        {"mode": "multirag", "translate_question": True, "scope": "en"},
        {"mode": "multirag", "balance": "equal", "candidates": 20},
        {"mode": "crossrag"},
        {"mode": "multirag", "neighbours": 1, "k": 8},
        {"mode": "multirag", "score_percentile": 0.5},
        {"mode": "drag", "dialectic": {"prompts": "four"}},
        {"mode": "pivot"},
        {"mode": "multirag", "reranker": "llama-index:llama_index.core.postprocessor:LongContextReorder"},
    ],
)
def test_it_retrieves_the_evidence_of_the_workbench(choices: Choices, sample_workbench: Workbench) -> None:
    passages = retrieved(sample_workbench, choices)
    assert passages and passages == evidence_passages(sample_workbench, choices)


def test_nodes_carry_the_score_that_orders_them(
    sample_workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama_packages.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    recipe = make_recipe({"reranker": "llama-index:llama_index.postprocessor.ours:Backwards", "k": 3})
    scores = [item.score for item in sample_workbench.retriever(recipe, "fi").retrieve(QUESTION)]
    assert scores == [1, 1 / 2, 1 / 3]


def test_the_generator_stays_behind(sample_workbench: Workbench) -> None:
    assert retrieved(sample_workbench, {"generator": "huggingface:/no/such/folder"})


def test_a_mode_without_a_search_has_no_retriever(sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="mode baseline searches nothing"):
        sample_workbench.retriever(make_recipe({"mode": "baseline"}), "fi")


def test_a_language_and_a_question_are_checked_as_on_the_screen(sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="Unknown language"):
        sample_workbench.retriever(make_recipe({}), "klingon")
    with pytest.raises(UsageError, match="no passages in Turkish"):
        sample_workbench.retriever(make_recipe({"mode": "monorag"}), "tr")
    with pytest.raises(UsageError, match="holds no letter or digit"):
        retrieved(sample_workbench, {}, question="?!")


def test_the_code_on_the_page_runs_as_it_stands(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = make_recipe({"mode": "multirag", "scope": "en+ul"})
    (tmp_path / "recipe.yaml").write_text(recipe_to_yaml(recipe), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_HOME", str(workbench.settings.home))
    code = "".join(regex.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), regex.DOTALL))
    names: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), names)
    expected = evidence_passages(workbench, {"mode": "multirag", "scope": "en+ul"})
    assert str(names["result"]) == workbench.ask(QUESTION, "fi", recipe).text
    assert [from_node(item.node) for item in names["response"].source_nodes] == expected
    printed = capsys.readouterr().out
    assert all(passage.text in printed for passage in expected)
    assert workbench.corpus("ferries").languages == ("en", "fi")
    first, *_ = retrieved(workbench, {"corpus": "ferries"}, question="Milloin lautta lähtee?")
    assert first.id == "ferry-1"
