"""Formats that are a folder of files: which folder of an upload is meant, what is imported from it, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import regex
import streamlit as st

from workbench.core import UsageError
from workbench.data import (
    AUTORAG_FILE,
    BEIR_FILE,
    BORDERLINES_FILE,
    MLQA_FILE,
    TERRITORIES,
    languages_in,
    pairs_in,
    splits_in,
)
from workbench.jobs import DatasetSource
from workbench.ui.imports import uploading
from workbench.ui.imports.formats import Upload
from workbench.ui.parts import uploads

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

Paths = Sequence[PurePosixPath]
Files = Sequence[tuple[PurePosixPath, "UploadedFile"]]
"""Uploaded files with their checked paths."""

FOLDER, FILES = "Folder", "Files"


def draw(kind: str, needed: list[str]) -> Upload | None:
    """The upload and the options of a format; None as long as something is missing, which `needed` then names."""
    layout = LAYOUTS[kind]
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        uploaded = uploading.files(kind, folder=_as_folder(kind, layout))
    if not uploaded:
        needed.append("folder")
        return None
    files = _format_files(uploaded, layout)
    with right:
        root = _root([path for path, _ in files], kind, layout)
        source = layout.options([path for path, _ in files if path.is_relative_to(root)])
    if source is None:
        needed.append("language")
        return None
    return Upload(replace(source, root=uploads.folder_name(root)), partial(uploads.in_folder, files, root))


def _as_folder(kind: str, layout: FolderLayout) -> bool:
    if layout.nested:
        return True
    way = st.segmented_control(
        "Upload", [FOLDER, FILES], default=FOLDER, required=True, key=f"data_way_{kind}", label_visibility="collapsed"
    )
    return way == FOLDER


def _format_files(uploaded: Sequence[UploadedFile], layout: FolderLayout) -> Files:
    """The files that the format reads, with their checked paths; the others are never written anywhere."""
    matches = [file for file in uploaded if layout.file.fullmatch(file.name.replace("\\", "/").rsplit("/", 1)[-1])]
    if not matches:
        raise UsageError(
            f"None of the {len(uploaded):,} files is in this format. Expected: a folder with {layout.expected}."
        )
    files = [(uploads.safe_path(file.name), file) for file in matches]
    if not layout.nested:
        return files
    nested = [(path, file) for path, file in files if len(path.parts) > 1]
    if not nested:
        raise UsageError(
            "The files arrived without their folders, as happens when a folder is dropped here. Press + next to them "
            "and select the folder there."
        )
    return nested


def _root(paths: Paths, kind: str, layout: FolderLayout) -> PurePosixPath:
    """The folder to import: the one with the format's main file; of several, the one selected in a box."""
    roots = sorted({path.parent for path in paths if layout.main and path.name.startswith(layout.main)})
    if not roots:
        tops = {path.parts[0] for path in paths if len(path.parts) > 1}
        one_folder = len(tops) == 1 and all(len(path.parts) > 1 for path in paths)
        return PurePosixPath(*tops) if one_folder else PurePosixPath()
    if len(roots) == 1:
        return roots[0]
    root: PurePosixPath = st.selectbox(
        "Folder to import",
        roots,
        key=f"data_root_{kind}",
        format_func=_plain,
        help="More than one of the uploaded folders holds such a dataset; one is imported at a time.",
    )
    return root


def _plain(path: PurePosixPath) -> str:
    return str(path)


def _split(splits: Sequence[str], kind: str) -> str:
    """The selected split; `test` comes first, as results are reported on it."""
    ordered = sorted(splits, key=lambda name: (name != "test", name))
    part = "The part of the dataset to import; results are usually reported on its test part."
    return st.selectbox("Split", ordered, key=f"data_split_{kind}", help=part) or "test"


def _mlqa(paths: Paths) -> DatasetSource:
    pairs = pairs_in(path.name for path in paths)
    split = _split(list(pairs), "mlqa")
    contexts, questions = (sorted({pair[place] for pair in pairs.get(split, ())}) for place in (0, 1))
    return DatasetSource(
        "mlqa",
        split=split,
        languages=uploading.languages("Question languages", "mlqa", questions),
        contexts=uploading.languages("Passage languages", "mlqa", contexts, what="contexts"),
        questions_only=uploading.questions_only("mlqa"),
    )


def _beir(paths: Paths) -> DatasetSource | None:
    code = uploading.one_language("beir")
    split = _split(list(splits_in(paths)), "beir")
    only = uploading.questions_only("beir")
    return DatasetSource("beir", code, split=split, questions_only=only) if code else None


def _autorag(_: Paths) -> DatasetSource | None:
    code = uploading.one_language("autorag")
    only = uploading.questions_only("autorag")
    return DatasetSource("autorag", code, questions_only=only) if code else None


def _borderlines(paths: Paths) -> DatasetSource:
    languages = uploading.languages("Languages", "borderlines", languages_in(paths))
    return DatasetSource("borderlines", languages=languages)


@dataclass(frozen=True, slots=True)
class FolderLayout:
    """How a format's files lie in a folder, and the options of its import.

    `expected` describes its files to people, `file` matches the names of those that are read, and `main` is the start
    of the name of the one that marks their folder ("": they may lie anywhere). `nested`: without their folders they
    cannot be read.
    """

    expected: str
    file: regex.Pattern[str]
    options: Callable[[Paths], DatasetSource | None]
    main: str = ""
    nested: bool = False


LAYOUTS: Mapping[str, FolderLayout] = {
    "mlqa": FolderLayout("test-context-en-question-de.json and so on", MLQA_FILE, _mlqa),
    "beir": FolderLayout("corpus.jsonl, queries.jsonl and qrels/test.tsv", BEIR_FILE, _beir, main="corpus.jsonl"),
    "autorag": FolderLayout("qa.parquet and corpus.parquet", AUTORAG_FILE, _autorag, main="qa.parquet"),
    "borderlines": FolderLayout(
        "disputed_territories.csv, prompts and translate",
        BORDERLINES_FILE,
        _borderlines,
        main=TERRITORIES,
        nested=True,
    ),
}
