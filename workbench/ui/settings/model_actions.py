"""What can be done with a component on the Settings screen: test it by one real small call, download it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from workbench.components import makers, packages
from workbench.components.inventory import Entry
from workbench.components.readiness import Trial, try_out
from workbench.errors import WorkbenchError
from workbench.models.download import DownloadPlan, plan_download
from workbench.protocols import Role
from workbench.ui.ask.model_controls import EXAMPLES
from workbench.ui.settings import settings_view
from workbench.ui.shared import access, safe_html

TRIALS, PLANS, PROBLEMS = "trials", "download_plans", "download_problems"
EVERY = 0.5
"""Seconds between looks at a download."""


def test(role: Role, name: str, host: str, beside: Callable[[], None] | None = None) -> None:
    """A button that makes one real small call, and the result of the last one; `beside` draws further buttons."""
    label = "Test"
    if host:
        label = f"Test: sends a sentence to {host if safe_html.is_host(host) else 'the host named above'}"
    with st.container(horizontal=True, gap="small"):
        pressed = st.button(label, key=f"test_{role}_{name}", icon=":material/play_arrow:", help="One real small call.")
        if beside:
            beside()
    trials: dict[tuple[str, str], Trial] = st.session_state.setdefault(TRIALS, {})
    if pressed:
        trials.pop((role, name), None)
        with st.spinner("Testing"):
            trials[role, name] = try_out(role, name, access.workbench().settings.home)
    if (role, name) in trials:
        safe_html.show(settings_view.trial_message(trials[role, name]))


def test_any(role: Role, beside: Callable[[str], None] | None = None) -> None:
    """A box for a model by its adapter, and its test; `beside` draws further buttons for the name given."""
    label = "Test or use another, by its adapter" if beside else "Test another, by its adapter"
    given = st.text_input(label, key=f"any_{role}", placeholder=EXAMPLES[role]).strip()
    if not given:
        return
    try:
        host = makers.sends_to(given, access.workbench().settings.home)
        missing = packages.missing_packages(given, role)
    except WorkbenchError as error:
        safe_html.message(str(error), "error")
        return
    if missing:
        safe_html.message(f"It needs what is not installed: {', '.join(missing)}.", "error")
        safe_html.source(packages.install_command(missing))
        return
    if host:
        safe_html.message(f"Texts leave this machine with it: they are sent to {host}.")
    # The button is another one for another name: nobody presses it without having seen where its texts go.
    test(role, given, host, partial(beside, given) if beside else None)


def download(entry: Entry) -> None:
    """Says size and licence, asks, then shows progress; cancelled or broken off, it goes on where it was."""
    looked = access.downloads().look(entry.name)
    if looked is not None and looked.state == "running":
        _running(entry.name)
        return
    if looked is not None and looked.state != "done":
        safe_html.message(looked.sentence, "error" if looked.state == "failed" else "note")
    plans: dict[str, DownloadPlan] = st.session_state.setdefault(PLANS, {})
    problems: dict[str, str] = st.session_state.setdefault(PROBLEMS, {})
    if entry.name in plans:
        _agree(entry.name, plans)
        return
    if entry.name in problems:
        safe_html.message(problems[entry.name], "error")
    label = "Go on with the download" if looked is not None and looked.state != "done" else "Download"
    asked = st.button(
        label,
        key=f"download_{entry.name}",
        icon=":material/download:",
        help="First asks the hub for size and licence; nothing is fetched before you agree.",
    )
    if asked:
        problems.pop(entry.name, None)
        with st.spinner("Asking the hub for size and licence"):
            try:
                plans[entry.name] = plan_download(entry.name)
            except WorkbenchError as error:
                problems[entry.name] = str(error)
        st.rerun()


def _agree(name: str, plans: dict[str, DownloadPlan]) -> None:
    safe_html.show(settings_view.plan_message(plans[name]))
    size = settings_view.size_words(plans[name].size)
    with st.container(horizontal=True, gap="small"):
        st.button(f"Download {size}", key=f"fetch_{name}", type="primary", on_click=_start, args=(name, plans))
        st.button("Not now", key=f"not_now_{name}", on_click=_forget, args=(name, plans))


def _forget(name: str, plans: dict[str, DownloadPlan]) -> None:
    plans.pop(name, None)


def _start(name: str, plans: dict[str, DownloadPlan]) -> None:
    _forget(name, plans)
    access.downloads().start(name)


@st.fragment(run_every=EVERY)
def _running(name: str) -> None:
    looked = access.downloads().look(name)
    if looked is None or looked.state != "running":
        st.rerun()
    share = looked.done / looked.total if looked.total else 0.0
    st.progress(min(share, 1.0), text=settings_view.progress_words(looked))
    st.button(
        "Cancel",
        key=f"cancel_{name}",
        icon=":material/close:",
        help="What came is kept; the download goes on from there.",
        on_click=access.downloads().cancel,
        args=(name,),
    )
