"""Uploaded files as files on disk for as long as they are read, under their own names."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


@contextmanager
def kept(files: Sequence[UploadedFile]) -> Iterator[list[Path]]:
    """The files in a folder that is gone afterwards. Of a name only the last part is used."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, file in enumerate(files):
            place = Path(folder) / str(number)
            place.mkdir()
            path = place / (Path(file.name.replace("\\", "/")).name or "file")
            path.write_bytes(file.getbuffer())
            paths.append(path)
        yield paths
