"""Prompts as checked data: variants and families in thirteen languages, the RAG layout, and D-RAG with its parser."""

from workbench.pipeline.prompts.compose import RenderedPrompt, render
from workbench.pipeline.prompts.sections import PARTS, parse
from workbench.pipeline.prompts.variant import (
    DEFAULT_VARIANT,
    FAMILIES,
    PROMPTS,
    VARIANTS,
    Variant,
    answer_language,
    entities_in,
    variant,
)

__all__ = [
    "DEFAULT_VARIANT",
    "FAMILIES",
    "PARTS",
    "PROMPTS",
    "VARIANTS",
    "RenderedPrompt",
    "Variant",
    "answer_language",
    "entities_in",
    "parse",
    "render",
    "variant",
]
