"""Frozen values that travel between layers. They hold no behaviour that needs storage or a screen."""

from workbench.records.answer import Answer, Generation, Sections, Span, Step
from workbench.records.passage import Document, Evidence, Hit, Passage, Ranking
from workbench.records.question import Question
from workbench.records.task import Prompt, Query, Task
from workbench.records.translation import Translation

__all__ = [
    "Answer",
    "Document",
    "Evidence",
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
]
