"""Endpoints on the Settings screen: list them, add one, ask a model of one. Keys are named, never entered."""

from __future__ import annotations

import streamlit as st
from pydantic import ValidationError

from workbench.errors import UsageError, WorkbenchError
from workbench.pipeline.endpoints import NamedEndpoint, endpoints, save_endpoint
from workbench.pipeline.inventory import keys
from workbench.ui import model_actions, safe, settings_view, workspace

NO_KEY_HERE = (
    "The key's place must be the name of an environment variable in capitals, such as MY_API_KEY, never the key "
    "itself. Set it before the start: export MY_API_KEY=…"
)
PROBLEM, SAVED = "endpoint_problem", "endpoint_saved"
FIELDS = ("endpoint_name", "endpoint_url", "endpoint_key")


def draw() -> None:
    """The whole section."""
    home = workspace.workbench().settings.home
    places = endpoints(home)
    safe.show(settings_view.endpoints_table(places, keys(home)))
    st.markdown("A recipe names a model behind one of them so: `openai-like:MODEL@NAME`.")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Test an endpoint")
        name = st.selectbox("Endpoint", list(places), key="endpoint_tested", help="Whom to ask.")
        model = st.text_input(
            "Model", key="endpoint_model", placeholder="llama3.1:8b", help="The model's name as that server lists it."
        ).strip()
        if model:
            place = places[name]
            host = "" if place.endpoint.local else settings_view.host_of(place)
            model_actions.test("generator", f"openai-like:{model}@{name}", host)
    with right:
        st.subheader("Add an endpoint")
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
            safe.message(problem, "error")
        if saved := st.session_state.pop(SAVED, ""):
            safe.message(f"The endpoint {saved} is in endpoints.yaml of the workspace.")


def _add() -> None:
    """Saves what the form holds; a key typed by mistake is dropped from it at once."""
    name, url, key = (str(st.session_state[field] or "").strip() for field in FIELDS)
    try:
        save_endpoint(workspace.workbench().settings.home, name, _endpoint(url, key))
    except WorkbenchError as error:
        st.session_state[PROBLEM] = str(error)
        st.session_state[FIELDS[2]] = ""
        return
    st.session_state[SAVED] = name
    for field in FIELDS:
        st.session_state[field] = ""


def _endpoint(url: str, key: str) -> NamedEndpoint:
    try:
        return NamedEndpoint(url=url, key=key)
    except ValidationError:
        # Not chained: pydantic repeats what was given, which may be a key.
        raise UsageError(NO_KEY_HERE) from None
