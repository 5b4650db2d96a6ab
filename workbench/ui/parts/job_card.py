"""How jobs in the background are drawn: under way with their progress and Stop, or ended with what can be done then.

Everything is read from the workspace, so it is the same in every tab and after leaving the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import streamlit as st

from workbench.core import WorkbenchError
from workbench.ui.parts import access, outcome, safe_html, signed_in
from workbench.ui.parts.safe_html import Html, element, escaped
from workbench.ui.parts.verb_button import Kind, verb_button
from workbench.workspace import KINDS, STATE_TITLES, Job, Jobs

EVERY = 0.7
"""Seconds between two updates of what is at work."""
GOOD = ("running", "done")


@dataclass(frozen=True, slots=True)
class JobWords:
    """The words for jobs of one kind. `key` begins the keys of their controls.

    `progress` says what is under way, `left` in a sentence what a job that was stopped or killed left; `again` and
    `stop` are the labels of the buttons.
    """

    key: str = "job"
    progress: Callable[[Job], str] = lambda job: f"{_name(job)}: {job.phase}{count_words(job.done, job.total)}"
    left: Callable[[Job], str] = lambda _: ""
    again: str = "Resume"
    stop: str = "Stop"


def finished(job: Job) -> None:
    """Says that a job is done."""
    safe_html.message(f"{_name(job)} is finished.")


def draw(jobs: Jobs, job: Job, words: JobWords | None = None, done: Callable[[Job], None] = finished) -> None:
    """One job, with the buttons that stop, resume and discard it. `done` draws the result of a finished one."""
    words = words or JobWords()
    outcome.show(job.id)
    if job.active:
        live(partial(jobs.is_active, job.id), partial(progress, jobs, job.id, words))
    elif job.state == "done":
        done(job)
    else:
        _ended(jobs, job, words)


def draw_all(jobs: Jobs, words: JobWords, done: Callable[[Job], None]) -> None:
    """Every job of a kind that was started."""
    for job in jobs.all():
        if job.state != "staged":
            draw(jobs, job, words, done)


@contextmanager
def discarded_if_refused(jobs: Jobs, job_id: str) -> Iterator[None]:
    """Discards a job, with the files that were staged for it, where an error inside says that it cannot be started."""
    try:
        yield
    except WorkbenchError:
        jobs.discard(job_id)
        raise


def at_work() -> None:
    """The jobs of all kinds that are at work, under a header; nothing where none is."""
    jobs = Jobs(access.workbench().settings)
    if active := jobs.all(active=True):
        st.header("Running")
        for job in active:
            draw(jobs, job)


def live(is_active: Callable[[], bool], draw: Callable[[], object], at_end: Callable[[], object] | None = None) -> None:
    """Draws a part of the page, again and again while something is at work; once that ends, the complete page is.

    `at_end` is called before that.
    """

    def again() -> None:
        if not is_active():
            if at_end is not None:
                at_end()
            st.rerun()
        draw()

    if is_active():
        signed_in.refreshed(EVERY)(again)()
    else:
        draw()


def progress(jobs: Jobs, job_id: str, words: JobWords) -> None:
    """The progress of a job at work and a button to stop it."""
    job = jobs.job(job_id)
    if job is None:
        return
    st.progress(job.share, text=safe_html.plain_label(words.progress(job)))
    key = f"{words.key}_stop{suffix(job.id)}"
    if verb_button(words.stop, KINDS[job.kind].change, key=key, icon="stop_circle", disabled=job.stop):
        jobs.stop(job.id)


def _ended(jobs: Jobs, job: Job, words: JobWords) -> None:
    name, left = _name(job), f" {words.left(job)}".rstrip()
    sentences = {
        "staged": f"{name} was not started.",
        "failed": f"{name} failed: {job.error}",
        "stopped": f"{name} was stopped.{left}",
        "interrupted": f"The process of {name} stopped unexpectedly.{left}",
    }
    kind = KINDS[job.kind]
    safe_html.message(sentences[job.state], "error" if job.state == "failed" else "note")
    with st.container(horizontal=True, gap="small", key=f"{words.key}_ended{suffix(job.id)}"):
        button(words.again, f"{words.key}_again", "play_arrow", job.id, jobs.resume, kind.start)
        discard(jobs, job, f"{words.key}_discard", "Discard")


def discard(jobs: Jobs, job: Job, key: str, label: str = "Close") -> None:
    """The button that removes a job."""
    button(label, key, "close", job.id, jobs.discard, KINDS[job.kind].change, kind="tertiary")


def button(
    label: str,
    key: str,
    icon: str,
    job_id: str,
    action: Callable[[str], object],
    verb: str,
    *,
    kind: Kind = "secondary",
) -> None:
    """A button that does something to a job, for those who may do the verb; where it cannot, the next run shows why."""
    act = partial(press, job_id, partial(action, job_id))
    verb_button(label, verb, act, key=f"{key}{suffix(job_id)}", icon=icon, kind=kind)


def press(job_id: str, action: Callable[[], object]) -> None:
    """Does what a button of a job is for; the next run shows why it could not be done."""
    with outcome.kept(job_id):
        action()


def suffix(job_id: str) -> str:
    """What makes a control's key that of one job."""
    return f"_{job_id[-8:]}"


def count_words(done: int, total: int, noun: str = "") -> str:
    """How much is done, to follow a phase: “ · 40 of 200 passages”, “ · 40 passages”, or nothing."""
    if total:
        return f" · {done:,} of {total:,} {noun}".rstrip()
    return f" · {done:,} {noun}".rstrip() if done else ""


def badge(state: str) -> Html:
    """The state of a job as a badge; "" where there is none."""
    css = "wb-missing" if state in ("failed", "interrupted") else "wb-ready" if state in GOOD else "wb-idle"
    return element("span", escaped(STATE_TITLES[state]), css=css)


def time_words(seconds: float) -> str:
    """A moment as a list shows it."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _name(job: Job) -> str:
    return f"{KINDS[job.kind].title}{f' “{job.title}”' if job.title else ''}"
