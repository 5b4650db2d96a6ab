"""Settings: every component by role, ready or with the command that provides it; endpoints; keys by name."""

from functools import partial

import streamlit as st

from workbench.components import ROLES, adapter_words, index_command
from workbench.jobs import encoders_on_demand, pace_words
from workbench.ui.parts import access, frame, permitted, safe_html, signed_in
from workbench.ui.people import audit_view, people_section
from workbench.ui.settings import endpoint_forms, model_actions, settings_view

ENDPOINTS, KEYS, PEOPLE, AUDIT = "Endpoints", "Keys", "People", "Audit"
# The key of the switch, and by that its parameter in the URL.
SECTION = "section"

frame.enter()
with access.guarded():
    st.title("Settings")
    st.markdown(
        "Every model that a recipe can name: ready, or what is missing and the command that provides it. Nothing is "
        "downloaded or sent anywhere before you press a button."
    )
    sections = {settings_view.TITLES[role]: role for role in ROLES}
    people = [PEOPLE, *([] if permitted.why_not("audit.look") else [AUDIT])] if signed_in.is_on() else []
    shown = st.segmented_control(
        "Section",
        [*sections, ENDPOINTS, KEYS, *people],
        default=next(iter(sections)),
        key=SECTION,
        bind="query-params",
        required=True,
        wrap=True,
        help="A part of the pipeline.",
    )

    if shown == ENDPOINTS:
        endpoint_forms.draw()
    elif shown == KEYS:
        st.markdown(
            "Keys are read from the environment, or from `.streamlit/secrets.toml`, when a call is made. They are "
            "never shown, stored, logged or exported."
        )
        st.dataframe(
            settings_view.keys_frame(access.workbench().registry.secrets()),
            hide_index=True,
            key="keys_list",
            alt="Keys by the names of their variables",
        )
    elif shown == PEOPLE:
        people_section.draw()
    elif shown == AUDIT:
        audit_view.draw()
    else:
        role = sections[shown or next(iter(sections))]
        st.markdown(settings_view.PURPOSES[role])
        corpora = access.workbench().indexes() if role == "encoder" else {}
        current = model_actions.identifier_in_use() if role == "identifier" else None
        use = partial(model_actions.use_identifier, now=current) if role == "identifier" else None
        for entry in access.inventory(role):
            with st.container(border=True, gap="small", key=f"component_{role}_{entry.name}"):
                safe_html.show(
                    settings_view.component_card(entry, in_use=current is not None and entry.name == current.name)
                )
                if words := pace_words(access.workbench().settings.home, entry.name):
                    safe_html.show(safe_html.text_block(words, "en", "wb-muted"))
                if not entry.ready:
                    safe_html.source(entry.remedy)
                elif corpora and entry.name != "builtin":
                    indexed = [name for name, encoders in corpora.items() if entry.name in encoders]
                    missing = [name for name in corpora if name not in indexed]
                    safe_html.show(
                        safe_html.text_block(f"Corpora indexed with it: {', '.join(indexed) or 'none yet'}.", "en")
                    )
                    if missing and entry.name in encoders_on_demand():
                        st.page_link(
                            "pages/data.py",
                            label=f"Prepare the others on the Data screen ({len(missing):,})",
                            icon=":material/hub:",
                            query_params={"corpus": missing[0]},
                        )
                    elif missing:
                        safe_html.source("\n".join(index_command(name, entry.name) for name in missing))
                if entry.ready:
                    model_actions.test(role, entry.name, entry.sends_to, partial(use, entry.name) if use else None)
                elif entry.downloadable:
                    model_actions.download(entry)
        with st.container(border=True):
            safe_html.show(settings_view.adapters_list(adapter_words(role)))
            model_actions.test_any(role, use)
