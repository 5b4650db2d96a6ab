"""The nodes that a search space may have, in the order of the pipeline, and the recipe's fields that belong to each.

A node is a step of the pipeline at which one module is taken (Kim et al. 2024, section 3.1.1). Query expansion to
generator are AutoRAG's; mode, scope, question translation, language balance, translator, prompt variant and dialectic
are mRAG's. Which node a field belongs to stands at the field; one that names none belongs to the last, so that every
field can be searched over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from workbench.core import unknown_name
from workbench.pipeline import Node, fields_of_node


@dataclass(frozen=True, slots=True)
class NodeType:
    """A node: `fields` are dotted where they lie within another, as `dialectic.prompts`. `title` is for people."""

    name: str
    title: str
    fields: tuple[str, ...]
    explanation: str


_TABLE: tuple[tuple[Node, str, str], ...] = (
    ("corpus", "Corpus", "Which passages are searched, where one was split in several ways."),
    ("mode", "Mode", "The way of doing RAG."),
    ("scope", "Scope", "Which languages are searched."),
    ("question-translation", "Question translation",
     "Whether the search is in English too where the mode does not say so."),
    ("translator", "Translator", "What translates questions, passages and answers."),
    ("query-expansion", "Query expansion", "What is searched with besides, or instead of, the question."),
    ("retrieval", "Retrieval", "How candidates are ranked."),
    ("language-balance", "Language balance", "How the languages' rankings become one."),
    ("augmenter", "Neighbouring passages", "Whether the passages before and after a hit join."),
    ("reranker", "Reranker", "What orders the candidates anew, and how many remain."),
    ("filter", "Passage filter", "Which passages are dropped."),
    ("compressor", "Compressor", "What shortens the passages."),
    ("prompt-maker", "Passage order", "The order of the passages in the prompt."),
    ("prompt-variant", "Prompt", "The instructions around question and passages."),
    ("dialectic", "D-RAG's parts", "Which steps of an argument precede the answer."),
    ("generator", "Generator", "What writes the answer."),
    ("other", "Other choices", "Whatever else a recipe fixes."),
)  # fmt: skip


@cache
def node_types() -> tuple[NodeType, ...]:
    """All nodes in the order of the pipeline, each with its fields as `Recipe` describes them."""
    return tuple(NodeType(name, title, tuple(fields_of_node(name)), explanation) for name, title, explanation in _TABLE)


def node_type(name: str) -> NodeType:
    """The node called `name`. Raises UsageError."""
    rows = {row.name: row for row in node_types()}
    if name not in rows:
        raise unknown_name("node", name, rows, "For example: retrieval")
    return rows[name]
