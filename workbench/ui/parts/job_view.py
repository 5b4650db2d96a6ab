"""How a job in the background is drawn: under way with its progress and Stop, or ended with what can be done then.

Everything is read from the workspace, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

import streamlit as st

from workbench.jobs import FolderJobs, S
from workbench.ui.parts import access, permitted, safe_html, signed_in

EVERY = 0.7
"""Seconds between two updates of a job that is at work."""
PROBLEM = "job_problem"
"""The session's key for why a button did nothing, in a sentence."""


@dataclass(frozen=True, slots=True)
class JobWords(Generic[S]):
    """The words for one kind of job. `key` begins the keys of its controls.

    `progress` says what is under way; `failed` names what failed, to be followed by the reason;
    `stopped` and `interrupted` say what an ended job left; `again` is the label of the
    button that takes it up.
    """

    key: str
    progress: Callable[[S], str]
    failed: Callable[[S], str]
    stopped: Callable[[S], str]
    interrupted: Callable[[S], str]
    again: str


def draw(
    jobs: FolderJobs[S],
    status: S,
    words: JobWords[S],
    done: Callable[[S], None],
    go_on: Callable[[str], object],
    discard: Callable[[str], object],
) -> None:
    """One job. `done` draws what came of it; Close and Discard call `discard`, the button to take it up `go_on`."""
    if problem := st.session_state.pop(f"{PROBLEM}_{status.job}", ""):
        safe_html.message(problem, "error")
    if status.active:
        live(jobs, status.job, words.key, words.progress)
    elif status.state == "done":
        done(status)
    else:
        _ended(status, words, go_on, discard)


def live(jobs: FolderJobs[S], job: str, key: str, words: Callable[[S], str]) -> None:
    """The progress of a job at work and a button to stop it, redrawn by itself; at its end the complete page is."""
    signed_in.refreshed(EVERY)(_live)(jobs, job, key, words)


def _live(jobs: FolderJobs[S], job: str, key: str, words: Callable[[S], str]) -> None:
    status = jobs.status(job)
    if status is None or not status.active:
        st.rerun()
    assert status is not None
    st.progress(status.share, text=safe_html.plain_label(words(status)))
    if st.button(
        "Stop",
        key=f"{key}_stop{suffix(job)}",
        icon=":material/stop_circle:",
        **permitted.control("imports.change", disabled=status.pid is None),
    ):
        jobs.stop(job)


def _ended(status: S, words: JobWords[S], go_on: Callable[[str], object], discard: Callable[[str], object]) -> None:
    sentences = {
        "failed": lambda _: f"{words.failed(status)}: {status.error}",
        "stopped": words.stopped,
        "interrupted": words.interrupted,
    }
    safe_html.message(sentences[status.state](status), "error" if status.state == "failed" else "note")
    with st.container(horizontal=True, gap="small", key=f"{words.key}_ended{suffix(status.job)}"):
        button(words.again, f"{words.key}_again", ":material/play_arrow:", status.job, go_on)
        button("Discard", f"{words.key}_discard", ":material/close:", status.job, discard, quiet=True)


def button(
    label: str,
    key: str,
    icon: str,
    job: str,
    action: Callable[[str], object],
    *,
    quiet: bool = False,
    verb: str = "imports.change",
) -> None:
    """A button that does something to a job, for those who may do the verb; where it cannot, the next run shows why."""
    st.button(
        label,
        key=f"{key}{suffix(job)}",
        icon=icon,
        type="tertiary" if quiet else "secondary",
        on_click=_act,
        args=(job, action),
        **permitted.control(verb),
    )


def suffix(job: str) -> str:
    """What makes a control's key that of one job."""
    return f"_{job[:8]}"


def _act(job: str, action: Callable[[str], object]) -> None:
    problems: list[str] = []
    with access.caught(problems.append):
        action(job)
    if problems:
        st.session_state[f"{PROBLEM}_{job}"] = problems[0]


def count_words(done: int, total: int, noun: str) -> str:
    """How much is done, to follow a phase: “ · 40 of 200 passages”, “ · 40 passages”, or nothing."""
    if total:
        return f" · {done:,} of {total:,} {noun}"
    return f" · {done:,} {noun}" if done else ""
