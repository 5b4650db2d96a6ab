"""Search spaces: what they hold, what they refuse and where, and that their recipes are distinct."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.optimise.landscape import planted_space
from workbench.components.references import check_recipe
from workbench.core.errors import UsageError
from workbench.optimise.report_words import idle_words
from workbench.optimise.space.search_space import SearchSpace, node_type, node_types
from workbench.optimise.space.space_files import (
    example_space,
    example_spaces,
    space_from_file,
    space_from_text,
    space_to_yaml,
)
from workbench.pipeline.fields import effective, recipe_fields
from workbench.pipeline.recipe import DEFAULT_ENCODER, Recipe, make_recipe

TEXT = """\
name: Mine
objective: char3_recall
recipe: {corpus: sample}
nodes:
  - node: retrieval
    metrics: [mrr, ndcg@10]
    modules:
      - name: BM25
        values: {retriever: lexical}
      - name: RRF
        values:
          retriever: rrf
          rrf_k: [10, 60]
  - node: reranker
    modules:
      - name: none
        values: {reranker: pass, k: [3, 5]}
"""


def space_of(*nodes: dict[str, Any], **others: Any) -> SearchSpace:
    return SearchSpace.model_validate({"nodes": list(nodes), **others})


def node_of(name: str, **values: Sequence[Any]) -> dict[str, Any]:
    return {"node": name, "modules": [{"name": "one", "values": values}]}


def test_a_space_has_every_combination_of_its_variants() -> None:
    space = space_from_text(TEXT, "mine.yaml")
    assert [(recipe.retriever, recipe.rrf_k, recipe.k) for recipe in space.recipes()] == [
        *(("lexical", None, 3), ("lexical", None, 5)),
        *(("rrf", 10, 3), ("rrf", 10, 5), ("rrf", 60, 3), ("rrf", 60, 5)),
    ]
    assert space.size == 6


def test_a_space_is_written_as_it_is_read() -> None:
    space = space_from_text(TEXT, "mine.yaml")
    again = space_from_text(space_to_yaml(space), "again.yaml")
    assert again == space
    assert again.fingerprint == space.fingerprint


def test_the_header_of_a_written_space_counts_its_recipes() -> None:
    assert ": 6 recipes, fingerprint" in space_to_yaml(space_from_text(TEXT, "mine.yaml"))


def test_a_space_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert space_from_file(path).name == "Mine"


def test_a_faulty_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT.replace("[10, 60]", "[10, -1]"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"“mine.yaml”, line 13: .*rrf_k is “-1”"):
        space_from_file(path)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rrf_k: [10, 60]", "rrf_k: [10, -3]", "line 13: The module “RRF” of the node retrieval cannot be used"),
        ("rrf_k:", "rrff_k:", "line 13: Unknown recipe field “rrff_k”"),
        ("retriever: lexical", "retriever: bm52", "line 9: The module “BM25” of the node retrieval cannot be used"),
        ("node: reranker", "node: rerank", "line 14: Unknown node “rerank”"),
        ("node: reranker", "node: retrieval", "line 14: The node “retrieval” occurs twice"),
        ("ndcg@10]", "ndcg@11]", "line 6: Unknown metric “ndcg@11”"),
        ("objective: char3_recall", "objective: best", "line 2: Unknown metric “best”"),
        ("objective: char3_recall", "objektive: mrr", "line 2: Unknown search space key “objektive”"),
        ("{corpus: sample}", "{korpus: sample}", "line 3: Unknown recipe key “korpus”"),
        ("name: RRF", "name: BM25", "line 10: The node retrieval has two modules “BM25”"),
        ("reranker: pass, k", "rrf_k: 5, k", "line 17: “rrf_k” is set by the nodes retrieval and reranker"),
        ("reranker: pass, k", "dialectic.part: 5, k", "line 17: Unknown recipe field “dialectic.part”"),
        ("metrics: [mrr", "max_seconds: 0\n    metrics: [mrr", "line 6: .*greater than 0"),
        ("metrics: [mrr", "metrics: [g_eval, mrr", "line 6: The metric g_eval needs a judge"),
        ("name: Mine", "name: [", "is not YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(before: str, after: str, message: str) -> None:
    assert before in TEXT
    with pytest.raises(UsageError, match=message) as refusal:
        space_from_text(TEXT.replace(before, after, 1), "mine.yaml")
    assert "“mine.yaml”" in str(refusal.value)


def test_a_node_needs_fewer_than_two_thousand_variants() -> None:
    values = {"k": list(range(1, 21)), "candidates": list(range(20, 140))}
    with pytest.raises(UsageError, match="The node reranker has 2,400 variants; 2,000 are allowed"):
        space_of(node_of("reranker", **values))


def test_equal_variants_count_once() -> None:
    node = {"node": "reranker", "modules": [{"name": name, "values": {"k": [3, 5]}} for name in ("one", "two")]}
    assert space_of(node).size == 2


def test_a_field_without_effect_multiplies_no_recipes() -> None:
    space = space_of(node_of("retrieval", retriever=["dense", "rrf"], rrf_k=[10, 60]))
    assert space.combinations == 4
    assert [(recipe.retriever, recipe.rrf_k) for recipe in space.recipes()] == [("dense", 10), ("rrf", 10), ("rrf", 60)]
    assert idle_words(space).startswith("1 of 4 combinations are not measured: they differ from others only in fields")
    assert idle_words(space_of(node_of("retrieval", retriever=["dense", "rrf"]))) == ""


def test_recipes_that_come_out_equal_count_once() -> None:
    # The scope of MultiRAG is “all” where nobody says.
    space = space_of(node_of("mode", mode=["multirag", "trag"]), node_of("scope", scope=["", "all"]))
    assert space.combinations == 4
    assert [(recipe.mode, recipe.scope) for recipe in space.recipes()] == [
        *(("multirag", "all"), ("trag", "en"), ("trag", "all")),
    ]
    assert space.size == 3


def test_a_dotted_field_sets_a_part_of_the_dialectic() -> None:
    field = {"dialectic.explanation": [True, False], "dialectic.prompts": ["one", "four"]}
    space = space_of(
        {"node": "dialectic", "modules": [{"name": "parts", "values": field}]},
        recipe={"mode": "drag", "dialectic": {"argument_language": "de"}},
    )
    parts = [recipe.dialectic for recipe in space.recipes()]
    assert [(part.explanation, part.prompts) for part in parts] == [
        *((True, "one"), (True, "four"), (False, "one"), (False, "four")),
    ]
    assert {part.argument_language for part in parts} == {"de"}


def test_a_part_and_the_whole_of_a_field_cannot_be_in_two_nodes() -> None:
    with pytest.raises(UsageError, match="“dialectic” is set by the nodes dialectic and mode"):
        space_of(
            {"node": "dialectic", "modules": [{"name": "a", "values": {"dialectic.prompts": ["four"]}}]},
            {"node": "mode", "modules": [{"name": "b", "values": {"dialectic": [{"prompts": "one"}]}}]},
        )


def test_a_large_space_is_sized_without_making_its_recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    space = space_of(
        node_of("retrieval", candidates=list(range(20, 120)), rrf_k=list(range(1, 20))),
        node_of("reranker", k=list(range(1, 21))),
    )
    monkeypatch.setattr(SearchSpace, "assignments", lambda _: pytest.fail("recipes were made"))
    assert space.size == 100 * 19 * 20


def test_every_field_of_a_recipe_belongs_to_a_node() -> None:
    fields = {name for row in node_types() for name in row.fields if "." not in name}
    assert fields == set(Recipe.model_fields)


def test_a_field_belongs_to_the_node_that_its_description_names() -> None:
    for field in recipe_fields().values():
        assert field.name in node_type(field.about.node).fields


def test_no_field_belongs_to_two_nodes() -> None:
    fields = [name for row in node_types() for name in row.fields]
    assert len(fields) == len(set(fields))


def test_a_node_without_metrics_is_judged_by_the_next_one_that_has_some() -> None:
    space = planted_space()
    assert [space.judges_of(number) for number in range(5)] == [("mrr",), ("mrr",)] + [("char3_recall",)] * 3


def test_the_last_node_without_metrics_is_judged_by_the_objective() -> None:
    space = space_of(node_of("mode", mode=["trag"]), objective="rouge_l")
    assert space.judges_of(0) == ("rouge_l",)


def test_judged_metrics_have_the_judge_in_their_names() -> None:
    node = {**node_of("generator", generator=["extractive"]), "metrics": ["g_eval", "semscore"]}
    space = space_of(node, judge="openai-like:gpt-4o", semscore_encoder="bge-m3")
    assert space.metrics == ("char3_recall", "g_eval@openai-like:gpt-4o+ul", "semscore@bge-m3")


def test_the_shipped_spaces_are_read() -> None:
    assert list(example_spaces()) == ["first-search", "sample-without-models", "with-models"]


def test_the_space_without_models_has_at_least_300_recipes_that_need_none() -> None:
    recipes = list(example_space("sample-without-models").recipes())
    assert len({recipe.fingerprint for recipe in recipes}) == len(recipes) >= 300
    assert {(item.encoder, item.generator, item.translator, item.reranker) for item in recipes} == {
        (DEFAULT_ENCODER, "extractive", "builtin", "pass")
    }


def test_every_variant_of_the_space_with_models_is_a_recipe_of_known_components() -> None:
    space = example_space("with-models")
    for place, variants in enumerate(space.variants):
        for number in range(len(variants)):
            recipe = space.recipe_of([number if other == place else 0 for other in range(len(space.nodes))])
            assert recipe is not None, variants[number]
            check_recipe(recipe)


def test_the_space_with_models_has_the_nodes_that_need_one() -> None:
    nodes = {node.node for node in example_space("with-models").nodes}
    assert {"query-expansion", "augmenter", "reranker", "filter", "compressor", "prompt-maker", "generator"} <= nodes


def test_an_unknown_example_is_named() -> None:
    with pytest.raises(UsageError, match=r"Unknown example “best”. Allowed: first-search, sample-without-models"):
        example_space("best")


FIELDS: dict[str, tuple[str, list[Any]]] = {
    "k": ("reranker", [1, 3, 5, 10]),
    "mode": ("mode", ["multirag", "trag", "crossrag", "monorag"]),
    "scope": ("scope", ["", "all", "en", "en+ul"]),
    "balance": ("language-balance", ["none", "equal"]),
    "rrf_k": ("retrieval", [None, 10, 60]),
}


@given(
    st.dictionaries(
        st.sampled_from(sorted(FIELDS)),
        st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=3),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=40, deadline=None)
def test_enumeration_gives_each_recipe_of_the_product_once(modules: dict[str, list[list[int]]]) -> None:
    nodes = []
    values: dict[str, list[Any]] = {}
    for name, lists in modules.items():
        node, choices = FIELDS[name]
        items = [[choices[number % len(choices)] for number in numbers] for numbers in lists]
        values[name] = [value for part in items for value in part]
        parts = [{"name": f"m{number}", "values": {name: part}} for number, part in enumerate(items)]
        nodes.append({"node": node, "modules": parts})
    space = space_of(*nodes)
    combinations: list[dict[str, Any]] = [{}]
    for name, items in values.items():
        combinations = [{**choices, name: value} for choices in combinations for value in dict.fromkeys(items)]
    expected = {effective(make_recipe(choices)) for choices in combinations}
    recipes = [effective(recipe) for recipe in space.recipes()]
    assert len(recipes) == len(set(recipes)) == space.size
    assert set(recipes) == expected
    assert space.size <= space.combinations == prod(len(set(items)) for items in values.values())
