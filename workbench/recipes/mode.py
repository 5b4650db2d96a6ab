"""The modes: ways of doing RAG, as people are told of them. What each does, step by step, stands in `modes.py`."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import unknown_name
from workbench.recipes.scope import ScopeName


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of doing RAG, as people are told of it. `scope` is the one its paper defines; `source` names the paper."""

    name: str
    title: str
    scope: ScopeName
    source: str
    explained: str


MODES: tuple[Mode, ...] = (
    Mode(
        "baseline",
        "No retrieval",
        "all",
        "Chirkova et al. 2024, Table 1",
        "The generator answers from what it knows. No documents.",
    ),
    Mode(
        "monorag",
        "monoRAG",
        "ul",
        "Ranaldi et al. 2025, CrossRAG",
        "Search in the user's language with the question as asked; hand over what was found as it is.",
    ),
    Mode(
        "trag",
        "tRAG",
        "en",
        "Ranaldi et al. 2025, CrossRAG",
        "Translate the question to English, search English, answer the original question.",
    ),
    Mode(
        "multirag",
        "MultiRAG",
        "all",
        "Ranaldi et al. 2025, CrossRAG",
        "Search every language with the question as asked; documents stay in their languages.",
    ),
    Mode(
        "crossrag",
        "CrossRAG",
        "all",
        "Ranaldi et al. 2025, CrossRAG",
        "Search every language, then translate each found document to English before answering.",
    ),
    Mode(
        "drag",
        "D-RAG",
        "all",
        "Ranaldi et al. 2025, Dialectic-RAG",
        "Search every language, then extract, explain and weigh the documents' claims against each "
        "other before answering.",
    ),
    Mode(
        "pivot",
        "Pivot",
        "all",
        "Singh et al., document QA",
        "Translate the question to English, answer in English, translate the answer back.",
    ),
)


def mode(name: str) -> Mode:
    """The mode called `name`. Raises UsageError."""
    for known in MODES:
        if known.name == name.casefold():
            return known
    raise unknown_name("mode", name, [item.name for item in MODES], "For example: --mode multirag")
