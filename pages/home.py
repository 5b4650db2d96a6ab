"""Home: what this is, what to try first, and what the workspace contains."""

import streamlit as st

from workbench.ui.ask import examples
from workbench.ui.home import first_steps, home_view
from workbench.ui.parts import access, frame, job_card, safe_html

frame.enter()
with access.guarded():
    st.title("mRAG workbench")
    safe_html.show(home_view.picture())
    first_steps.ask_line()
    safe_html.show(home_view.result())

    st.header("Four things to see")
    examples.cards(examples.FIRST, short=True)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        query = {"view": "languages", "dataset": "sample", "question": "q07", "ask": "1"}
        st.page_link("pages/compare.py", label="Compare all languages", icon=":material/compare:", query_params=query)
        st.page_link("pages/tour.py", label="Play a tour", icon=":material/tour:")
        query = {"view": "annotate"}
        st.page_link(
            "pages/inspect.py", label="Read and label answers", icon=":material/fact_check:", query_params=query
        )

    job_card.at_work()
    first_steps.offer()

    access.prepare("sample")
    corpora, datasets = access.passage_counts(), access.datasets()
    fold = st.expander(
        home_view.totals(corpora, datasets), icon=":material/database:", key="home_data", on_change="rerun"
    )
    if fold.open:
        with fold:
            safe_html.show(home_view.contents(corpora, datasets))
    for check in access.components():
        if not check.ready:
            safe_html.message(f"Missing: {check.name}, {check.state}. To mend it, type: {check.remedy}", "error")
    access.warm("sample")
