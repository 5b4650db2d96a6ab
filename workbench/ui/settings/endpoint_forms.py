"""Endpoints on the Settings screen: listed, added, removed, tested. Keys are named, never entered."""

from __future__ import annotations

from functools import partial

import streamlit as st
from pydantic import ValidationError

from workbench.components import KNOWN, NamedEndpoint, endpoints, remove_endpoint, save_endpoint, workspace_endpoints
from workbench.core import UsageError
from workbench.models import key_policy
from workbench.ui.parts import access, outcome, safe_html
from workbench.ui.parts.verb_button import confirmed_button, verb_button
from workbench.ui.settings import settings_view

NO_KEY_HERE = (
    "Enter the name of an environment variable in capitals, such as MY_API_KEY, never the key itself. Set the variable "
    "before starting the app: export MY_API_KEY=…"
)
PLACE, FORM = "endpoint", "endpoint_form"
"""Where it is said what was removed and what was added."""
FIELDS = ("endpoint_name", "endpoint_url", "endpoint_key")


def draw() -> None:
    """The complete section: the lists, the test and the form."""
    home = access.workbench().settings.home
    custom, known_endpoints, keys = workspace_endpoints(home), endpoints(home), access.workbench().registry.secrets()
    if custom:
        st.header("Your endpoints")
        for name, item in custom.items():
            with st.container(border=True, gap="small", key=f"own_endpoint_{name}"):
                safe_html.show(settings_view.endpoint_card(name, item, keys))
                _removal(name)
    outcome.show(PLACE)
    st.header("Built in")
    known = [settings_view.endpoint_card(*item, keys) for item in known_endpoints.items() if item[0] not in custom]
    safe_html.show(safe_html.joined(known))
    st.markdown(
        "A recipe names a model of an endpoint as `openai-like:MODEL@NAME`. *Your models* shows what one holds."
    )
    st.header("Add an endpoint")
    with st.form("endpoint_form", border=False):
        st.text_input("Name", key=FIELDS[0], placeholder="my-server", help="The name that recipes use.")
        st.text_input(
            "Base URL (with /v1)",
            key=FIELDS[1],
            placeholder="http://127.0.0.1:8000/v1",
            help="The server's address up to and including the version. Several servers of the same models: their "
            "addresses separated by spaces.",
        )
        st.text_input(
            "Environment variable with the key",
            key=FIELDS[2],
            placeholder="MY_API_KEY",
            help="The variable's name, never the key. Leave empty if no key is needed.",
        )
        st.caption(key_policy.allowed_words())
        verb_button("Add", "settings.change", outcome.act, FORM, _add, icon="add", submits=True)
    outcome.show(FORM)


def _removal(name: str) -> None:
    effect = "the built-in endpoint of this name is called" if name in KNOWN else "the endpoint is unknown"
    sentence = f"Recipes that name {name} are not changed; when they run, {effect}. A key set for it stays set."
    remove = partial(outcome.act, PLACE, _remove, name)
    confirmed_button("Remove", sentence, "settings.change", remove, key=f"remove_{name}")


def _remove(name: str) -> str:
    remove_endpoint(access.workbench().settings.home, name)
    return f"The endpoint {name} was removed."


def _add() -> str:
    """Saves the form's endpoint; a key typed by mistake is removed from the form at once."""
    name, url, key = (str(st.session_state[field] or "").strip() for field in FIELDS)
    st.session_state[FIELDS[2]] = ""
    save_endpoint(access.workbench().settings.home, name, _endpoint(url, key))
    for field in FIELDS:
        st.session_state[field] = ""
    return f"The endpoint {name} was saved in the workspace's endpoints.yaml."


def _endpoint(url: str, key: str) -> NamedEndpoint:
    try:
        return NamedEndpoint(url=url, key=key)
    except ValidationError:
        # Not chained: pydantic repeats the input, which may be a key.
        raise UsageError(NO_KEY_HERE) from None
