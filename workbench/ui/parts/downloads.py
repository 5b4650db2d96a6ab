"""Files to download: the answer as JSON, the recipe as YAML, the documents as CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from workbench.app import answer_to_json
from workbench.core import Answer, Evidence, Translation
from workbench.pipeline import Recipe, recipe_to_yaml
from workbench.workspace import csv_text


def documents_csv(evidence: Sequence[Evidence]) -> str:
    """One row per document, with a column for every score."""
    scores = list(dict.fromkeys(name for item in evidence for name in item.scores))
    head = [
        "rank",
        "id",
        "title",
        "document",
        "page",
        "heading",
        "language",
        "text",
        "translation",
        "translation_kind",
        "translation_match",
    ]
    return csv_text([(*head, *scores), *(_row(item, scores) for item in evidence)])


def _row(item: Evidence, scores: Sequence[str]) -> tuple[object, ...]:
    passage = item.passage
    return (
        *(item.rank, passage.id, passage.title, passage.document, passage.page or "", passage.heading),
        *(passage.language, passage.text, *_translation_cells(item.translation)),
        *map(item.scores.get, scores),
    )


def _translation_cells(translation: Translation | None) -> tuple[object, object, object]:
    """Text, kind and match."""
    if translation is None:
        return ("", "", "")
    return (translation.text, translation.kind, "" if translation.match is None else translation.match)


def answer_json(answer: Answer, recipe: Recipe) -> str:
    """The same JSON as `python -m workbench ask --json`."""
    return json.dumps(answer_to_json(answer, recipe), ensure_ascii=False, indent=2)


def buttons(answer: Answer, recipe: Recipe) -> None:
    """One download button per file."""
    with st.container(horizontal=True, gap="small"):
        _button("Answer (JSON)", answer_json(answer, recipe), "answer.json", "application/json")
        _button("Recipe (YAML)", recipe_to_yaml(recipe), "recipe.yaml", "application/yaml")
        # By a byte order mark spreadsheets recognise UTF-8.
        _button("Documents (CSV)", "\ufeff" + documents_csv(answer.evidence), "documents.csv", "text/csv")


def _button(label: str, data: str, name: str, mime: str) -> None:
    st.download_button(label, data, name, mime, key=f"download_{name}", on_click="ignore", icon=":material/download:")
