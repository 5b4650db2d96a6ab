"""Home: examples to try first, and what the workspace contains."""

import streamlit as st

from workbench.ui.ask import examples
from workbench.ui.ask.examples import FIRST
from workbench.ui.home import home_view
from workbench.ui.parts import access, frame, job_card, safe_html

frame.enter()
with access.guarded():
    st.title("mRAG workbench")
    st.markdown(
        "Ask one question in any language through every published method of multilingual retrieval-augmented "
        "generation, and see what was retrieved in which language and what each step did."
    )

    st.header("What to try first")
    examples.cards(FIRST)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link("pages/ask.py", label="Ask your own question", icon=":material/search:")
        st.page_link(
            "pages/compare.py",
            label="Compare all languages",
            icon=":material/compare:",
            query_params={"view": "languages", "dataset": "sample", "question": "q07", "ask": "1"},
        )
        st.page_link("pages/tour.py", label="Play a tour", icon=":material/tour:")
        st.page_link(
            "pages/inspect.py",
            label="Read and label answers",
            icon=":material/fact_check:",
            query_params={"view": "annotate"},
        )

    job_card.at_work()

    st.header("In this workspace")
    access.prepare("sample")
    corpora, datasets = access.passage_counts(), access.datasets()
    safe_html.show(home_view.figures(home_view.totals(corpora, datasets)))
    safe_html.show(home_view.corpora_table(corpora))
    safe_html.show(home_view.datasets_table(datasets))
    for name, counts in corpora.items():
        st.plotly_chart(home_view.passages_figure(counts, name), config={"displaylogo": False}, key=f"passages_{name}")

    checks = access.components()
    st.header("Components")
    with st.expander(home_view.components_line(checks), icon=":material/check_circle:"):
        safe_html.show(home_view.components_table(checks))
    access.warm("sample")
