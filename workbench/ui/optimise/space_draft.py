"""The space in the form: what it was taken from, its controls' values, and its YAML, all in step.

The template has every module and value that the form offers; the draft is what the form selects of them. A YAML that is
typed or loaded becomes the template; a control that is changed rewrites the YAML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.experiments import ALL
from workbench.optimise import AutoragNote, SearchSpace, edited_space, example_spaces, read_space, space_to_yaml
from workbench.pipeline import words
from workbench.ui.parts import access

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
