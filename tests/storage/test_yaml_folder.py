"""Data that ships as a folder of YAML files."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import DataError
from workbench.storage.yaml_files import mappings


def test_the_files_come_by_name_and_others_are_left_alone(tmp_path: Path) -> None:
    for name, text in (("b.yaml", "x: 1"), ("a.yaml", "y: ä"), ("notes.txt", "no YAML: [")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert list(mappings(tmp_path, "Recipe", "keys")) == [("a.yaml", {"y": "ä"}), ("b.yaml", {"x": 1})]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a: [", "Recipe a.yaml: it is not YAML in UTF-8: "),
        (b"a: \xff", "Recipe a.yaml: it is not YAML in UTF-8: "),
        (b"a: 2024-99-99", "Recipe a.yaml: it is not YAML in UTF-8: "),
        (b"- a", "Recipe a.yaml: it must hold models by name."),
        (b"", "Recipe a.yaml: it must hold models by name."),
    ],
)
def test_a_file_that_cannot_be_taken_is_named_in_one_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(mappings(tmp_path, "Recipe", "models by name"))
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
