"""Endpoints on the Settings screen: listed, added, removed, tried. Keys are named, never entered."""

from __future__ import annotations

import streamlit as st
from pydantic import ValidationError

from workbench.components.endpoints import (
    KNOWN,
    NamedEndpoint,
    endpoints,
    remove_endpoint,
    save_endpoint,
    workspace_endpoints,
)
from workbench.components.inventory import keys
from workbench.errors import UsageError, WorkbenchError
from workbench.ui.settings import model_actions, settings_view
from workbench.ui.shared import access, safe_html

NO_KEY_HERE = (
    "The key's place must be the name of an environment variable in capitals, such as MY_API_KEY, never the key "
    "itself. Set it before the start: export MY_API_KEY=…"
)
PROBLEM, DONE, LEAVING = "endpoint_problem", "endpoint_done", "endpoint_leaving"
FIELDS = ("endpoint_name", "endpoint_url", "endpoint_key")


def draw() -> None:
    """The whole section."""
    home = access.workbench().settings.home
    own, places, held = workspace_endpoints(home), endpoints(home), keys(home)
    if own:
        st.header("Of this workspace")
        for name, place in own.items():
            with st.container(border=True, gap="small", key=f"own_endpoint_{name}"):
                safe_html.show(settings_view.endpoint_card(name, place, held))
                _removal(name)
    if done := st.session_state.pop(DONE, ""):
        safe_html.message(done)
    st.header("Known to the workbench")
    safe_html.show(settings_view.endpoints_table({name: it for name, it in places.items() if name not in own}, held))
    st.markdown("A recipe names a model behind one of them so: `openai-like:MODEL@NAME`.")
    left, right = st.columns(2, gap="large")
    with left:
        st.header("Test an endpoint")
        name = st.selectbox("Endpoint", list(places), key="endpoint_tested", help="Whom to ask.")
        model = st.text_input(
            "Model", key="endpoint_model", placeholder="llama3.1:8b", help="The model's name as that server lists it."
        ).strip()
        if model:
            place = places[name]
            host = "" if place.endpoint.local else settings_view.host_of(place)
            model_actions.test("generator", f"openai-like:{model}@{name}", host)
    with right:
        st.header("Add an endpoint")
        with st.form("endpoint_form", border=False):
            st.text_input("Name", key=FIELDS[0], placeholder="my-server", help="What recipes call it.")
            st.text_input(
                "Address", key=FIELDS[1], placeholder="http://127.0.0.1:8000/v1", help="Up to and with the version."
            )
            st.text_input(
                "Name of the variable that holds its key",
                key=FIELDS[2],
                placeholder="MY_API_KEY",
                help="The variable's name, never the key. Leave it empty where none is needed.",
            )
            st.form_submit_button("Add", icon=":material/add:", on_click=_add)
        if problem := st.session_state.pop(PROBLEM, ""):
            safe_html.message(problem, "error")


def _removal(name: str) -> None:
    """Remove, and in place of it, once pressed, what that does and two ways on."""
    if st.session_state.get(LEAVING) != name:
        st.button("Remove", key=f"remove_{name}", icon=":material/delete:", on_click=_ask_whether, args=(name,))
        return
    after = "the one that the workbench knows is asked" if name in KNOWN else "the endpoint is unknown"
    safe_html.message(
        f"Recipes that name {name} stay as they are; when they are run, {after}. A key set for it stays set."
    )
    with st.container(horizontal=True, gap="small"):
        st.button("Remove it", key=f"remove_now_{name}", type="primary", on_click=_remove, args=(name,))
        st.button("Keep it", key=f"keep_{name}", on_click=_ask_whether, args=("",))


def _ask_whether(name: str) -> None:
    st.session_state[LEAVING] = name


def _remove(name: str) -> None:
    st.session_state[LEAVING] = ""
    try:
        remove_endpoint(access.workbench().settings.home, name)
    except WorkbenchError as error:
        st.session_state[DONE] = str(error)
        return
    st.session_state[DONE] = f"The endpoint {name} is removed."


def _add() -> None:
    """Saves what the form holds; a key typed by mistake is dropped from it at once."""
    name, url, key = (str(st.session_state[field] or "").strip() for field in FIELDS)
    try:
        save_endpoint(access.workbench().settings.home, name, _endpoint(url, key))
    except WorkbenchError as error:
        st.session_state[PROBLEM] = str(error)
        st.session_state[FIELDS[2]] = ""
        return
    st.session_state[DONE] = f"The endpoint {name} is in endpoints.yaml of the workspace."
    for field in FIELDS:
        st.session_state[field] = ""


def _endpoint(url: str, key: str) -> NamedEndpoint:
    try:
        return NamedEndpoint(url=url, key=key)
    except ValidationError:
        # Not chained: pydantic repeats what was given, which may be a key.
        raise UsageError(NO_KEY_HERE) from None
