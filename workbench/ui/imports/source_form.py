"""The controls of a format, made from its description: what is uploaded or named, and the options of its import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from workbench.core import UsageError
from workbench.data import DatasetFormat, Folder, ImportOption, Remote
from workbench.languages import known_languages
from workbench.ui.parts import access, uploads
from workbench.ui.parts.badges import language_option

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

AS_FOLDER, AS_FILES = "Folder", "Files"
IMPORTS = "data_taken"
"""The session's key for the number of imports: each gives the upload control a new key, and so empties it."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What is to be imported: the uploaded folder or the name of a remote dataset, and the files.

    `paths` are those of a folder's files in it, or the names of the files. `staged` returns each file with its path
    for the job; it raises UsageError for names that are not allowed.
    """

    name: str = ""
    uploaded: Sequence[UploadedFile] = ()
    paths: Sequence[PurePosixPath] = ()
    staged: Callable[[], Sequence[tuple[str, UploadedFile]]] = tuple


def select(form: DatasetFormat, needed: list[str]) -> Upload | None:
    """The control for what is imported; None as long as there is nothing, which `needed` then names."""
    if isinstance(form.source, Remote):
        name = st.text_input(
            form.source.title, key=f"data_{form.name}", placeholder=form.source.placeholder, help=form.source.help
        ).strip()
        needed.extend([] if name else [form.source.title[:1].lower() + form.source.title[1:]])
        return Upload(name) if name else None
    if isinstance(form.source, Folder):
        return _folder(form, form.source, needed)
    files = _uploader(form, form.source.endings, "Files" if form.source.several else "File", form.source.several)
    if not files:
        needed.append("file")
        return None
    return Upload("", files, [PurePosixPath(file.name) for file in files], partial(uploads.numbered, files))


def _uploader(
    form: DatasetFormat, endings: Sequence[str], label: str, accept: bool | Literal["directory"]
) -> Sequence[UploadedFile]:
    """The files selected so far; for a folder all files in it, each with its path as its name."""
    uploaded = st.file_uploader(
        label,
        list(endings) or None,
        accept_multiple_files=accept,
        key=f"data_{'folder' if accept == 'directory' else 'files'}_{form.name}{st.session_state.get(IMPORTS) or ''}",
        help=f"Larger than {st.get_option('server.maxUploadSize')} MB, or already on the server? Whoever runs the "
        f"server can import it there with `python -m workbench import {form.name}`.",
    )
    if uploaded is None:
        return []
    return uploaded if isinstance(uploaded, list) else [uploaded]


def empty() -> None:
    """Empties the upload control: what was imported is neither kept in memory nor imported twice."""
    st.session_state[IMPORTS] = st.session_state.get(IMPORTS, 0) + 1


def _folder(form: DatasetFormat, folder: Folder, needed: list[str]) -> Upload | None:
    way = AS_FOLDER
    if not folder.nested:
        way = st.segmented_control(
            "Upload",
            [AS_FOLDER, AS_FILES],
            default=AS_FOLDER,
            required=True,
            key=f"data_way_{form.name}",
            label_visibility="collapsed",
        )
    uploaded = _uploader(form, folder.endings, way, "directory" if way == AS_FOLDER else True)
    if not uploaded:
        needed.append("folder")
        return None
    files = _files_of(uploaded, folder)
    root = _root([path for path, _ in files], form.name, folder)
    inside = [path for path, _ in files if path.is_relative_to(root)]
    return Upload(uploads.folder_name(root), uploaded, inside, partial(uploads.in_folder, files, root))


def _files_of(uploaded: Sequence[UploadedFile], folder: Folder) -> Sequence[tuple[PurePosixPath, UploadedFile]]:
    """The files that the format reads, with their checked paths; the others are never written anywhere."""
    matches = [file for file in uploaded if folder.file.fullmatch(file.name.replace("\\", "/").rsplit("/", 1)[-1])]
    if not matches:
        raise UsageError(
            f"None of the {len(uploaded):,} files is in this format. Expected: a folder with {folder.expected}."
        )
    files = [(uploads.safe_path(file.name), file) for file in matches]
    if not folder.nested:
        return files
    nested = [(path, file) for path, file in files if len(path.parts) > 1]
    if not nested:
        raise UsageError(
            "The files arrived without their folders, as happens when a folder is dropped here. Press + next to them "
            "and select the folder there."
        )
    return nested


def _root(paths: Sequence[PurePosixPath], name: str, folder: Folder) -> PurePosixPath:
    """The folder to import: the one with the format's main file; of several, the one selected in a box."""
    roots = sorted({path.parent for path in paths if folder.main and path.name.startswith(folder.main)})
    if not roots:
        tops = {path.parts[0] for path in paths if len(path.parts) > 1}
        one_folder = len(tops) == 1 and all(len(path.parts) > 1 for path in paths)
        return PurePosixPath(*tops) if one_folder else PurePosixPath()
    if len(roots) == 1:
        return roots[0]
    root: PurePosixPath = st.selectbox(
        "Folder to import",
        roots,
        key=f"data_root_{name}",
        format_func=str,
        help="More than one of the uploaded folders holds such a dataset; one is imported at a time.",
    )
    return root


