"""The nodes that a search space may have, in the order of the pipeline, and the recipe's fields that belong to each.

A node is a step of the pipeline at which one module is taken (Kim et al. 2024, section 3.1.1). Query expansion to
generator are AutoRAG's; mode, scope, question translation, language balance, translator, prompt variant and dialectic
are mRAG's. A field of a recipe that is in no row belongs to the last node, so every field can be searched over.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import unknown_name
from workbench.pipeline import Recipe


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node: `fields` are dotted where they lie within another, as `dialectic.prompts`. `title` is for people."""

    name: str
    title: str
    fields: tuple[str, ...]
    explanation: str


_DIALECTIC = tuple(f"dialectic.{part}" for part in ("extraction", "explanation", "argumentation", "argument_language"))

_TABLE: tuple[NodeType, ...] = (
    NodeType("corpus", "Corpus", ("corpus",), "Which passages are searched, where one was split in several ways."),
    NodeType("mode", "Mode", ("mode",), "The way of doing RAG."),
    NodeType("scope", "Scope", ("scope",), "Which languages are searched."),
    NodeType("question-translation", "Question translation", ("translate_question",),
             "Whether the search is in English too where the mode does not say so."),
    NodeType("translator", "Translator", ("translator",), "What translates questions, passages and answers."),
    NodeType("query-expansion", "Query expansion", ("query_expansion", "expander"),
             "What is searched with besides, or instead of, the question."),
    NodeType("retrieval", "Retrieval",
             ("retriever", "encoder", "candidates", "rrf_k", "fusion_weight", "fusion_depth", "normalisation",
              "centring", "levelling", "sentence_share", "builtin_view", "exact_search"),
             "How candidates are ranked."),
    NodeType("language-balance", "Language balance", ("balance",), "How the languages' rankings become one."),
    NodeType("augmenter", "Neighbouring passages", ("neighbours", "neighbour_side"),
             "Whether the passages before and after a hit join."),
    NodeType("reranker", "Reranker", ("reranker", "k"), "What orders the candidates anew, and how many remain."),
    NodeType("filter", "Passage filter", ("score_threshold", "score_percentile"), "Which passages are dropped."),
    NodeType("compressor", "Compressor", ("compressor", "compressor_model"), "What shortens the passages."),
    NodeType("prompt-maker", "Passage order", ("passage_order",), "The order of the passages in the prompt."),
    NodeType("prompt-variant", "Prompt", ("prompt", "user_turn"), "The instructions around question and passages."),
    NodeType("dialectic", "D-RAG's parts",
             ("dialectic", *_DIALECTIC, "dialectic.prompts", "dialectic.argument_language_in"),
             "Which steps of an argument precede the answer."),
    NodeType("generator", "Generator", ("generator", "max_new_tokens"), "What writes the answer."),
)  # fmt: skip

OTHER = "other"
"""The name of the node for fields that no row has."""
MODEL_FIELDS = ("generator", "encoder", "reranker", "translator", "expander", "compressor_model")
"""Fields that name models, those that matter most for an answer first."""


def unlisted_fields() -> tuple[str, ...]:
    """The fields of a recipe that belong to no node of the table."""
    listed = {field for row in _TABLE for field in row.fields}
    return tuple(name for name in Recipe.model_fields if name not in listed)


def node_types() -> tuple[NodeType, ...]:
    """All nodes in the order of the pipeline, each with those of its fields that a recipe has."""
    last = NodeType(OTHER, "Other choices", unlisted_fields(), "Whatever else a recipe fixes.")
    rows = (*_TABLE, last)
    return tuple(
        NodeType(row.name, row.title, tuple(name for name in row.fields if _is_field(name)), row.explanation)
        for row in rows
    )


def node_type(name: str) -> NodeType:
    """The node called `name`. Raises UsageError."""
    rows = {row.name: row for row in node_types()}
    if name not in rows:
        raise unknown_name("node", name, rows, "For example: retrieval")
    return rows[name]


def _is_field(name: str) -> bool:
    return name.partition(".")[0] in Recipe.model_fields
