"""Parts of a page that are built when they are opened: a closed one costs neither server nor browser anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Literal, ParamSpec

import streamlit as st

from workbench.ui.parts import access

Parameters = ParamSpec("Parameters")


def draw(
    label: str,
    icon: str,
    key: str,
    content: Callable[[], object],
    *,
    expanded: bool = False,
    kind: Literal["default", "compact"] = "default",
) -> None:
    """An expander with what `content` draws, an error as a sentence; `icon` names a Material symbol."""
    symbol = f":material/{icon}:"
    part = st.expander(label, icon=symbol, key=key, type=kind, on_change="rerun", expanded=expanded)
    if part.open:
        with part, access.guarded():
            content()


def folded(label: str, icon: str, key: str) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """Makes what a function draws the content of an expander."""

    def decorate(function: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @wraps(function)
        def drawn(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            draw(label, icon, key, partial(function, *args, **kwargs))

        return drawn

    return decorate
