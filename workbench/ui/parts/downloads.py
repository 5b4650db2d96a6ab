"""Files to download: one button, JSON and CSV for all of them; and those of an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from workbench.app import answer_to_json
from workbench.core import Answer, Evidence
from workbench.pipeline import Recipe, recipe_to_yaml
from workbench.workspace import csv_text

TYPES = {"csv": "text/csv", "json": "application/json", "jsonl": "application/jsonl", "yaml": "application/yaml"}
"""Media types by a file name's ending; others are sent as text or bytes."""
PLACE = ("rank", "id", "title", "document", "page", "heading", "language", "text")
TRANSLATION = ("translation", "translation_kind", "translation_match")


def button(
    label: str,
    data: str | bytes | Callable[[], str | bytes],
    name: str,
    key: str = "",
    *,
    help: str | None = None,
    icon: str = "download",
    type: Literal["primary", "secondary"] = "secondary",
    disabled: bool = False,
) -> None:
    """A button for a file of this `name`, by whose ending its type is known; functions are called when it is pressed.

    A CSV that is given as text gets a byte order mark here, by which spreadsheets recognise UTF-8.
    """
    st.download_button(
        label,
        f"\ufeff{data}" if name.endswith(".csv") and isinstance(data, str) else data,
        name,
        TYPES.get(name.rpartition(".")[2]),
        key=key or f"download_{name}",
        on_click="ignore",
        icon=f":material/{icon}:",
        type=type,
        disabled=disabled,
        help=help,
    )


def json_text(value: object) -> str:
    """Plain values as JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def documents_csv(evidence: Sequence[Evidence]) -> str:
    """One row per document, with a column for every score."""
    scores = list(dict.fromkeys(name for item in evidence for name in item.scores))
    return csv_text([(*PLACE, *TRANSLATION, *scores), *(_document(item, scores) for item in evidence)])


def _document(item: Evidence, scores: Sequence[str]) -> list[object]:
    passage, translation = item.passage, item.translation
    place = [item.rank, passage.id, passage.title, passage.document, passage.page or None, passage.heading]
    translated = (translation.text, translation.kind, translation.match) if translation else (None,) * len(TRANSLATION)
    return [*place, passage.language, passage.text, *translated, *map(item.scores.get, scores)]


def answer_json(answer: Answer, recipe: Recipe) -> str:
    """The same JSON as `python -m workbench ask --json`."""
    return json_text(answer_to_json(answer, recipe))


def of_answer(answer: Answer, recipe: Recipe) -> None:
    """A menu with the files of an answer, one button for each."""
    menu = st.popover("Download", icon=":material/download:", key="downloads", on_change="rerun")
    if menu.open:
        with menu:
            button("Answer (JSON)", lambda: answer_json(answer, recipe), "answer.json")
            button("Recipe (YAML)", lambda: recipe_to_yaml(recipe), "recipe.yaml")
            button("Documents (CSV)", documents_csv(answer.evidence), "documents.csv")
