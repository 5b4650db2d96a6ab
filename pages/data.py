"""Data: corpora and datasets, what they contain, the import of files, and their names."""

import streamlit as st

from workbench.ui.data import browse, data_state, data_view, index_view, manage
from workbench.ui.documents import add_form
from workbench.ui.imports import import_form, wikipedia_form
from workbench.ui.parts import access, frame, outcome, safe_html
from workbench.ui.review import demonstration_review, question_review

frame.enter()
with access.guarded():
    st.title("Data")
    access.prepare("sample")
    corpora, datasets = access.manifests(), access.datasets()
    of_corpora = {item.name: list(item.languages) for item in corpora}
    of_datasets = {item.name: list(item.languages) for item in datasets}
    reviews = {item.view: item for item in (question_review.VIEW, demonstration_review.VIEW)}
    of_sets = {name: dict.fromkeys(item.names(), ()) for name, item in reviews.items()}
    import_form.settle()
    data_state.restore({"datasets": of_datasets, "corpora": of_corpora, **of_sets})
    import_form.outcome()
    wikipedia_form.outcome()
    outcome.show(manage.PLACE)
    add_form.draw()
    import_form.draw()
    wikipedia_form.draw()

    view = data_state.SESSION.choose_view(data_state.VIEWS, wrap=True).view
    if view in reviews:
        with access.guarded():
            reviews[view].draw(list(of_sets[view]), data_state.SESSION.current)
    elif view == "datasets":
        data_view.overview(data_view.datasets_frame(datasets), "datasets")
        selection = data_state.draw(of_datasets)
        info = next(item for item in datasets if item.name == selection.name)
        with access.guarded():
            browse.questions(info, selection)
        data_view.counts(info.languages)
        manage.draw(manage.DATASET, info.name)
        for damaged in access.damaged_datasets():
            safe_html.message(f"The dataset “{damaged}” is damaged. Import it again under the same name.", "error")
            manage.draw(manage.DATASET, damaged, damaged=True)
    else:
        index_view.table(corpora, access.encoders())
        selection = data_state.draw(of_corpora)
        manifest = next(item for item in corpora if item.name == selection.name)
        index_view.draw(manifest, "corpus")
        with access.guarded():
            browse.corpus_content(manifest.name, selection)
        data_view.counts(manifest.languages)
        index_view.other_encoders(manifest)
        manage.versions(manifest)
        manage.draw(manage.CORPUS, manifest.name)
        for damaged in access.damaged_corpora():
            safe_html.message(f"The corpus “{damaged}” is damaged. Import it again under the same name.", "error")
            manage.draw(manage.CORPUS, damaged, damaged=True)
    data_state.SESSION.remember()
