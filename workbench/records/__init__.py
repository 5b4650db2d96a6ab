"""Frozen values that are passed between layers, without behaviour that needs storage or a screen."""

from workbench.records.answer import (
    Answer,
    Compression,
    Expansion,
    Finish,
    Generation,
    Sections,
    Span,
    Step,
    Usage,
    total_usage,
)
from workbench.records.passage import Document, Evidence, Hit, Passage, Ranking, top_k, with_score
from workbench.records.question import Question
from workbench.records.task import Prompt, Query, Task
from workbench.records.translation import Translation

__all__ = [
    "Answer",
    "Compression",
    "Document",
    "Evidence",
    "Expansion",
    "Finish",
    "Generation",
    "Hit",
    "Passage",
    "Prompt",
    "Query",
    "Question",
    "Ranking",
    "Sections",
    "Span",
    "Step",
    "Task",
    "Translation",
    "Usage",
    "top_k",
    "total_usage",
    "with_score",
]
