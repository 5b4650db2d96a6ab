"""Labels that people exchange for each other: which to merge, and which to define better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import streamlit as st

from workbench.annotation import (
    LEAST_MERGED,
    AnnotationQueue,
    LabelMerging,
    LabelPair,
    LabelStore,
    QueueStore,
    Taxonomy,
    label_merging,
)
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.interval_chart import NOTHING_STATED, interval_chart, long_rows

if TYPE_CHECKING:
    from pandas import DataFrame

LANGUAGE = "inspect_merging_language"
SERIES = {"before": "α as it is", "after": "α with both as one label"}
ADVICE = (
    "Merge two labels if nobody needs their difference; otherwise define them better. A higher α alone is no reason: "
    "fewer labels are easier to agree on. For context, Cruz Blandón et al. (2025, MEMERAG) report .64 to .86 for "
    "coarse labels and .16 to .46 for fine ones."
)


def draw(queue: AnnotationQueue) -> None:
    """The folded part of the page; computed only while it is open."""
    with st.expander(
        "Labels that people exchange", icon=":material/merge:", key="inspect_merging", on_change="rerun"
    ) as part:
        if not part.open:
            return
        store = result_frames.store()
        queues = QueueStore(store)
        codes = ["", *sorted({item.language for item in queues.items(queue.id)})]
        if st.session_state.get(LANGUAGE) not in codes:
            st.session_state[LANGUAGE] = codes[0]
        code = st.selectbox(
            "Language of the answers",
            codes,
            key=LANGUAGE,
            format_func=lambda item: language_option(item) if item else "All languages",
            help="A definition may be clear in one language and not in another.",
        )
        result = label_merging(queues, LabelStore(store), queue.id, code)
        taxonomy = queues.taxonomy_of(queue.id)
        safe_html.message(merging_words(result, taxonomy))
        if not result.pairs:
            return
        frame = merging_frame(result.pairs, taxonomy)
        chart = interval_chart(
            long_rows(frame, SERIES),
            "Would people agree more with one label instead of two?",
            f"95 % intervals; n = {result.n:,} answers labelled by two or more",
            "Krippendorff's α",
            number=".2f",
            empty=NOTHING_STATED,
        )
        figure.draw(chart, frame, "label-merging", (queue.id, code, [astuple(row.after) for row in result.pairs]))


def merging_words(result: LabelMerging, taxonomy: Taxonomy) -> str:
    """What the exchanges say, in a few sentences."""
    if not result.n:
        return (
            "This needs answers that two people have completed: "
            f"α is stated from {LEAST_MERGED} on. There are none yet."
        )
    if not result.pairs:
        return f"Nobody exchanged two labels on the {result.n:,} answers that two people or more completed."
    first = result.pairs[0]
    names = [taxonomy.label(key).name for key in (first.first, first.second)]
    words = (
        f"Most often exchanged: “{names[0]}” and “{names[1]}”, on {first.exchanged:,} of the {first.together:,} "
        "answers that got one of them from somebody."
    )
    few = f" α is stated from {LEAST_MERGED} answers on; there are {result.n:,}." if result.n < LEAST_MERGED else ""
    return f"{words}{few} {ADVICE}"


def merging_frame(rows: Sequence[LabelPair], taxonomy: Taxonomy) -> DataFrame:
    """A row per pair of labels with its exchanges, and α before and after with the change."""
    from pandas import DataFrame

    records = []
    for row in rows:
        record: dict[str, object] = {
            "name": f"{taxonomy.label(row.first).name} / {taxonomy.label(row.second).name}",
            "first": row.first,
            "second": row.second,
            "exchanged": row.exchanged,
            "of": row.together,
            "pairs_of_people": row.pairs,
            "n": row.n,
        }
        for name in ("before", "after", "change"):
            record.update(zip((name, f"{name}_low", f"{name}_high"), astuple(getattr(row, name)), strict=True))
        records.append(record)
    return DataFrame(records)
