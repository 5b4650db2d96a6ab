"""AutoRAG's configurations are read: each module is taken over or refused in a sentence, other names are errors."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from workbench.core.errors import UsageError
from workbench.optimise.space.autorag.autorag_file import registry
from workbench.optimise.space.autorag.autorag_module import lexical_shares, rrf_constants
from workbench.optimise.space.autorag.autorag_writing import autorag_of
from workbench.optimise.space.autorag.autorag_yaml import AutoragReading, autorag_from_text, read_space, read_space_file
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import example_space
from workbench.pipeline.fields import field_names
from workbench.pipeline.recipe import Recipe

EVERYTHING = Path(__file__).parent / "data" / "autorag-everything.yaml"
TEXT = """\
vars: {answering: gpt-4o}
vectordb:
  - name: local
    db_type: chroma
    embedding_model: huggingface_bge_m3
node_lines:
  - node_line_name: line
    nodes:
      - node_type: retrieval
        strategy:
          metrics: [retrieval_mrr, retrieval_recall]
          strategy: rank
          speed_threshold: 3
        top_k: 12
        modules:
          - module_type: bm25
          - module_type: vectordb
            vectordb: local
          - module_type: hybrid_rrf
            rrf_k: [5, 10]
      - node_type: passage_reranker
        strategy: {metrics: [retrieval_ndcg], token_threshold: 900}
        top_k: 4
        modules:
          - module_type: pass_reranker
          - module_type: sentence_transformer_reranker
            model_name: cross-encoder/ms-marco-MiniLM-L-2-v2
          - module_type: cohere_reranker
      - node_type: generator
        strategy: {metrics: [meteor, rouge], strategy: normalize_mean}
        modules:
          - module_type: llama_index_llm
            llm: openai
            model: ["${answering}", gpt-3.5-turbo]
