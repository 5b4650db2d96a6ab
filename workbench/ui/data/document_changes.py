"""Removing single documents of a corpus, and its versions; both are confirmed by typing a name."""

from __future__ import annotations

import streamlit as st

from workbench.data import SAMPLE, CorpusManifest
from workbench.experiments import data_changes
from workbench.ui.data import data_state, manage
from workbench.ui.data.data_state import Selection
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.safe_html import Html, element, escaped, inline, table

REMOVED = "data_removed_document"
"""The session's key for the document whose removal is to be confirmed."""


def remove_button(corpus: str, document: str, place: int) -> None:
    """A button that asks for the confirmation of a document's removal; none for the sample."""
    if corpus == SAMPLE:
        return
    if st.session_state.get(REMOVED) == (corpus, document):
        _confirm(corpus, document, place)
    elif st.button(
        "Remove",
        key=f"data_remove_{place}",
        icon=":material/delete:",
        type="tertiary",
        **permitted.control("corpora.add"),
    ):
        st.session_state[REMOVED] = (corpus, document)
        st.rerun()


def _confirm(corpus: str, document: str, place: int) -> None:
    with access.guarded():
        typed = st.text_input(
            "Type the document's name to remove it", key=f"data_confirm_document_{place}", autocomplete="off"
        )
        st.caption(
            "Its passages, in all languages, leave the corpus in a new version. To replace it instead, add a file with "
            "the same name, and turn on “Replace documents of the same name”."
        )
        with st.container(horizontal=True, gap="small"):
            if st.button("Cancel", key=f"data_cancel_document_{place}", type="tertiary"):
                del st.session_state[REMOVED]
                st.rerun()
            disabled = typed.strip() != document
            if st.button(
                "Remove it",
                key=f"data_remove_now_{place}",
                icon=":material/delete:",
                **permitted.control("corpora.add", disabled=disabled),
            ):
                access.workbench().library.remove_documents(corpus, [document])
                del st.session_state[REMOVED]
                st.session_state[manage.DONE] = f"The document “{document}” is no longer in the corpus “{corpus}”."
                data_state.show(Selection(view="corpora", name=corpus, show="documents"))
                st.rerun()


def versions(manifest: CorpusManifest) -> None:
    """The versions of a corpus that has former ones, and the form that drops one of these."""
    if not manifest.versions:
        return
    with (
        st.expander(
            f"Versions of this corpus ({len(manifest.versions) + 1:,})", icon=":material/history:", key="data_versions"
        ),
        access.guarded(),
    ):
        items = access.workbench().library.versions(manifest.name)
        st.caption(
            "Each change of documents makes a version. Stored answers are shown with the version that they searched; "
            "dropping a former one frees the space that only it takes."
        )
        safe_html.show(versions_table(items))
        _drop(manifest.name, items[1:])


def versions_table(items: tuple[CorpusManifest, ...]) -> Html:
    """One row per version: when it was built, its passages and languages."""
    rows = [
        [
            inline(_built(item), css="wb-title"),
            escaped("current" if number == 0 else "former"),
            escaped(f"{item.passages:,}"),
            element("span", escaped(" ".join(f"{code} {count:,}" for code, count in item.languages.items()))),
        ]
        for number, item in enumerate(items)
    ]
    return table(["Built", "Version", "Passages", "Languages"], rows)


def _drop(corpus: str, former: tuple[CorpusManifest, ...]) -> None:
    if not former:
        return
    labels = {item.version: _built(item) for item in former}
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    version = left.selectbox(
        "Former version", list(labels), key="data_version", format_func=labels.__getitem__, help="The one to drop."
    )
    typed = right.text_input("Type the corpus's name to drop it", key="data_confirm_version", autocomplete="off")
    if count := data_changes.version_use(access.workbench(), corpus, next(i for i in former if i.version == version)):
        st.caption(f"Searched by {count:,} stored run{'' if count == 1 else 's'}, whose answers and scores stay.")
    if st.button(
        "Drop this version",
        key="data_drop_version",
        icon=":material/delete:",
        **permitted.control("corpora.delete", disabled=typed.strip() != corpus),
    ):
        effect = data_changes.drop_corpus_version(access.workbench(), corpus, version)
        st.session_state[manage.DONE] = f"The version of {labels[version]} is dropped. {effect}".strip()
        st.rerun()


def _built(item: CorpusManifest) -> str:
    return item.built.replace("T", " ").partition("+")[0]
