"""A button that does something which not everybody may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from workbench.ui.parts import permitted, safe_html

Kind = Literal["primary", "secondary", "tertiary"]


def verb_button(
    label: str,
    verb: str,
    action: Callable[..., None] | None = None,
    *args: Any,
    key: str | None = None,
    icon: str = "",
    kind: Kind = "secondary",
    help: str = "",
    disabled: bool = False,
    submits: bool = False,
    width: Literal["content", "stretch"] = "content",
) -> bool:
    """A button for those who may do the verb, or the button of a form that `submits`; whether it was pressed.

    For others it is disabled, and its help says why; where nothing can hover, a line does. `action` is called with
    `args` before the next run. `icon` names a Material symbol. Raises KeyError for an unknown verb.
    """
    control = permitted.control(verb, disabled=disabled, help=help or None)
    symbol = f":material/{icon}:" if icon else None
    draw = st.form_submit_button if submits else st.button
    pressed = draw(label, key=key, icon=symbol, type=kind, width=width, on_click=action, args=args, **control)
    if control["disabled"] and control["help"]:
        safe_html.show(safe_html.text_block(control["help"], "en", "wb-why wb-muted"))
    return pressed


def confirmed_button(label: str, effect: str, verb: str, action: Callable[..., None], *args: Any, key: str) -> None:
    """A button that removes something: it opens what goes with it, and the button that does so, `key` with “_now”."""
    with st.popover(label, icon=":material/delete:", key=key, **permitted.control(verb)):
        safe_html.message(effect)
        verb_button(f"{label} it", verb, action, *args, key=f"{key}_now", kind="primary")
