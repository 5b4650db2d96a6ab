"""Settings: your models; every component by role, what is ready first; endpoints; keys by name; people."""

import streamlit as st

from workbench.components import ROLES
from workbench.core import unknown_name
from workbench.ui.parts import access, frame, permitted, safe_html, signed_in
from workbench.ui.parts.data_table import data_table
from workbench.ui.people import audit_view, people_section
from workbench.ui.settings import component_cards, endpoint_forms, settings_view, tuned_models, your_models

MODELS, TUNED, ENDPOINTS, KEYS, PEOPLE, AUDIT = "Your models", "Tuned models", "Endpoints", "Keys", "People", "Audit"
# The key of the switch, and by that its parameter in the URL.
SECTION = "section"

frame.enter()
with access.guarded():
    st.title("Settings")
    sections = {settings_view.TITLES[role]: role for role in ROLES}
    people = [PEOPLE, *([] if permitted.why_not("audit.look") else [AUDIT])] if signed_in.is_on() else []
    titles = [MODELS, TUNED, *people, *sections, ENDPOINTS, KEYS]
    # Streamlit drops what is none of them without a word.
    if (section := st.query_params.get(SECTION, MODELS)) not in titles:
        safe_html.message(str(unknown_name("section", section, titles)), "error")
    shown = st.segmented_control(
        "Section",
        titles,
        default=MODELS,
        key=SECTION,
        bind="query-params",
        required=True,
        wrap=True,
        help="Models, servers and keys. Nothing is downloaded or sent before you press a button.",
    )

    if shown == ENDPOINTS:
        endpoint_forms.draw()
    elif shown == KEYS:
        st.markdown(
            "Keys are read from the environment, or from `.streamlit/secrets.toml`, when a call is made. They are "
            "never shown, stored, logged or exported."
        )
        rows = settings_view.keys_rows(access.workbench().registry.secrets())
        data_table(rows, hide_index=True, key="keys_list", alt="Keys by the names of their variables")
    elif shown == PEOPLE:
        people_section.draw()
    elif shown == TUNED:
        tuned_models.draw()
    elif shown == AUDIT:
        audit_view.draw()
    elif shown in sections:
        component_cards.draw(sections[shown])
    else:
        your_models.draw()
