"""The modes: ways of doing RAG, described for people. The stages of each are in `pipeline/chain.py`."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import unknown_name
from workbench.pipeline.recipes.scope import ScopeName


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of doing RAG, described for people. `scope` is the one its paper defines; `source` names the paper."""

    name: str
    title: str
    scope: ScopeName
    source: str
    explanation: str


MODES: tuple[Mode, ...] = (
    Mode(
        "baseline",
        "No retrieval",
        "all",
        "Chirkova et al. (2024), Table 1",
        "The generator answers from what it knows. No documents.",
    ),
    Mode(
        "monorag",
        "monoRAG",
        "ul",
        "Ranaldi et al. (2025, CrossRAG)",
        "Search the user's language with the question as typed; the passages are given to the generator as they are.",
    ),
    Mode(
        "trag",
        "tRAG",
        "en",
        "Ranaldi et al. (2025, CrossRAG)",
        "Translate the question to English, search English, answer the original question.",
    ),
    Mode(
        "multirag",
        "MultiRAG",
        "all",
        "Ranaldi et al. (2025, CrossRAG)",
        "Search every language with the question as typed; documents stay in their languages.",
    ),
    Mode(
        "crossrag",
        "CrossRAG",
        "all",
        "Ranaldi et al. (2025, CrossRAG)",
        "Search every language, then translate each retrieved document to English before answering.",
    ),
    Mode(
        "drag",
        "D-RAG",
        "all",
        "Ranaldi et al. (2025, D-RAG)",
        "Search every language, then extract, explain and weigh the documents' claims against each "
        "other before answering.",
    ),
    Mode(
        "pivot",
        "Pivot",
        "all",
        "Singh et al. (n.d.)",
        "Translate the question to English, answer in English, translate the answer back.",
    ),
)


def mode(name: str) -> Mode:
    """The mode called `name`. Raises UsageError."""
    for known in MODES:
        if known.name == name.casefold():
            return known
    raise unknown_name("mode", name, [item.name for item in MODES], command="For example: --mode multirag")
