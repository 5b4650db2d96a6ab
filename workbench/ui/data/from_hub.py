"""A dataset of the Hugging Face hub: its name, and which column is what. Nothing is fetched before Import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from workbench.datasets.formats import hub
from workbench.datasets.formats.table import Columns
from workbench.ui.data import uploading
from workbench.ui.data.formats import HUB, Source
from workbench.ui.shared import safe_html

if TYPE_CHECKING:
    from workbench.datasets.collection import Collection


def draw() -> Source | None:
    """What to fetch; None as long as the dataset or its language is lacking."""
    dataset, configuration, split = _dataset()
    columns, code, wanted = _columns()
    if not dataset:
        return None
    which = f"the split “{split}” of “{dataset}”" + (f", configuration “{configuration}”," if configuration else "")
    safe_html.message(f"Import fetches {which} from {hub.host()}. Until then nothing is fetched, and nobody is asked.")

    @contextmanager
    def source() -> Iterator[Collection]:
        yield hub.read_hub(dataset, columns, config=configuration, split=split, code=code, wanted=wanted)

    return source if code or columns.language else None


def _dataset() -> tuple[str, str, str]:
    name, configuration, split = st.columns([1.6, 1, 0.8], gap="medium")
    return (
        name.text_input("Dataset on the hub", key="data_hub", placeholder="google/xquad").strip(),
        configuration.text_input(
            "Configuration", key="data_hub_config", placeholder="none", help="Where the dataset has several: xquad.en"
        ).strip(),
        split.text_input("Split", "test", key="data_hub_split").strip() or "test",
    )


def _columns() -> tuple[Columns, str, list[str]]:
    """The mapping, the language of all rows ("" where a column says it) and, where one does, the languages to take."""
    places = st.columns(4, gap="small")
    given = {
        field: place.text_input(f"Column of the {field}", default, key=f"data_hub_{field}", placeholder="none").strip()
        for place, (field, default) in zip(
            places, {"question": "question", "answers": "answers", "id": "id", "language": ""}.items(), strict=True
        )
    }
    left, right = st.columns([1, 1], gap="medium")
    separator = left.text_input("Answers parted by", key="data_hub_separator", placeholder="|", max_chars=5)
    with right:
        if given["language"]:
            code, wanted = "", uploading.languages("Languages to take", HUB)
        else:
            code, wanted = uploading.one_language(HUB, "Language of all rows"), []
    return Columns(**{**given, "question": given["question"] or "question"}, separator=separator), code, wanted