"""


@pytest.fixture(scope="module")
def everything() -> AutoragReading:
    return read_space_file(EVERYTHING)


def small(before: str = "", after: str = "") -> AutoragReading:
    assert before in TEXT
    return read_space(TEXT.replace(before, after, 1), "small.yaml")


def values(space: SearchSpace, node: str) -> list[dict[str, tuple[object, ...]]]:
    return [module.values for item in space.nodes if item.node == node for module in item.modules]


def test_every_module_of_every_node_has_a_fate(everything: AutoragReading) -> None:
    fates = {note.subject.casefold().replace("_", ""): note for note in everything.notes if note.fate != "left out"}
    retrieval = {"retrieval", "lexical_retrieval", "semantic_retrieval", "hybrid_retrieval"}
    for name, node in registry().nodes.items():
        types = retrieval if name in retrieval else {name}
        for module in node.modules:
            subjects = {f"{item} / {module}".replace("_", "") for item in types}
            assert subjects & fates.keys(), f"{name} / {module}"


def test_every_fate_is_a_sentence_with_a_line(everything: AutoragReading) -> None:
    count = len(EVERYTHING.read_text(encoding="utf-8").splitlines())
    assert all(note.sentence.strip() and 1 <= note.line <= count for note in everything.notes)


def test_the_modules_that_are_refused_are_those_that_the_registry_refuses(everything: AutoragReading) -> None:
    reasons = {entry.refused for node in registry().nodes.values() for entry in node.modules.values()} - {""}
    notes = {note.sentence for note in everything.notes if note.fate == "refused"}
    assert reasons <= notes


def test_each_module_stands_for_fields_that_recipes_have_or_says_which_not(everything: AutoragReading) -> None:
    known = {field for item in everything.space.nodes for field in item.fields}
    assert known <= set(Recipe.model_fields)
    assert {"retriever", "encoder", "rrf_k", "fusion_weight", "reranker", "k", "generator"} <= known


def test_every_field_that_the_registry_names_is_one_of_a_recipe() -> None:
    modules = [module for node in registry().nodes.values() for module in node.modules.values()]
    rules = [rule for module in modules for rule in registry().parameters(module).values()]
    rules += [rule for node in registry().nodes.values() for rule in node.parameters.values()]
    named = {name for module in modules for name in (*module.values, module.model)}
    named |= {rule.field for rule in rules} | {node.top_k for node in registry().nodes.values()}
    assert named - {""} <= set(field_names())


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (
            "query-expansion",
            [
                {"query_expansion": ("none",)},
                {"query_expansion": ("decompose",), "expander": ("gpt-4o", "openai-like:gpt-4o-mini")},
                {"query_expansion": ("hyde",), "expander": ("openai-like:llama3@ollama",)},
                {"query_expansion": ("multi-query",), "expander": ("gpt-3.5-turbo",)},
            ],
        ),
        ("augmenter", [{"neighbours": (0,)}, {"neighbours": (1, 2), "neighbour_side": ("previous", "both")}]),
        (
            "filter",
            [
                {"score_threshold": (None,), "score_percentile": (None,)},
                {"score_threshold": (0.2, 0.6)},
                {"score_percentile": (0.5,)},
            ],
        ),
        (
            "compressor",
            [
                {"compressor": ("none",)},
                {"compressor": ("tree-summarize",), "compressor_model": ("gpt-4o",)},
                {"compressor": ("refine",), "compressor_model": ("openai-like:qwen@http://localhost:9000/v1",)},
            ],
        ),
        ("prompt-maker", [{"passage_order": ("ranked",)}, {"passage_order": ("best-repeated",)}]),
    ],
)
def test_nodes_around_the_search_are_taken_over(
    everything: AutoragReading, node: str, expected: list[dict[str, tuple[object, ...]]]
) -> None:
    assert values(everything.space, node) == expected


def test_the_rerankers_of_the_paper_are_taken_over(everything: AutoragReading) -> None:
    names = {str(name) for module in values(everything.space, "reranker") for name in module["reranker"]}
    assert {name.partition(":")[0] for name in names} == {
        *("pass", "monot5", "tart", "upr", "colbert", "llm", "cross-encoder", "flag-reranker", "flag-llm-reranker"),
    }


def test_the_normalisations_of_a_convex_combination_are_taken_over(everything: AutoragReading) -> None:
    modules = [module for module in values(everything.space, "retrieval") if module["retriever"] == ("cc",)]
    assert modules[0]["normalisation"] == ("min-max", "theoretical-min-max", "z-score", "distribution")


def test_what_is_missing_is_as_in_autorag() -> None:
    node = "      - node_type: passage_augmenter\n        modules:\n          - module_type: prev_next_augmenter\n"
    reading = small("      - node_type: passage_reranker", f"{node}      - node_type: passage_reranker")
    assert values(reading.space, "augmenter") == [{"neighbours": (1,), "neighbour_side": ("both",)}]


def test_context_precision_of_candidates_is_judged_at_the_node_s_own_depth() -> None:
    judge = "{metric_name: ragas_context_precision, model: gpt-4o}"
    node = f"      - node_type: passage_augmenter\n        strategy: {{metrics: [{judge}]}}\n        top_k: 15\n"
    node += "        modules:\n          - module_type: pass_passage_augmenter\n"
    text = TEXT.replace("[retrieval_mrr, retrieval_recall]", f"[{judge}]").replace("[retrieval_ndcg]", f"[{judge}]")
    text = text.replace("      - node_type: passage_reranker", f"{node}      - node_type: passage_reranker")
    nodes = {item.node: item.metrics for item in read_space(text, "small.yaml").space.nodes}
    names = {name: metrics[0].partition("@")[0] for name, metrics in nodes.items()}
    assert names["retrieval"] == "context_precision_10" and names["augmenter"] == "context_precision_15"
    assert names["reranker"] == "context_precision"


def test_a_difference_to_autorag_is_noted(everything: AutoragReading) -> None:
    sentences = {note.subject: note.sentence for note in everything.notes if "keeps the best one" in note.sentence}
    assert set(sentences) == {"passage_filter / threshold_cutoff"}


@pytest.mark.parametrize(
    ("node", "module", "parameter"),
    [
        ("query_expansion", "hyde", "num_texts"),
        ("passage_augmenter", "prev_next_augmenter", "num_passage"),
        ("passage_reranker", "monot5", "modelname"),
        ("passage_filter", "percentile_cutoff", "percent"),
        ("passage_compressor", "tree_summarize", "depth"),
        ("prompt_maker", "long_context_reorder", "order"),
    ],
)
def test_an_unknown_parameter_of_any_node_is_an_error_with_its_line(node: str, module: str, parameter: str) -> None:
    text = (
        f"      - node_type: {node}\n        modules:\n          - module_type: {module}\n            {parameter}: 1\n"
    )
    start, mark, rest = TEXT.partition("      - node_type: generator")
    line = (start + text).count("\n")
    with pytest.raises(UsageError, match=f"small.yaml”, line {line}: Unknown parameter .*“{parameter}”"):
        read_space(start + text + mark + rest, "small.yaml")


def test_retrieval_is_taken_over() -> None:
    assert values(small().space, "retrieval") == [
        {"retriever": ("lexical",), "candidates": (12,)},
        {"retriever": ("dense",), "candidates": (12,), "encoder": ("bge-m3",)},
        {"retriever": ("rrf",), "candidates": (12,), "rrf_k": (5, 10), "encoder": ("bge-m3",)},
    ]


def test_rerankers_and_top_k_are_taken_over() -> None:
    assert values(small().space, "reranker") == [
        {"reranker": ("pass",), "k": (4,)},
        {"k": (4,), "reranker": ("cross-encoder:cross-encoder/ms-marco-MiniLM-L-2-v2",)},
    ]


def test_variables_are_filled_in() -> None:
    assert values(small().space, "generator") == [{"generator": ("gpt-4o", "gpt-3.5-turbo")}]


def test_strategies_are_taken_over() -> None:
    nodes = {item.node: item for item in small().space.nodes}
    assert (nodes["retrieval"].metrics, nodes["retrieval"].selection) == (("mrr", "recall@10"), "rank")
    assert nodes["retrieval"].max_seconds == 3
    assert (nodes["reranker"].metrics, nodes["reranker"].max_tokens) == (("ndcg@5_reranked",), 900)
    assert (nodes["generator"].metrics, nodes["generator"].selection) == (("meteor", "rouge_l"), "normalised-mean")
    assert small().space.objective == "meteor"


def test_a_refused_module_is_left_out_with_the_reason() -> None:
    note = next(note for note in small().notes if note.fate == "refused")
    assert (note.line, note.subject) == (28, "passage_reranker / cohere_reranker")
    assert note.sentence.startswith("There is no adapter for Cohere's reranking service")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rrf_k: [5", "rrfk: [5", "line 20: Unknown parameter of AutoRAG's hybrid_rrf “rrfk”. Allowed: .*rrf_k"),
        ("top_k: 12", "topk: 12", "line 14: Unknown parameter of AutoRAG's node retrieval “topk”"),
        ("module_type: bm25", "module_type: bm52", "line 16: Unknown AutoRAG module “bm52”"),
        ("node_type: generator", "node_type: writer", "line 29: Unknown AutoRAG node “writer”"),
        ("retrieval_mrr", "retrieval_mmr", "line 11: Unknown AutoRAG metric “retrieval_mmr”"),
        ("strategy: rank", "strategy: best", "line 12: Unknown AutoRAG strategy “best”"),
        ("speed_threshold: 3", "speed_limit: 3", "line 13: Unknown key of an AutoRAG strategy “speed_limit”"),
        ("speed_threshold: 3", "speed_threshold: fast", "line 13: speed_threshold is “fast”"),
        ("${answering}", "${other}", "line 34: “\\$\\{other\\}” has no value: write it below vars"),
        ("node_line_name", "line_name", "line 7: A node line has no “line_name”"),
        ("vars:", "variables:", "Unknown AutoRAG configuration key “variables”"),
        (
            "modules:\n          - module_type: llama_index_llm",
            "others:\n          - module_type: llama_index_llm",
            "line 29: The node generator needs a list of modules",
        ),
    ],
)
def test_a_name_that_autorag_does_not_have_is_an_error_with_its_line(before: str, after: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        small(before, after)


def test_the_environment_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("other", "gpt-4o")
    with pytest.raises(UsageError, match="has no value"):
        small("${answering}", "${other}")


def test_a_key_is_never_repeated() -> None:
    reading = small("llm: openai\n", "llm: openai\n            api_key: sk-secret\n")
    assert "Keys are read from environment variables" in " ".join(note.sentence for note in reading.notes)
    assert "sk-secret" not in repr(reading)


def test_the_weights_of_a_combination_are_the_semantic_share() -> None:
    assert lexical_shares({"weight_range": ["(0.2, 0.8)"], "test_weight_size": [4]}) == pytest.approx(
        [0.8, 0.6, 0.4, 0.2]
    )
    assert lexical_shares({"weight": [0.3]}) == pytest.approx([0.7])


def test_older_weights_are_those_of_the_target_modules() -> None:
    weights = {"weights": ["(0.7, 0.3)"]}
    assert lexical_shares({**weights, "target_modules": ["('bm25', 'vectordb')"]}) == [0.7]
    assert lexical_shares({**weights, "target_modules": ["('vectordb', 'bm25')"]}) == [0.3]


def test_a_range_of_rrf_is_every_whole_number() -> None:
    assert rrf_constants({"weight_range": ["(4, 7)"]}) == [4, 5, 6, 7]


def test_without_a_reranker_the_generator_reads_what_was_retrieved() -> None:
    start, _, rest = TEXT.partition("      - node_type: passage_reranker")
    text = start + "      - node_type: generator" + rest.partition("      - node_type: generator")[2]
    assert read_space(text, "small.yaml").space.recipe["k"] == 12


def test_a_space_of_ours_is_read_as_one() -> None:
    text = "nodes:\n- node: reranker\n  modules:\n  - name: k\n    values: {k: [3, 5]}\n"
    reading = read_space(text, "ours.yaml")
    assert (reading.space.size, reading.notes) == (2, ())


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        read_space_file(tmp_path / "none.yaml")


def test_a_space_written_for_autorag_is_read_back_with_what_autorag_has_names_for() -> None:
    text, notes = autorag_of(example_space("with-models"))
    nodes = {node.node: node for node in autorag_from_text(text, "autorag.yaml").space.nodes}
    values = {
        (node, field): {value for module in nodes[node].modules for value in module.values.get(field, ())}
        for node, field in (
            ("retrieval", "retriever"),
            ("retrieval", "fusion_weight"),
            ("retrieval", "rrf_k"),
            ("reranker", "k"),
            ("query-expansion", "query_expansion"),
            ("generator", "generator"),
        )
    }
    assert values == {
        ("retrieval", "retriever"): {"lexical", "dense", "rrf", "cc"},
        ("retrieval", "fusion_weight"): {0.3, 0.5, 0.7},
        ("retrieval", "rrf_k"): {10, 60},
        ("reranker", "k"): {5, 10},
        ("query-expansion", "query_expansion"): {"none", "decompose", "hyde", "multi-query"},
        ("generator", "generator"): {"llama-3.2-1b-instruct", "llama-3-8b-instruct", "command-r-35b"},
    }
    assert "mode" in {note.subject for note in notes} and "# Left out: mode: " in text


def test_a_reader_that_autorag_cannot_call_is_left_out_with_its_prompts() -> None:
    text, notes = autorag_of(example_space("first-search"))
    kinds = [node["node_type"] for line in yaml.safe_load(text)["node_lines"] for node in line["nodes"]]
    assert kinds == ["lexical_retrieval", "semantic_retrieval", "hybrid_retrieval", "passage_reranker"]
    assert any(note.sentence == "AutoRAG has no module for generator = extractive." for note in notes)
