"""Renaming and deleting a dataset or a corpus, its documents and its versions; a deletion is confirmed by a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from workbench.data import SAMPLE, CorpusManifest
from workbench.experiments import data_changes
from workbench.ui.data import data_state, data_view
from workbench.ui.data.data_state import Selection, View
from workbench.ui.parts import access, folds, outcome, safe_html
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.verb_button import verb_button

PLACE, REMOVED_DOCUMENT = "data", "data_removed_document"
"""Where it is said what was changed, and the session's key for a document whose removal is to be confirmed."""


@dataclass(frozen=True, slots=True)
class DataKind:
    """What is renamed and deleted: its noun, what goes with it when it is deleted, and the functions that do it."""

    noun: str
    view: View
    loss: str
    use: Callable[..., data_changes.DataUse]
    rename: Callable[..., str]
    delete: Callable[..., str]


DATASET = DataKind(
    "dataset",
    "datasets",
    "Its questions and gold answers are deleted; its corpus stays.",
    data_changes.dataset_use,
    data_changes.rename_dataset,
    data_changes.delete_dataset,
)
CORPUS = DataKind(
    "corpus",
    "corpora",
    "Its passages and all of its indexes are deleted.",
    data_changes.corpus_use,
    data_changes.rename_library_corpus,
    data_changes.delete_corpus,
)


def draw(kind: DataKind, name: str, *, damaged: bool = False) -> None:
    """The form; for what is `damaged`, deleting alone."""
    title = f"Delete the damaged {kind.noun}" if damaged else f"Rename or delete this {kind.noun}"
    folds.draw(title, "edit", f"data_manage_{kind.noun}_{name}", lambda: _form(kind, name, damaged=damaged))


def _form(kind: DataKind, name: str, *, damaged: bool) -> None:
    if name == SAMPLE:
        safe_html.message(
            f"The {kind.noun} “{SAMPLE}” belongs to the workbench and is always available: it can be neither "
            "renamed nor deleted."
        )
        return
    effect = kind.use(access.workbench(), name).effect
    left, right = st.columns(2, gap="large")
    if not damaged:
        with left, access.guarded():
            _rename(kind, name, effect)
    with right, access.guarded():
        _delete(kind, name, effect)


def _rename(kind: DataKind, name: str, effect: str) -> None:
    key, help_ = f"data_new_{kind.noun}_{name}", "Lower-case letters, digits, - and _."
    new = st.text_input("New name", key=key, help=help_).strip()
    if effect:
        st.caption(effect)
    key = f"data_rename_{kind.noun}"
    if verb_button("Rename", f"{kind.view}.rename", key=key, icon="edit", disabled=not new):
        effect = kind.rename(access.workbench(), name, new)
        selection = Selection(view=kind.view, name=new)
        _finish(f"The {kind.noun} “{name}” is now called “{new}”. {effect}", selection)


def _delete(kind: DataKind, name: str, effect: str) -> None:
    confirmed = _is_confirmed("Type its name to delete it", name, f"data_confirm_{kind.noun}_{name}")
    st.caption(" ".join(filter(None, (kind.loss, "This cannot be undone.", effect))))
    key = f"data_delete_{kind.noun}_{name}"
    if verb_button("Delete", f"{kind.view}.delete", key=key, icon="delete", disabled=not confirmed):
        effect = kind.delete(access.workbench(), name)
        _finish(f"The {kind.noun} “{name}” is deleted. {effect}", Selection(view=kind.view))


def _is_confirmed(label: str, name: str, key: str) -> bool:
    """A field for the name of what is lost for good; whether it was typed."""
    return st.text_input(label, key=key, autocomplete="off").strip() == name


def _finish(words: str, selection: Selection) -> None:
    outcome.keep(PLACE, words.strip())
    data_state.show(selection)
    st.rerun()


def remove_button(corpus: str, document: str, number: int) -> None:
    """A button that asks for the confirmation of a document's removal; none for the sample."""
    if corpus == SAMPLE:
        return
    if st.session_state.get(REMOVED_DOCUMENT) == (corpus, document):
        _confirm_removal(corpus, document, number)
    elif verb_button("Remove", "corpora.add", key=f"data_remove_{number}", icon="delete", kind="tertiary"):
        st.session_state[REMOVED_DOCUMENT] = (corpus, document)
        st.rerun()


def _confirm_removal(corpus: str, document: str, number: int) -> None:
    with access.guarded():
        label = "Type the document's name to remove it"
        confirmed = _is_confirmed(label, document, f"data_confirm_document_{number}")
        st.caption(
            "Its passages, in all languages, leave the corpus in a new version. To replace it instead, add a file with "
            "the same name, and turn on “Replace documents of the same name”."
        )
        with st.container(horizontal=True, gap="small"):
            if st.button("Cancel", key=f"data_cancel_document_{number}", type="tertiary"):
                del st.session_state[REMOVED_DOCUMENT]
                st.rerun()
            key = f"data_remove_now_{number}"
            if verb_button("Remove it", "corpora.add", key=key, icon="delete", disabled=not confirmed):
                access.workbench().library.remove_documents(corpus, [document])
                del st.session_state[REMOVED_DOCUMENT]
                text = f"The document “{document}” is no longer in the corpus “{corpus}”."
                _finish(text, Selection(view="corpora", name=corpus, show="documents"))


def versions(manifest: CorpusManifest) -> None:
    """The versions of a corpus that has former ones, and the form that drops one of these."""
    if manifest.versions:
        title = f"Versions of this corpus ({len(manifest.versions) + 1:,})"
        folds.draw(title, "history", "data_versions", lambda: _versions(manifest.name))


def _versions(corpus: str) -> None:
    items = access.workbench().library.versions(corpus)
    st.caption(
        "Each change of documents makes a version. Stored answers are shown with the version that they searched; "
        "deleting an older one frees the space that it alone uses."
    )
    rows = [
        {
            "Built": _built(item),
            "Version": "older" if number else "current",
            "Passages": item.passages,
            "Per language": data_view.counts_text(item.languages),
        }
        for number, item in enumerate(items)
    ]
    data_table(rows, hide_index=True, key="data_version_list", alt="Versions of the corpus")
    _drop_version(corpus, items[1:])


def _drop_version(corpus: str, former: tuple[CorpusManifest, ...]) -> None:
    if not former:
        return
    labels = {item.version: _built(item) for item in former}
    left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
    version = left.selectbox(
        "Older version", list(labels), key="data_version", format_func=labels.__getitem__, help="The version to delete."
    )
    with right:
        confirmed = _is_confirmed("Type the corpus's name to delete this version", corpus, "data_confirm_version")
    if count := data_changes.version_use(access.workbench(), corpus, next(i for i in former if i.version == version)):
        st.caption(f"Searched by {count:,} stored run{'' if count == 1 else 's'}, whose answers and scores stay.")
    key = "data_drop_version"
    if verb_button("Delete this version", "corpora.delete", key=key, icon="delete", disabled=not confirmed):
        effect = data_changes.drop_corpus_version(access.workbench(), corpus, version)
        outcome.keep(PLACE, f"The version of {labels[version]} is deleted. {effect}".strip())
        st.rerun()


def _built(manifest: CorpusManifest) -> str:
    return manifest.built.replace("T", " ").partition("+")[0]
