"""Formats that are a folder of files: which folder of an upload is meant, what of it is taken, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import regex
import streamlit as st

from workbench.datasets.formats import autorag, beir, borderlines, mlqa
from workbench.errors import UsageError
from workbench.ui.data import uploading
from workbench.ui.data.formats import Source
from workbench.ui.shared import uploads

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from workbench.datasets.collection import Collection

Paths = Sequence[PurePosixPath]
Read = Callable[[Path], "Collection"]

FOLDER, FILES = "A folder", "Its files"


def draw(kind: str) -> Source | None:
    """The upload and the choices of a format; None as long as something is lacking."""
    layout = LAYOUTS[kind]
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        chosen = uploading.files(kind, folder=_as_folder(kind, layout))
    if not chosen:
        return None
    placed = _placed(chosen, layout)
    with right:
        root = _root([path for path, _ in placed], kind, layout)
        read = layout.choices([path for path, _ in placed if path.is_relative_to(root)])
    return _source(placed, root, read) if read else None


def _as_folder(kind: str, layout: FolderLayout) -> bool:
    if layout.nested:
        return True
    way = st.segmented_control(
        "Upload", [FOLDER, FILES], default=FOLDER, required=True, key=f"data_way_{kind}", label_visibility="collapsed"
    )
    return way == FOLDER


def _source(placed: Sequence[tuple[PurePosixPath, UploadedFile]], root: PurePosixPath, read: Read) -> Source:
    @contextmanager
    def source() -> Iterator[Collection]:
        with uploads.kept_folder(placed, root) as folder:
            yield read(folder)

    return source


def _placed(chosen: Sequence[UploadedFile], layout: FolderLayout) -> Sequence[tuple[PurePosixPath, UploadedFile]]:
    """The files that the format reads, with their checked paths; the others are never written anywhere."""
    read = [file for file in chosen if layout.file.fullmatch(file.name.replace("\\", "/").rsplit("/", 1)[-1])]
    if not read:
        raise UsageError(
            f"None of the {len(chosen):,} files is of this format. Expected a folder with {layout.expected}."
        )
    placed = [(uploads.relative(file.name), file) for file in read]
    if not layout.nested:
        return placed
    inside = [(path, file) for path, file in placed if len(path.parts) > 1]
    if not inside:
        raise UsageError(
            "The files came without their folders, as they do when a folder is dropped here. Press + beside them and "
            "choose the folder there."
        )
    return inside


def _root(paths: Paths, kind: str, layout: FolderLayout) -> PurePosixPath:
    """The folder that is meant: the one with the format's main file, and where there are several, the one chosen."""
    roots = sorted({path.parent for path in paths if layout.main and path.name.startswith(layout.main)})
    if not roots:
        tops = {path.parts[0] for path in paths if len(path.parts) > 1}
        whole = len(tops) == 1 and all(len(path.parts) > 1 for path in paths)
        return PurePosixPath(*tops) if whole else PurePosixPath()
    if len(roots) == 1:
        return roots[0]
    chosen: PurePosixPath = st.selectbox("Folder to import", roots, key=f"data_root_{kind}", format_func=_plain)
    return chosen


def _plain(path: PurePosixPath) -> str:
    return str(path)


def _split(found: Sequence[str], kind: str) -> str:
    """The split chosen; `test` first, as it is the one that figures are reported on."""
    ordered = sorted(found, key=lambda name: (name != "test", name))
    return st.selectbox("Split", ordered, key=f"data_split_{kind}") or "test"


def _mlqa(paths: Paths) -> Read:
    pairs = mlqa.pairs_in(path.name for path in paths)
    split = _split(list(pairs), "mlqa")
    contexts, asked = (sorted({pair[place] for pair in pairs.get(split, ())}) for place in (0, 1))
    wanted = uploading.languages("Languages of the questions", "mlqa", asked)
    found = uploading.languages("Languages of the passages", "mlqa", contexts, what="contexts")
    only = uploading.questions_only("mlqa")
    return lambda folder: _kept(mlqa.read_mlqa(folder, split, wanted, found), only)


def _beir(paths: Paths) -> Read | None:
    code = uploading.one_language("beir")
    split = _split(list(beir.splits_in(paths)), "beir")
    only = uploading.questions_only("beir")
    return (lambda folder: _kept(beir.read_beir(folder, code, split), only)) if code else None


def _autorag(_: Paths) -> Read | None:
    code = uploading.one_language("autorag")
    only = uploading.questions_only("autorag")
    return (lambda folder: _kept(autorag.read_autorag(folder, code), only)) if code else None


def _borderlines(paths: Paths) -> Read:
    wanted = uploading.languages("Languages", "borderlines", borderlines.languages_in(paths))
    return lambda folder: borderlines.read_borderlines(folder, wanted)


def _kept(collection: Collection, questions_only: bool) -> Collection:
    return collection.without_passages() if questions_only else collection


@dataclass(frozen=True, slots=True)
class FolderLayout:
    """`expected` names its files to people, `file` matches the names of those that are read, `main` begins the name of
    the one that tells their folder ("": they may lie anywhere). `nested`: without their folders they mean nothing.
    """

    expected: str
    file: regex.Pattern[str]
    choices: Callable[[Paths], Read | None]
    main: str = ""
    nested: bool = False


LAYOUTS: Mapping[str, FolderLayout] = {
    "mlqa": FolderLayout("test-context-en-question-de.json and so on", mlqa.FILE, _mlqa),
    "beir": FolderLayout("corpus.jsonl, queries.jsonl and qrels/test.tsv", beir.FILE, _beir, main="corpus.jsonl"),
    "autorag": FolderLayout("qa.parquet and corpus.parquet", autorag.FILE, _autorag, main="qa.parquet"),
    "borderlines": FolderLayout(
        "disputed_territories.csv, prompts and translate",
        borderlines.FILE,
        _borderlines,
        main=borderlines.TERRITORIES,
        nested=True,
    ),
}
