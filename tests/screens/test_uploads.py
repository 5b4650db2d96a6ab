"""Uploaded files on disk: nothing that a browser calls a file leads out of the folder made for it."""

from __future__ import annotations

import io
from pathlib import PurePosixPath
from typing import cast

import pytest
from streamlit.runtime.uploaded_file_manager import UploadedFile

from workbench.core.errors import UsageError
from workbench.ui.parts import uploads

HOSTILE = {
    "up": "set/../../corpus.jsonl",
    "up, by backslashes": "set\\..\\..\\corpus.jsonl",
    "up, as Windows reads it": "set/.. /corpus.jsonl",
    "absolute": "/etc/corpus.jsonl",
    "absolute, by a backslash": "\\corpus.jsonl",
    "a network share": "\\\\server\\share\\corpus.jsonl",
    "a drive": "C:\\set\\corpus.jsonl",
    "a drive within": "set/C:corpus.jsonl",
    "a stream": "set/corpus.jsonl:hidden",
    "a NUL": "set/corpus.jsonl\0.txt",
    "a new line": "set/corpus\n.jsonl",
    "half a character": "set/corpus\ud800.jsonl",
    "a long name": "set/" + "é" * 128,
    "a long path": "/".join(["set"] * 400),
    "nothing": "",
    "dots alone": "././.",
}


def uploaded(name: str, data: bytes = b"x") -> UploadedFile:
    """A file as Streamlit hands it over; only its name and bytes are looked at."""
    file = io.BytesIO(data)
    file.name = name
    return cast(UploadedFile, file)


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_name_that_could_lead_elsewhere_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(UsageError, match="is not allowed") as caught:
        uploads.safe_path(name)
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.encode()
    assert len(sentence) < 400 and all(letter.isprintable() for letter in sentence)


def test_a_folders_files_keep_their_paths_and_others_are_left_out() -> None:
    names = ("top/set/corpus.jsonl", "top/set/./qrels//test.tsv", "top/other/corpus.jsonl")
    files = [(uploads.safe_path(name), uploaded(name)) for name in names]
    placed = uploads.in_folder(files, PurePosixPath("top/set"))
    assert [path for path, _ in placed] == ["set/corpus.jsonl", "set/qrels/test.tsv"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("set/corpus.jsonl", "set/./corpus.jsonl"),
        ("set/corpus.jsonl", "set\\corpus.jsonl"),
        ("set/Corpus.jsonl", "set/corpus.jsonl"),
        ("set/caf\u00e9.json", "set/cafe\u0301.json"),
        ("set/qrels", "set/qrels/test.tsv"),
    ],
)
def test_two_files_that_are_one_on_some_disk_are_refused(one: str, other: str) -> None:
    files = [(uploads.safe_path(name), uploaded(name)) for name in (one, other)]
    with pytest.raises(UsageError, match="cannot be in the same folder"):
        uploads.in_folder(files, PurePosixPath())


def test_of_a_single_files_name_the_last_part_is_used() -> None:
    with uploads.files_on_disk([uploaded("C:\\fakepath\\mine.csv"), uploaded("../mine.csv")]) as paths:
        assert [path.name for path in paths] == ["mine.csv", "mine.csv"]
        assert paths[0].parent.parent == paths[1].parent.parent


def test_a_single_file_called_dots_is_refused() -> None:
    with pytest.raises(UsageError, match="is not allowed"), uploads.files_on_disk([uploaded("x/..")]):
        pass


def test_a_message_does_not_tell_where_uploads_are_kept() -> None:
    with (
        pytest.raises(UsageError, match=r"^The file “0/mine\.csv” is empty\.$"),
        uploads.files_on_disk([uploaded("mine.csv")]) as (path,),
    ):
        raise UsageError(f"The file “{path}” is empty.")


def test_files_of_one_name_have_different_paths_for_a_job() -> None:
    placed = uploads.numbered([uploaded("C:\\fakepath\\mine.csv"), uploaded("../mine.csv")])
    assert [path for path, _ in placed] == ["0/mine.csv", "1/mine.csv"]
