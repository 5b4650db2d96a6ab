"""Who did what: the audit by person, verb and days, a page at a time, and as a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date, datetime, time as clock_time, timedelta
from functools import partial

import streamlit as st

from workbench.ui.parts import access, downloads, permitted, safe_html, signed_in
from workbench.ui.parts.data_table import data_table
from workbench.workspace import PAGE, VERBS, Accounts, AuditFilter, AuditLog, opened_store

KEY = "audit_"
SIGNING = {"sign_in": "Sign in.", "sign_out": "Sign out."}
"""What is recorded without being a verb of the catalogue."""
FIRST_DAY = date(2020, 1, 1)
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
"""Begins a line such as “NAME: added as reader”, which is an English one whatever the name's direction."""


@permitted.form("audit.look")
def draw() -> None:
    """The filters, the page and the file."""
    engine = opened_store(access.workbench().settings.database_url)
    log = AuditLog(engine)
    sentences = {item.name: item.sentence for item in VERBS if item.is_recorded} | SIGNING
    left, middle, right = st.columns(3, gap="medium")
    person = left.selectbox(
        "Person",
        ["", *(account.name for account in Accounts(engine).all())],
        key=f"{KEY}person",
        format_func=lambda name: name or "Everybody",
        accept_new_options=True,
        help="Type a name for a person whose account was removed.",
    )
    verb = middle.selectbox(
        "What was done",
        ["", *sentences],
        key=f"{KEY}verb",
        format_func=lambda name: sentences[name].rstrip(".") if name else "Everything",
        help="One of the things that people can do here, or signing in and out.",
    )
    days = right.date_input(
        "Days",
        [],
        FIRST_DAY,
        date.today() + timedelta(days=1),
        key=f"{KEY}days",
        help="The first and the last day; empty for all.",
    )
    since, until = seconds_of(days if isinstance(days, tuple) else (days,))
    filter_ = AuditFilter(person=person or "", verb=verb or "", since=since, until=until)
    count = log.count(filter_)
    if not count:
        safe_html.message("No entries match these filters.")
        return
    pages = -(-count // PAGE)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        number = int(st.number_input(f"Page (of {pages:,})", 1, pages, key=f"{KEY}page", width=140) if pages > 1 else 1)
        downloads.button(
            f"Download ({count:,} rows, CSV)",
            signed_in.at_click(partial(log.as_csv, filter_)),
            "audit.csv",
            f"{KEY}csv",
        )
    rows = [
        {
            "When (server's time)": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(item.time)),
            "Who": item.person,
            "What": item.verb,
            "To what": f"{LEFT_TO_RIGHT}{item.subject}",
            "Where": item.place,
        }
        for item in log.page(number, filter_)
    ]
    data_table(rows, hide_index=True, key=f"{KEY}entries", alt="What was done, newest first")


def seconds_of(days: Sequence[date]) -> tuple[float | None, float | None]:
    """From the first day's beginning to the last day's end, in seconds since 1970; None where there is no day."""
    if not days:
        return None, None
    first, last = days[0], days[-1] + timedelta(days=1)
    since, until = (datetime.combine(day, clock_time()).timestamp() for day in (first, last))
    return since, until
