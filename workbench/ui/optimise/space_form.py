"""The form of a search space: where it begins, its questions, its nodes, and the same as YAML, all in step.

The template has every module and value that the form offers; the draft is what the form selects of them. A YAML that is
typed or loaded becomes the template; a control that is changed rewrites the YAML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.core import UsageError
from workbench.experiments import ALL, RERANKED
from workbench.metrics import MEASURES, RANKING_MEASURES as RANKINGS
from workbench.optimise import (
    AutoragNote,
    SearchSpace,
    SpaceNode,
    autorag_of,
    edited_space,
    example_space,
    example_spaces,
    read_space,
    space_to_yaml,
)
from workbench.pipeline import words
from workbench.ui.parts import access, downloads, recipe_form, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline, table
from workbench.ui.runs import matrix_form

Place = tuple[int, int, str]
"""A control of the nodes: the numbers of node and module, and the field; ("" for the choice of the node's modules)."""
KEY = "optimise_space_"
TEMPLATE, DRAFT, NOTES = "optimise_template", "optimise_draft", "optimise_notes"
"""The session's keys: the space that the form began with, what it now defines, what became of AutoRAG's modules."""
YAML, PROBLEM = "optimise_yaml", "optimise_yaml_problem"
SHAPE = "optimise_shape"
"""The session's key for a number that rises with every new template: its controls are new ones."""
SINGLES = ("name", "seed", "objective")
BEGIN, FILE = "optimise_begin", "optimise_file"
OBJECTIVES = (*MEASURES, *RANKINGS, *RERANKED)
FATES = {"taken over": "wb-ready", "left out": "wb-idle", "refused": "wb-missing"}


def template() -> SearchSpace:
    """The space that the form began with."""
    return st.session_state.get(TEMPLATE) or next(iter(example_spaces().values()))


def current() -> SearchSpace:
    """The space that the form last defined, drawn or not."""
    return st.session_state.get(DRAFT) or template()


def put(space: SearchSpace, notes: Sequence[AutoragNote] = ()) -> None:
    """Begins the form anew with a space. Only before the controls are drawn, or in a callback."""
    state = st.session_state
    state[TEMPLATE] = state[DRAFT] = space
    state[NOTES], state[PROBLEM] = tuple(notes), ""
    state[SHAPE] = state.get(SHAPE, 0) + 1
    values: dict[str, object] = {name: getattr(space, name) for name in SINGLES}
    values |= {"datasets": list(space.datasets), "languages": list(space.languages)}
    values |= {"all_questions": space.questions is None, "questions": space.questions or 10}
    state.update({f"{KEY}{name}": value for name, value in values.items()})
    state.update({_key(*place): value for place, value in _node_controls(space).items()})
    state[YAML] = space_to_yaml(space)


def _put_text(text: str, name: str) -> None:
    """Begins the form anew with a YAML text, ours or AutoRAG's; what is wrong with it is kept in a sentence."""
    st.session_state[PROBLEM] = ""
    with access.caught(lambda sentence: st.session_state.update({PROBLEM: sentence})):
        reading = read_space(text, name)
        put(reading.space, reading.notes)


def _node_controls(space: SearchSpace) -> Mapping[Place, list[str]]:
    """What the controls of the nodes hold for a space."""
    values: dict[Place, list[str]] = {}
    for number, node in enumerate(space.nodes):
        values[number, 0, ""] = [module.name for module in node.modules]
        for index, module in enumerate(node.modules):
            for field, items in module.values.items():
                values[number, index, field] = [words(item) for item in items]
    return values


def _key(node: int, module: int = 0, field: str = "") -> str:
    """The key of the control at a place."""
    return f"{KEY}{st.session_state[SHAPE]}_{node}_{module}_{field}"


def _draft() -> SearchSpace:
    """The space that the controls define, its YAML brought in step. Raises UsageError for one that is not valid.

    Only before the YAML is drawn.
    """
    state, base = st.session_state, template()
    choices: dict[str, Any] = {name: state[f"{KEY}{name}"] for name in (*SINGLES, "datasets", "languages")}
    choices["languages"] = choices["languages"] or [ALL]
    choices["questions"] = None if state[f"{KEY}all_questions"] else state[f"{KEY}questions"]
    given = {place: state[_key(*place)] for place in _node_controls(base) if _key(*place) in state}
    modules = {node: names for (node, _, field), names in given.items() if not field}
    values = {place: texts for place, texts in given.items() if place[2]}
    space = edited_space(base, choices, modules, values)
    if space != state[DRAFT]:
        state[DRAFT], state[PROBLEM] = space, ""
        state[YAML] = space_to_yaml(space)
    return space


def draw() -> SearchSpace:
    """The controls; returns the space that they define. Raises UsageError for one that is not valid."""
    if f"{KEY}name" not in st.session_state:  # as the form last was
        put(current())
    _begin()
    base = template()
    _questions(base)
    st.markdown(
        "**Nodes**, in the order of the pipeline. A recipe uses one module of each node, with one value of each field."
    )
    for number, node in enumerate(base.nodes):
        _node(number, node)
    problem: UsageError | None = None
    try:
        space = _draft()
    except UsageError as error:
        problem = error
    _as_yaml()
    if problem is not None:
        raise problem
    if sentence := st.session_state.get(PROBLEM):
        raise UsageError(sentence)
    return space


def _begin() -> None:
    left, right = st.columns([1, 1.4], gap="medium")
    left.selectbox(
        "Begin with",
        list(example_spaces()),
        key=BEGIN,
        index=None,
        placeholder="A built-in search space",
        format_func=lambda name: example_space(name).name,
        on_change=_begun,
        help="Fills the form with a built-in search space; change whatever you like.",
    )
    right.file_uploader(
        "Or load a YAML file",
        ["yaml", "yml"],
        key=FILE,
        on_change=_loaded,
        help="A search space of the workbench, or AutoRAG's: each of its modules is taken over or refused.",
    )
    notes = st.session_state.get(NOTES, ())
    if not notes:
        return
    counts = {fate: sum(note.fate == fate for note in notes) for fate in FATES}
    words = ", ".join(f"{count:,} {fate}" for fate, count in counts.items() if count)
    with st.expander(f"How AutoRAG's configuration was imported: {words}", key="optimise_notes_fold", expanded=True):
        rows = [
            [
                inline(note.subject, css="wb-title"),
                element("span", escaped(note.fate), css=FATES[note.fate]),
                inline(note.sentence),
                escaped(f"line {note.line:,}"),
            ]
            for note in notes
        ]
        safe_html.show(table(["Module", "What became of it", "How or why", "Where"], rows, css="wb-stacked"))


def _begun() -> None:
    if name := st.session_state[BEGIN]:
        put(example_space(name))


def _loaded() -> None:
    file = st.session_state[FILE]
    if file is not None:
        _put_text(file.getvalue().decode("utf-8", errors="replace"), file.name)


def _questions(base: SearchSpace) -> None:
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
        matrix_form.dataset_boxes(KEY, "page")
    with right:
        matrix_form.sample_controls(KEY, "page")


def _node(number: int, node: SpaceNode) -> None:
    count = sum(module.size for module in node.modules)
    variants = "1 variant" if count == 1 else f"{count:,} variants"
    label = safe_html.plain_label(f"{node.type.title} · {variants}")
    with st.expander(label, key=f"{_key(number)}_fold"):
        safe_html.show(safe_html.text_block(node.type.explanation, "en", "wb-muted"))
        names = [module.name for module in node.modules]
        if len(names) > 1:
            st.multiselect(
                "Modules",
                names,
                key=_key(number),
                persist_state="page",
                help=f"The alternatives of the node {node.type.title}; add others in the YAML.",
            )
        taken = st.session_state.get(_key(number), names)
        for index, module in enumerate(node.modules):
            if module.name not in taken or not module.values:
                continue
            title, *columns = st.columns([1, *([1.6] * min(3, len(module.values)))], vertical_alignment="center")
            with title:
                safe_html.show(inline(module.name, css="wb-title"))
            for order, field in enumerate(module.values):
                known = _node_controls(template())[number, index, field]
                with columns[order % len(columns)]:
                    recipe_form.several(field, _key(number, index, field), known, persist_state="page")
        if node.metrics:
            limits = ", ".join(node.metrics)
            safe_html.show(safe_html.text_block(f"Judged by {limits} ({node.selection}).", "en", "wb-muted"))


def _as_yaml() -> None:
    fold = st.expander("The space as YAML", icon=":material/data_object:", key="optimise_yaml_fold", on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.text_area(
            "Search space",
            key=YAML,
            persist_state="page",
            height=360,
            on_change=_typed,
            help="The complete form: nodes, modules, limits, a judge. Press Ctrl+Enter to apply it.",
        )
        space: SearchSpace = st.session_state[DRAFT]
        with st.container(horizontal=True, gap="small"), access.guarded():
            downloads.button(
                "Download YAML",
                space_to_yaml(space),
                "search-space.yaml",
                "optimise_yaml_file",
                help="For the command optimise, or to load here again.",
            )
            autorag, notes = autorag_of(space)
            downloads.button(
                "Download for AutoRAG (YAML)",
                autorag,
                "autorag.yaml",
                "optimise_autorag_file",
                help="A configuration of AutoRAG 0.3.17 or later. What it cannot say is in comments, and below.",
            )
            lines = (element("div", escaped(f"{note.subject}: {note.sentence}")) for note in notes)
            safe_html.show(element("div", escaped("Not for AutoRAG:" if notes else ""), *lines, css="wb-muted"))


def _typed() -> None:
    _put_text(str(st.session_state[YAML] or ""), "YAML")
