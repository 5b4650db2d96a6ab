"""A dataset of the Hugging Face hub: its name and its columns. Nothing is fetched before Import is pressed."""

from __future__ import annotations

import streamlit as st

from workbench.data import SEPARATOR, Columns, host
from workbench.jobs import DatasetSource
from workbench.ui.imports import from_table, uploading
from workbench.ui.imports.formats import HUB, Upload
from workbench.ui.parts import safe_html


def draw(needed: list[str]) -> Upload | None:
    """What to fetch; None as long as the dataset or its language is missing, which `needed` then names."""
    dataset, configuration, split = _dataset()
    columns, code, languages = _columns()
    if not dataset:
        needed.append("dataset on the hub")
    if not (code or columns.language):
        needed.append("language")
    if not dataset:
        return None
    source_words = f"the split “{split}” of “{dataset}”" + (
        f", configuration “{configuration}”," if configuration else ""
    )
    safe_html.message(f"Import fetches {source_words} from {host()}. No request is sent before that.")

    source = DatasetSource(
        HUB, code, languages, columns=columns, dataset=dataset, configuration=configuration, split=split
    )
    return Upload(source) if code or columns.language else None


def _dataset() -> tuple[str, str, str]:
    name, configuration, split = st.columns([1.6, 1, 0.8], gap="medium")
    return (
        name.text_input(
            "Dataset on the hub",
            key="data_hub",
            placeholder="google/xquad",
            help="Its name on huggingface.co, with the owner before the slash. It is downloaded from there.",
        ).strip(),
        configuration.text_input(
            "Configuration",
            key="data_hub_config",
            placeholder="none",
            help="For a dataset with several, such as xquad.en",
        ).strip(),
        split.text_input(
            "Split",
            "test",
            key="data_hub_split",
            help="The part of the dataset to import, such as test or validation.",
        ).strip()
        or "test",
    )


def _columns() -> tuple[Columns, str, list[str]]:
    """The columns, the language of all rows ("" where a column has it) and, if a column has it, those to import."""
    places = st.columns(4, gap="small")
    labels = from_table.COLUMN_LABELS
    names = {
        field: place.text_input(labels[field], default, key=f"data_hub_{field}", placeholder="none").strip()
        for place, (field, default) in zip(
            places, {"question": "question", "answers": "answers", "id": "id", "language": ""}.items(), strict=True
        )
    }
    left, middle, right = st.columns([1, 1, 1.6], gap="medium")
    separator = left.text_input(
        "Answer separator",
        SEPARATOR,
        key="data_hub_separator",
        placeholder="nothing",
        max_chars=5,
        help="Between several right answers in one cell. Leave it empty where each cell holds one.",
    )
    unanswerable = middle.text_input(
        from_table.UNANSWERABLE_LABEL,
        key="data_hub_unanswerable",
        placeholder="none",
        help="The column that says, by yes or no, whether the corpus has no answer.",
    )
    with right:
        if names["language"]:
            code, languages = "", uploading.languages("Languages to import", HUB)
        else:
            code, languages = uploading.one_language(HUB, "Language of all rows"), []
    columns = Columns(
        **{**names, "question": names["question"] or "question"},
        separator=separator,
        unanswerable=unanswerable.strip(),
    )
    return columns, code, languages
