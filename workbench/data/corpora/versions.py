"""The versions of a corpus: each is a folder that stays as it is, and shares its files with the one that it came of.

A version's folder is a copy of the former one by hard links, to which new files are added. Whoever writes replaces a
link, and never changes a file that another version may share: what is read and written again (JSON) is copied.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from workbench.core import DataError, UsageError, WorkbenchError, unknown_name
from workbench.data.corpora.build import only_builder
from workbench.data.corpora.manifest import VERSION_FILE, CorpusManifest, read_manifest, write_manifest
from workbench.data.corpora.stores.store_file import PUSHING, STORE
from workbench.retrieval import remove_unnamed

COPIED = (".json",)
NOT_COPIED = (VERSION_FILE, STORE, PUSHING)
"""What a version states about itself alone."""
GROWING = ("dense", "sparse", "sentences")
"""The kinds of index that passages are added to in place."""
LEFT_OUT = (".lock", ".part")
"""Locks are held on a file, so versions must not share one."""
UNFINISHED = "encoding"
"""The folder of indexes that are being built: they are of their version alone."""


def link_version(former: Path, new: Path) -> None:
    """Makes `new` a copy of the version in `former`, by hard links where the file system has them."""
    for folder, names, files in os.walk(former):
        place = new / Path(folder).relative_to(former)
        place.mkdir()
        if Path(folder) == former and UNFINISHED in names:
            names.remove(UNFINISHED)
        # An index may grow meanwhile: its manifest comes first, since the files that it names are there before it and
        # stay. Files are listed after that.
        for name in files:
            if name.endswith(COPIED) and name not in NOT_COPIED:
                shutil.copyfile(Path(folder, name), place / name)
        for file in Path(folder).iterdir():
            if file.is_file() and not file.name.endswith((*COPIED, *LEFT_OUT)):
                _link(file, place / file.name)
        for kind in GROWING:
            if (place / f"{kind}.json").is_file():
                with suppress(WorkbenchError):  # A damaged index is reported when it is opened.
                    remove_unnamed(place, kind)


def versions(folder: Path) -> tuple[CorpusManifest, ...]:
    """The manifests of a corpus's versions, the current one first, then the latest; damaged former ones are left out.

    () where there is no corpus. Raises DataError where the current manifest is damaged.
    """
    current = read_manifest(folder)
    if current is None:
        return ()
    former = (_undamaged(folder, name) for name in reversed(current.versions))
    return (current, *(item for item in former if item is not None))


def drop_version(folder: Path, version: str) -> CorpusManifest:
    """Removes a former version; what others share of it stays. Returns the corpus's manifest.

    Raises UsageError for the current version and for one that does not exist.
    """
    with only_builder(folder):
        current = read_manifest(folder)
        if current is not None and version == current.version:
            raise UsageError(
                f"“{version}” is the current version of the corpus “{folder.name}”, which stays as long as the corpus "
                "does. Allowed: a former version."
            )
        if current is None or version not in current.versions:
            raise unknown_name("former version", version, current.versions if current else ())
        kept = tuple(name for name in current.versions if name != version)
        manifest = current.model_copy(update={"versions": kept})
        write_manifest(folder, manifest)
        shutil.rmtree(folder / version, ignore_errors=True)
    return manifest


def _undamaged(folder: Path, version: str) -> CorpusManifest | None:
    try:
        return read_manifest(folder, version)
    except DataError:
        return None


def _link(file: Path, link: Path) -> None:
    try:
        os.link(file, link)
    except OSError:  # A file system without hard links, or too many links to one file.
        shutil.copyfile(file, link)
