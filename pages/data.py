"""Data: corpora and datasets, what they hold, and how files come in."""

import streamlit as st

from workbench.pipeline.inventory import index_command
from workbench.ui import address, frame, safe, workspace
from workbench.ui.badges import language_words
from workbench.ui.data import data_view, importing

PREVIEW = 5

frame.required()
with workspace.guarded():
    st.title("Data")
    workspace.prepare("sample")
    corpora, datasets = workspace.manifests(), workspace.datasets()
    with st.expander("Import a dataset", icon=":material/upload_file:", key="data_import"), workspace.guarded():
        importing.draw()

    st.header("Datasets")
    safe.show(data_view.datasets_table(datasets))
    left, right = st.columns(2, gap="medium")
    with left:
        name = address.selectbox("Look at a dataset", [item.name for item in datasets], importing.SHOWN, "dataset")
    info = next(item for item in datasets if item.name == name)
    with right:
        code = address.selectbox(
            "In", list(info.languages), f"data_code_{name}", "language", format_func=language_words
        )
    with workspace.guarded():
        safe.show(data_view.questions_list(workspace.questions(name, code)[:PREVIEW]))
    if data_view.differ(info.languages):
        st.plotly_chart(
            data_view.counts_figure(info.languages, "Questions", name),
            config={"displaylogo": False},
            key="data_questions",
        )

    st.header("Corpora")
    encoders = workspace.encoders()
    safe.show(data_view.corpora_table(corpora, encoders))
    for damaged in workspace.damaged_corpora():
        safe.message(f"The corpus “{damaged}” is damaged: import it again under the same name.", "error")
    shown = address.selectbox("Look at a corpus", [item.name for item in corpora], importing.SHOWN_CORPUS, "corpus")
    manifest = next(item for item in corpora if item.name == shown)
    st.plotly_chart(
        data_view.counts_figure(manifest.languages, "Passages", shown),
        config={"displaylogo": False},
        key="data_passages",
    )
    with st.expander("Its first passages", icon=":material/article:", key="data_first", on_change="rerun") as first:
        if first.open:
            safe.show(data_view.passages_list(workspace.first_passages(shown, PREVIEW)))
    with st.expander("Index it by another encoder", icon=":material/hub:", key="data_index"):
        st.markdown("Every corpus is searched by words and by the built-in encoder. For another encoder, type:")
        safe.source(index_command(shown, "bge-m3"))
