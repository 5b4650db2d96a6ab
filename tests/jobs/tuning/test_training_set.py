"""What is trained on and held out: by groups and by seed, nested shares, and everything left out counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from tests.jobs.tuning.material import demonstration, material, spec
from tests.models.tiny_llm import NO_SYSTEM, make_tiny_llm
from workbench.core.errors import DataError, UsageError
from workbench.jobs.demonstrations.demonstration_file import write_demonstrations
from workbench.jobs.tuning.training_set import training_set
from workbench.jobs.tuning.tuning_spec import TuningSpec


def rows(choice: TuningSpec, path: Path) -> Any:
    return training_set(choice, path, AutoTokenizer.from_pretrained(choice.base.partition(":")[2]))


def questions(items: tuple[dict[str, Any], ...]) -> list[str]:
    return [item["prompt"][-1]["content"] for item in items]


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> tuple[TuningSpec, Path]:
    return material(tmp_path_factory.mktemp("set"), holdout=0.2)


def test_groups_are_never_parted(mine: tuple[TuningSpec, Path]) -> None:
    result = rows(*mine)
    groups = [
        {int(text.split()[-1][:-1]) // 2 for text in questions(part)} for part in (result.training, result.holdout)
    ]
    assert not groups[0] & groups[1] and (len(groups[0]), len(groups[1])) == (8, 2)
    assert (result.data.count, result.data.holdout, result.data.groups, result.data.holdout_groups) == (16, 4, 8, 2)
    assert result.data.by_language == {"en": 8, "ru": 8} and result.data.licences == ("CC BY 4.0",)
    assert rows(*mine) == result
    assert questions(rows(mine[0].model_copy(update={"seed": 1}), mine[1]).holdout) != questions(result.holdout)


def test_a_smaller_share_is_part_of_a_larger_one_with_the_same_groups_held_out(mine: tuple[TuningSpec, Path]) -> None:
    parts = [rows(mine[0].model_copy(update={"share": share}), mine[1]) for share in (0.25, 0.5, 0.75, 1.0)]
    sizes = [set(questions(part.training)) for part in parts]
    assert [len(size) for size in sizes] == [4, 8, 12, 16] and sizes[0] < sizes[1] < sizes[2] < sizes[3]
    assert len({tuple(questions(part.holdout)) for part in parts}) == 1
    assert parts[0].data.unshared == 12


def test_longer_ones_and_other_kinds_are_left_out_and_counted(tmp_path: Path) -> None:
    choice, path = material(tmp_path, kind="drag", max_length=120, holdout=0)
    long = demonstration(90, answer="word " * 200)
    path.write_text(write_demonstrations([demonstration(1), demonstration(2, "rag"), long]), encoding="utf-8")
    data = rows(choice, path).data
    assert (data.count, data.too_long, data.other_kinds, data.holdout) == (1, 1, 1, 0)
    path.write_text(write_demonstrations([long]), encoding="utf-8")
    with pytest.raises(UsageError, match=r"the shortest has .* tokens and 120 are allowed. Type a greater max_length"):
        rows(choice, path)
    with pytest.raises(UsageError, match="None of the 1 demonstrations is of the kind translation"):
        rows(choice.model_copy(update={"kind": "translation"}), path)


def test_the_turns_are_those_that_the_model_is_given_when_it_answers(tmp_path: Path) -> None:
    base = make_tiny_llm(tmp_path / "base", NO_SYSTEM)
    path = tmp_path / "d.jsonl"
    path.write_text(write_demonstrations([demonstration(1)]), encoding="utf-8")
    (row,) = rows(spec(base, path, holdout=0), path).training
    assert row["prompt"] == [{"role": "user", "content": "Answer.\n\nWho invented radio 1?"}]


def test_a_model_without_a_chat_template_is_refused(tmp_path: Path) -> None:
    _, path = material(tmp_path)
    base = make_tiny_llm(tmp_path / "plain", None)
    with pytest.raises(UsageError, match="has no chat template"):
        rows(spec(base, path), path)


@pytest.mark.parametrize("text", ["", "{", "[1]\n", '{"prompt": 1}\n', '{"prompt": []}\n' * 3, "\0\n", "{}\n"])
def test_a_hostile_file_is_one_sentence(mine: tuple[TuningSpec, Path], tmp_path: Path, text: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        rows(mine[0], path)
    assert "\n" not in str(error.value)
