"""Your models: servers of models on this machine, looked for when asked, and which model answers by default."""

from __future__ import annotations

from functools import partial

import streamlit as st

from workbench.components import ServerModel, choose_generator, default_generator, find_models, model_title, refusal
from workbench.pipeline import EXTRACTIVE
from workbench.ui.ask.controls import SESSION
from workbench.ui.parts import access, outcome, safe_html
from workbench.ui.parts.safe_html import element, inline, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.settings import component_cards, model_actions, settings_view

SERVERS, ADDRESS, PLACE = "model_servers", "model_address", "models"
"""The session's keys for what a look showed and for the address to look at; where it is said what went wrong."""
HELP = "Asks Ollama, LM Studio, vLLM, llama.cpp and your endpoints on this machine what they hold; no text is sent."
START = {
    "[Ollama](https://ollama.com)": "ollama pull llama3.1:8b",
    "[LM Studio](https://lmstudio.ai)": "lms server start",
    "[vLLM](https://docs.vllm.ai), with a GPU": "vllm serve Qwen/Qwen3-8B",
    "[llama.cpp](https://github.com/ggml-org/llama.cpp)": "llama-server -m model.gguf",
}
"""Programs that serve models, each with the line that starts it."""
DEFAULT = "Answers where no generator is chosen: on Ask, in new experiments, on the command line."


def draw() -> None:
    """The section of the Settings screen: what answers, and what else could."""
    home = access.workbench().settings.home
    name = default_generator(home)
    entry = access.models("generator", home).get(name)
    title = entry.title if entry else model_title(name, home)
    with st.container(border=True, gap="small", key="model_default"):
        safe_html.show(element("div", inline(title, css="wb-title"), text_block(DEFAULT, "en", "wb-muted")))
        if name != EXTRACTIVE:
            back = ("Back to the built-in reader", "settings.change", use, EXTRACTIVE)
            host = access.workbench().registry.host(name)
            model_actions.test("generator", name, host, partial(verb_button, *back, key="model_reset", icon="undo"))
    for item in access.inventory("generator") if name == EXTRACTIVE else ():
        if item.package:
            component_cards.card(item, _use_button)
    if reason := refusal(home):
        safe_html.message(reason)
    with st.form("model_look_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        help_ = "Any OpenAI-compatible server, or the name of an endpoint."
        st.text_input(
            "Address of a server, or nothing for this machine", key=ADDRESS, placeholder="127.0.0.1:8000", help=help_
        )
        look_button(submits=True)
    if (model := draw_servers()) is not None and model.reference != name:
        _use_button(model.reference)
        model_actions.test("generator", model.reference, model.host)
    with st.popover("How do I start a server?", icon=":material/help:", type="tertiary", key="model_start"):
        st.caption("Install one of these programs, type its line in a terminal, then press Look for models.")
        for program, command in START.items():
            st.markdown(program)
            safe_html.source(command)
        st.caption("More about each: the page “Your own model”, docs/models.md, built as a site by `make docs`.")
    st.caption("By command: `mrag models find`, then `mrag models use NAME`.")


def _use_button(name: str) -> None:
    """Makes a model that is ready the default."""
    verb_button("Make it the default", "settings.change", use, name, key=f"model_use_{name}", kind="primary")


def look_button(*, submits: bool = False) -> None:
    """The button that asks the servers of models, of a form with an address where it `submits`."""
    verb_button("Look for models", "models.use", _look, key="model_look", icon="search", help=HELP, submits=submits)


def draw_servers() -> ServerModel | None:
    """What went wrong, and what the latest look showed; the model that is selected, None where none writes."""
    outcome.show(PLACE)
    servers = st.session_state.get(SERVERS, ())
    models = {item.title: item for server in servers for item in server.models if item.writes}
    if servers:
        # Where one holds models, those that do not answer are of no interest.
        safe_html.show(settings_view.servers_list([item for item in servers if item.models] or servers))
    return (
        models[st.selectbox("Model", list(models), key="model_choice", help="By name and server.")] if models else None
    )


def use(name: str) -> None:
    """Makes a model the workspace's default, and what Ask uses now where that was the former one."""
    home = access.workbench().settings.home
    with outcome.kept(PLACE):
        before, choice = default_generator(home), SESSION.current
        choose_generator(home, name)
        if choice.recipe.generator == before:
            SESSION.set(choice.with_(recipe=choice.recipe.with_(generator=name)))
        access.models.clear()


def _look() -> None:
    home, address = access.workbench().settings.home, str(st.session_state.get(ADDRESS) or "")
    with outcome.kept(PLACE):
        st.session_state[SERVERS] = find_models(home, address)
        access.models.clear()
