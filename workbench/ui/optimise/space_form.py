"""The form of a search space: where it begins, its questions, its nodes, and the same as YAML."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.core import UsageError
from workbench.experiments import ALL, RERANKED
from workbench.metrics import MEASURES, RANKING_MEASURES as RANKINGS
from workbench.optimise import SearchSpace, SpaceNode, example_space, example_spaces, space_to_yaml
from workbench.ui.optimise import space_draft
from workbench.ui.optimise.space_draft import KEY
from workbench.ui.parts import access, recipe_form, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.safe_html import escaped, inline, table

BEGIN, FILE = "optimise_begin", "optimise_file"
OBJECTIVES = (*MEASURES, *RANKINGS, *RERANKED)
FATES = {"taken over": "wb-ready", "left out": "wb-idle", "refused": "wb-missing"}


def draw() -> SearchSpace:
    """The controls; returns the space that they define. Raises UsageError for one that is not valid."""
    space_draft.restore()
    _begin()
    base = space_draft.template()
    _questions(base)
    st.markdown(
        "**Nodes**, in the order of the pipeline. A recipe takes one module of each, with one value of each field."
    )
    for number, node in enumerate(base.nodes):
        _node(number, node)
    problem: UsageError | None = None
    try:
        space = space_draft.draft()
    except UsageError as error:
        problem = error
    _as_yaml()
    if problem is not None:
        raise problem
    if sentence := st.session_state.get(space_draft.PROBLEM):
        raise UsageError(sentence)
    return space


def _begin() -> None:
    left, right = st.columns([1, 1.4], gap="medium")
    names = list(example_spaces())
    with left:
        st.selectbox(
            "Begin with",
            names,
            key=BEGIN,
            index=None,
            placeholder="A space that ships",
            format_func=lambda name: example_space(name).name,
            on_change=_begun,
            help="Fills the form with a space that ships; change whatever you like.",
        )
    with right:
        st.file_uploader(
            "Or load a YAML file",
            ["yaml", "yml"],
            key=FILE,
            on_change=_loaded,
            help="A search space of the workbench, or AutoRAG's: each of its modules is taken over or refused.",
        )
    notes = st.session_state.get(space_draft.NOTES, ())
    if not notes:
        return
    counts = {fate: sum(note.fate == fate for note in notes) for fate in FATES}
    words = ", ".join(f"{count:,} {fate}" for fate, count in counts.items() if count)
    with st.expander(f"What became of AutoRAG's configuration: {words}", key="optimise_notes_fold", expanded=True):
        rows = [
            [
                inline(note.subject, css="wb-title"),
                safe_html.element("span", escaped(note.fate), css=FATES[note.fate]),
                inline(note.sentence),
                escaped(f"line {note.line:,}"),
            ]
            for note in notes
        ]
        safe_html.show(table(["Part", "What became of it", "How or why", "Where"], rows, css="wb-stacked"))


def _begun() -> None:
    if name := st.session_state[BEGIN]:
        space_draft.put(example_space(name))


def _loaded() -> None:
    file = st.session_state[FILE]
    if file is not None:
        space_draft.put_text(file.getvalue().decode("utf-8", errors="replace"), file.name)


def _questions(base: SearchSpace) -> None:
    datasets = {item.name: item for item in access.datasets()}
    left, middle, right = st.columns(3, gap="medium")
    with left:
        st.text_input(
            "Name", key=f"{KEY}name", persist_state="page", max_chars=200, help="What the search is called in the list."
        )
        st.selectbox(
            "Objective",
            list(dict.fromkeys([*OBJECTIVES, base.objective])),
            key=f"{KEY}objective",
            persist_state="page",
            help="The metric that the best recipe is best at. For a judged one, write judge and metric in the YAML.",
        )
    with middle:
        _several("datasets", "Datasets", list(datasets), help_="Sets of questions with their gold answers.")
        selected = [datasets[name] for name in st.session_state[f"{KEY}datasets"] if name in datasets]
        codes = dict.fromkeys(code for item in selected for code in item.languages)
        _several("languages", "Question languages", [ALL, *codes], help_="The languages that questions are asked in.")
    with right:
        columns = st.columns([1.3, 1], vertical_alignment="bottom")
        with columns[1]:
            every = st.toggle(
                "All", key=f"{KEY}all_questions", persist_state="page", help="All questions of every dataset."
            )
        with columns[0]:
            st.number_input(
                "Questions per language", 1, 1_000_000, key=f"{KEY}questions", disabled=every, persist_state="page",
                help="A random sample; the same questions in every language if the dataset is parallel.",
            )  # fmt: skip
        st.number_input(
            "Seed",
            0,
            2**31 - 1,
            key=f"{KEY}seed",
            persist_state="page",
            help="Determines samples, the held-out questions, and random choices.",
        )


def _several(name: str, label: str, options: Sequence[str], *, help_: str) -> None:
    key = f"{KEY}{name}"
    shown = list(dict.fromkeys([*options, *st.session_state.get(key, [])]))
    st.multiselect(label, shown, key=key, format_func=_shown, help=help_, persist_state="page")


def _shown(code: str) -> str:
    return "All languages" if code == ALL else language_option(code)


def _node(number: int, node: SpaceNode) -> None:
    count = sum(module.size for module in node.modules)
    variants = "1 variant" if count == 1 else f"{count:,} variants"
    label = safe_html.plain_label(f"{node.type.title} · {variants}")
    with st.expander(label, key=f"{space_draft.modules_key(number)}_fold"):
        safe_html.show(safe_html.text_block(node.type.explanation, "en", "wb-muted"))
        names = [module.name for module in node.modules]
        if len(names) > 1:
            st.multiselect(
                "Modules", names, key=space_draft.modules_key(number), persist_state="page",
                help=f"The alternatives of the node {node.type.title}; add others in the YAML.",
            )  # fmt: skip
        taken = st.session_state.get(space_draft.modules_key(number), names)
        for place, module in enumerate(node.modules):
            if module.name not in taken or not module.values:
                continue
            columns = st.columns([1, *([1.6] * min(3, len(module.values)))], vertical_alignment="center")
            with columns[0]:
                safe_html.show(inline(module.name, css="wb-title"))
            for order, field in enumerate(module.values):
                with columns[1 + order % (len(columns) - 1)]:
                    _values(number, place, field)
        if node.metrics:
            limits = ", ".join(node.metrics)
            safe_html.show(safe_html.text_block(f"Judged by {limits} ({node.selection}).", "en", "wb-muted"))


def _values(node: int, module: int, field: str) -> None:
    key = space_draft.values_key(node, module, field)
    known = space_draft.node_controls(space_draft.template())[key]
    recipe_form.several(field, key, known, persist_state="page")


def _as_yaml() -> None:
    with st.expander("The space as YAML", icon=":material/data_object:", key="optimise_yaml_fold"):
        st.text_area(
            "Search space",
            key=space_draft.YAML,
            persist_state="page",
            height=360,
            on_change=_typed,
            help="The complete form: nodes, modules, limits, a judge. Press Ctrl+Enter to take it over.",
        )
        space: SearchSpace = st.session_state[space_draft.DRAFT]
        st.download_button(
            "Download YAML", space_to_yaml(space), "search-space.yaml", "application/yaml", key="optimise_yaml_file",
            on_click="ignore", icon=":material/download:", help="For the command optimise, or to load here again.",
        )  # fmt: skip


def _typed() -> None:
    text = str(st.session_state[space_draft.YAML] or "")
    space_draft.put_text(text, "YAML")
