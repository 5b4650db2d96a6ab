"""Data: corpora and datasets, what they contain, and the import of files."""

import streamlit as st

from workbench.components.inventory import index_command
from workbench.ui.data import data_view, import_form
from workbench.ui.shared import access, frame, safe_html
from workbench.ui.shared.badges import language_words
from workbench.ui.shared.widget_state import url_selectbox

PREVIEW = 5

frame.enter()
with access.guarded():
    st.title("Data")
    access.prepare("sample")
    corpora, datasets = access.manifests(), access.datasets()
    with st.expander("Import a dataset", icon=":material/upload_file:", key="data_import"), access.guarded():
        import_form.draw()

    st.header("Datasets")
    safe_html.show(data_view.datasets_table(datasets))
    left, right = st.columns(2, gap="medium")
    with left:
        name = url_selectbox("Dataset", [item.name for item in datasets], import_form.SHOWN, "dataset")
    info = next(item for item in datasets if item.name == name)
    with right:
        code = url_selectbox(
            "Language", list(info.languages), f"data_code_{name}", "language", format_func=language_words
        )
    with access.guarded():
        safe_html.show(data_view.questions_list(access.questions(name, code)[:PREVIEW]))
    if data_view.differ(info.languages):
        st.plotly_chart(
            data_view.counts_figure(info.languages, "Questions", name),
            config={"displaylogo": False},
            key="data_questions",
        )

    st.header("Corpora")
    encoders = access.encoders()
    safe_html.show(data_view.corpora_table(corpora, encoders))
    for damaged in access.damaged_corpora():
        safe_html.message(f"The corpus “{damaged}” is damaged. Import it again under the same name.", "error")
    shown = url_selectbox("Corpus", [item.name for item in corpora], import_form.SHOWN_CORPUS, "corpus")
    manifest = next(item for item in corpora if item.name == shown)
    st.plotly_chart(
        data_view.counts_figure(manifest.languages, "Passages", shown),
        config={"displaylogo": False},
        key="data_passages",
    )
    with st.expander("First passages", icon=":material/article:", key="data_first", on_change="rerun") as first:
        if first.open:
            safe_html.show(data_view.passages_list(access.first_passages(shown, PREVIEW)))
    with st.expander("Index with another encoder", icon=":material/hub:", key="data_index"):
        st.markdown("Every corpus is indexed by words and with the built-in encoder. For another encoder, run:")
        safe_html.source(index_command(shown, "bge-m3"))