def options(
    form: DatasetFormat, shown: Iterable[ImportOption], paths: Sequence[PurePosixPath], needed: list[str]
) -> dict[str, Any]:
    """The values of some options by their controls; `needed` names those that are missing."""
    values: dict[str, Any] = {}
    for option in shown:
        values[option.name] = CONTROLS[option.kind](form, option, paths, values)
        if option.required and not values[option.name]:
            needed.append(option.kind)
    return values


def _switch(form: DatasetFormat, option: ImportOption, *_: object) -> bool | None:
    key = f"data_{option.name}_{form.name}"
    if option.states is None:
        return st.toggle(option.title, value=option.default, key=key, help=option.help)
    state: bool | None = st.selectbox(
        option.title, list(option.states), key=key, format_func=option.states.__getitem__, help=option.help
    )
    return state


def _text(form: DatasetFormat, option: ImportOption, paths: Sequence[PurePosixPath], values: Mapping[str, Any]) -> str:
    key = f"data_{option.name}_{form.name}"
    if option.offered is not None:
        ordered = sorted(option.offered(paths, values), key=lambda name: (name != option.default, name))
        return st.selectbox(option.title, ordered, key=key, help=option.help) or str(option.default)
    entered = st.text_input(
        option.title, option.default, key=key, placeholder=option.placeholder or None, help=option.help
    )
    return entered.strip() or str(option.default)


def _language(form: DatasetFormat, option: ImportOption, *_: object) -> str:
    language: str | None = st.selectbox(
        option.title,
        [item.code for item in known_languages()],
        index=None,
        key=f"data_{option.name}_{form.name}",
        placeholder="Select a language",
        format_func=language_option,
        help=option.help,
    )
    return language or ""


def languages(
    form: DatasetFormat,
    option: ImportOption,
    paths: Sequence[PurePosixPath] = (),
    values: Mapping[str, Any] | None = None,
    *,
    title: str = "",
) -> list[str]:
    """The languages to import, [] for all."""
    known = [language.code for language in known_languages()]
    return st.multiselect(
        title or option.title,
        known if option.offered is None else list(option.offered(paths, values or {})),
        key=f"data_{option.name}_{form.name}",
        placeholder="All",
        format_func=language_option,
        help=option.help,
    )


def _corpus(form: DatasetFormat, option: ImportOption, *_: object) -> str:
    corpus: str = st.selectbox(
        option.title,
        ["", *(manifest.name for manifest in access.manifests())],
        key=f"data_{option.name}_{form.name}",
        format_func=lambda name: name or "none",
        help=option.help,
    )
    return corpus


CONTROLS: Mapping[str, Callable[..., Any]] = {
    "switch": _switch,
    "text": _text,
    "language": _language,
    "languages": languages,
    "corpus": _corpus,
}
"""The control of each kind of option. Columns have a form of their own."""
