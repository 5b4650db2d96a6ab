"""The components of one role on the Settings screen: a card for each that is ready, the others folded."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from workbench.components import Entry, adapter_words, index_command
from workbench.core import Role
from workbench.jobs import encoders_on_demand, pace_words
from workbench.ui.parts import access, folds, safe_html
from workbench.ui.settings import model_actions, settings_view

Use = Callable[[str], None]


def draw(role: Role) -> None:
    """The cards, and a field for any other model."""
    st.markdown(settings_view.PURPOSES[role])
    current, use = None, None
    if role == "identifier":
        current = model_actions.identifier_in_use()
        use = partial(model_actions.use_identifier, now=current)
    entries = access.inventory(role)
    # What comes in a package is one press away.
    absent = [entry for entry in entries if not (entry.ready or entry.package)]
    for entry in sorted(entries, key=lambda entry: not entry.ready):
        if entry not in absent:
            card(entry, use, in_use=current is not None and entry.name == current.name)

    def cards() -> None:
        for entry in absent:
            card(entry, use)

    folds.draw(f"Not ready yet ({len(absent):,})", "download", f"absent_{role}", cards)
    with st.container(border=True):
        safe_html.show(settings_view.adapters_list(adapter_words(role)))
        model_actions.test_any(role, use)


def card(entry: Entry, use: Use | None, *, in_use: bool = False) -> None:
    """What a component is, the corpora indexed with it, and what can be done: test, `use` or download it."""
    with st.container(border=True, gap="small", key=f"component_{entry.role}_{entry.name}"):
        safe_html.show(settings_view.component_card(entry, in_use=in_use))
        if words := pace_words(access.workbench().settings.home, entry.name):
            safe_html.show(safe_html.text_block(words, "en", "wb-muted"))
        if entry.ready and entry.role == "encoder" and entry.name != "builtin":
            _indexes(entry.name)
        if entry.ready:
            model_actions.test(entry.role, entry.name, entry.sends_to, partial(use, entry.name) if use else None)
            return
        if entry.downloadable:
            model_actions.download(entry)
        safe_html.source(entry.remedy)


def _indexes(encoder: str) -> None:
    """Which corpora an encoder can search, and how the others come to be indexed with it."""
    corpora = access.workbench().indexes()
    if not corpora:
        return
    indexed = [name for name, encoders in corpora.items() if encoder in encoders]
    missing = [name for name in corpora if name not in indexed]
    safe_html.show(safe_html.text_block(f"Corpora indexed with it: {', '.join(indexed) or 'none yet'}.", "en"))
    if missing and encoder in encoders_on_demand():
        st.page_link(
            "pages/data.py",
            label=f"Prepare the others on the Data screen ({len(missing):,})",
            icon=":material/hub:",
            query_params={"corpus": missing[0]},
        )
    elif missing:
        safe_html.source("\n".join(index_command(name, encoder) for name in missing))
