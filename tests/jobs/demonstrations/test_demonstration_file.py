"""The file of demonstrations: trl's form, read and written again byte by byte; hostile files are one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.core.errors import DataError
from workbench.jobs.demonstrations.demonstration_file import read_demonstrations, write_demonstrations

LINE: dict[str, Any] = {
    "prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "谁? \u2028 <b>"}],
    "completion": [{"role": "assistant", "content": "#Answer:\nمارکونی"}],
    "id": "mine-1",
    "group": "q1",
    "language": "zh",
    "kind": "drag",
    "dataset": "sample",
    "question": "谁?",
    "answers": ["马可尼"],
    "passages": [{"id": "radio.en.1", "title": "Radio", "language": "en", "licence": "CC0", "source": "Own"}],
}


def written(path: Path, *lines: object) -> Path:
    text = "".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_and_written_again_byte_by_byte(tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", LINE, {**LINE, "id": "mine-2", "prompt": LINE["prompt"][1:]})
    demonstrations = read_demonstrations(path)
    assert write_demonstrations(demonstrations).encode() == path.read_bytes()
    assert demonstrations[0].text == "#Answer:\nمارکونی"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "chat"}, "line 1 is not a demonstration: kind"),
        ({"prompt": "Who?"}, "line 1 is not a demonstration: prompt"),
        ({"prompt": LINE["completion"]}, "a prompt is “user” or “system” and “user”"),
        ({"prompt": LINE["prompt"][1:] * 2}, "a prompt is “user” or “system” and “user”"),
        ({"prompt": [LINE["completion"][0], LINE["prompt"][1]]}, "a prompt is “user” or “system” and “user”"),
        ({"completion": []}, "line 1 is not a demonstration: completion"),
        ({"answers": [3]}, "line 1 is not a demonstration: answers.0"),
        ({"language": "xx"}, "line 1 has the language “xx”: type the code of one"),
        ({"answers": []}, "line 1 has no gold answer"),
        ({"passages": []}, "line 1 has no passages"),
        ({"weight": 3}, "line 1 is not a demonstration: weight"),
        ({"id": ""}, "line 1 is not a demonstration: id"),
    ],
)
def test_a_line_of_another_form_is_refused(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_demonstrations(written(tmp_path / "d.jsonl", {**LINE, **changes}))


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "holds no demonstrations"),
        ([LINE, LINE], "line 2 has the id “mine-1” of an earlier line"),
        (["[" * 100_000], "line 1 is nested too deeply"),
        (['{"id": "\\ud800"}'], "unpaired surrogate"),
        (["3\n"], "is not a JSON object"),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path: Path, lines: list[object], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read_demonstrations(written(tmp_path / "d.jsonl", *lines))
