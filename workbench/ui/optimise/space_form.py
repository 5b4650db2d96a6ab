"""The space in the form: what it was taken from, its controls' values, and its YAML, all in step.

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
    edited_space,
    example_space,
    example_spaces,
    read_space,
    space_to_yaml,
)
from workbench.pipeline import words
from workbench.ui.parts import access, recipe_form, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.safe_html import escaped, inline, table

KEY = "optimise_space_"
TEMPLATE, DRAFT, NOTES = "optimise_template", "optimise_draft", "optimise_notes"
"""The session's keys: the space that the form began with, what it now defines, what became of AutoRAG's modules."""
YAML, PROBLEM = "optimise_yaml", "optimise_yaml_problem"
SHAPE = "optimise_shape"
"""The session's key for a number that rises with every new template: its controls are new ones."""
SINGLES = ("name", "seed", "objective")


def restore() -> SearchSpace:
    """Sets the controls to what the form last had; returns the template. Only before they are drawn."""
    if f"{KEY}name" not in st.session_state:
        put(st.session_state.get(DRAFT) or next(iter(example_spaces().values())))
    return template()


def template() -> SearchSpace:
    """The space that the form began with."""
    space: SearchSpace = st.session_state[TEMPLATE]
    return space


def put(space: SearchSpace, notes: Sequence[AutoragNote] = ()) -> None:
    """Begins the form anew with a space. Only before the controls are drawn, or in a callback."""
    state = st.session_state
    state[TEMPLATE] = state[DRAFT] = space
    state[NOTES], state[PROBLEM] = tuple(notes), ""
    state[SHAPE] = state.get(SHAPE, 0) + 1
    values: dict[str, object] = {name: getattr(space, name) for name in SINGLES}
    values |= {"datasets": list(space.datasets), "languages": list(space.languages)}
    values |= {"all_questions": space.questions is None, "questions": space.questions or 10}
    for key, value in {**{f"{KEY}{name}": value for name, value in values.items()}, **node_controls(space)}.items():
        state[key] = value
    state[YAML] = space_to_yaml(space)


def put_text(text: str, name: str) -> None:
    """Begins the form anew with a YAML text, ours or AutoRAG's; what is wrong with it is kept in a sentence."""
    st.session_state[PROBLEM] = ""
    with access.caught(_refused):
        reading = read_space(text, name)
        put(reading.space, reading.notes)


def _refused(sentence: str) -> None:
    st.session_state[PROBLEM] = sentence


def node_controls(space: SearchSpace) -> Mapping[str, list[str]]:
    """What the controls of the nodes hold for a space, by key."""
    values: dict[str, list[str]] = {}
    for number, node in enumerate(space.nodes):
        values[modules_key(number)] = [module.name for module in node.modules]
        for place, module in enumerate(node.modules):
            for field, items in module.values.items():
                values[values_key(number, place, field)] = [words(item) for item in items]
    return values


def modules_key(node: int) -> str:
    """The key of the control for a node's modules."""
    return f"{KEY}{st.session_state[SHAPE]}_{node}"


def values_key(node: int, module: int, field: str) -> str:
    """The key of the control for the values of a module's field."""
    return f"{KEY}{st.session_state[SHAPE]}_{node}_{module}_{field}"


def draft() -> SearchSpace:
    """The space that the controls define, its YAML brought in step. Raises UsageError for one that is not valid.

    Only before the YAML is drawn.
    """
    state, base = st.session_state, template()
    choices: dict[str, Any] = {name: state[f"{KEY}{name}"] for name in (*SINGLES, "datasets", "languages")}
    choices["languages"] = choices["languages"] or [ALL]
    choices["questions"] = None if state[f"{KEY}all_questions"] else state[f"{KEY}questions"]
    modules, values = {}, {}
    for number, node in enumerate(base.nodes):
        if modules_key(number) in state:
            modules[number] = state[modules_key(number)]
        for place, module in enumerate(node.modules):
            for field in module.values:
                if (key := values_key(number, place, field)) in state:
                    values[number, place, field] = state[key]
    space = edited_space(base, choices, modules, values)
    if space != state[DRAFT]:
        state[DRAFT], state[PROBLEM] = space, ""
        state[YAML] = space_to_yaml(space)
    return space


BEGIN, FILE = "optimise_begin", "optimise_file"
OBJECTIVES = (*MEASURES, *RANKINGS, *RERANKED)
FATES = {"taken over": "wb-ready", "left out": "wb-idle", "refused": "wb-missing"}


def draw() -> SearchSpace:
    """The controls; returns the space that they define. Raises UsageError for one that is not valid."""
    restore()
    _begin()
    base = template()
    _questions(base)
    st.markdown(
        "**Nodes**, in the order of the pipeline. A recipe takes one module of each, with one value of each field."
    )
    for number, node in enumerate(base.nodes):
        _node(number, node)
    problem: UsageError | None = None
    try:
        space = draft()
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
    notes = st.session_state.get(NOTES, ())
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
        put(example_space(name))


def _loaded() -> None:
    file = st.session_state[FILE]
    if file is not None:
        put_text(file.getvalue().decode("utf-8", errors="replace"), file.name)


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
    with st.expander(label, key=f"{modules_key(number)}_fold"):
        safe_html.show(safe_html.text_block(node.type.explanation, "en", "wb-muted"))
        names = [module.name for module in node.modules]
        if len(names) > 1:
            st.multiselect(
                "Modules", names, key=modules_key(number), persist_state="page",
                help=f"The alternatives of the node {node.type.title}; add others in the YAML.",
            )  # fmt: skip
        taken = st.session_state.get(modules_key(number), names)
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
    key = values_key(node, module, field)
    known = node_controls(template())[key]
    recipe_form.several(field, key, known, persist_state="page")


def _as_yaml() -> None:
    with st.expander("The space as YAML", icon=":material/data_object:", key="optimise_yaml_fold"):
        st.text_area(
            "Search space",
            key=YAML,
            persist_state="page",
            height=360,
            on_change=_typed,
            help="The complete form: nodes, modules, limits, a judge. Press Ctrl+Enter to take it over.",
        )
        space: SearchSpace = st.session_state[DRAFT]
        st.download_button(
            "Download YAML", space_to_yaml(space), "search-space.yaml", "application/yaml", key="optimise_yaml_file",
            on_click="ignore", icon=":material/download:", help="For the command optimise, or to load here again.",
        )  # fmt: skip


def _typed() -> None:
    text = str(st.session_state[YAML] or "")
    put_text(text, "YAML")
