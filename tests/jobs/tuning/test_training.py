"""The training: the loss falls, on answers alone; a stop and a kill cost nothing; too little memory is a sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.jobs.tuning.material import material
from workbench.components.tuned_models import TrainingRecord
from workbench.core.errors import WorkbenchError
from workbench.core.stopping import JobStopped
from workbench.jobs.tuning import training
from workbench.jobs.tuning.foresight import foresee
from workbench.jobs.tuning.training import MARK, last_checkpoint, train
from workbench.jobs.tuning.tuning_spec import TuningSpec
from workbench.models.local import find_model

Tell = Callable[..., None]


def quiet(*_: Any, **__: Any) -> None:
    """Tells nothing."""


def run(choice: TuningSpec, path: Path, folder: Path, tell: Tell = quiet, stop: Event | None = None) -> TrainingRecord:
    return train(choice, find_model(choice.base.partition(":")[2]), path, folder, tell, stop or Event())


def curve(result: TrainingRecord) -> list[tuple[int, float]]:
    return [(point.step, point.loss) for point in (*result.training, *result.holdout)]


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> tuple[TuningSpec, Path]:
    return material(tmp_path_factory.mktemp("training"), dropout=0.1)


@pytest.fixture(scope="module")
def whole(mine: tuple[TuningSpec, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingRecord, Path]:
    folder = tmp_path_factory.mktemp("whole")
    return run(*mine, folder), folder


def test_the_loss_falls_and_only_safetensors_come_of_it(whole: tuple[TrainingRecord, Path]) -> None:
    result, folder = whole
    assert [point.step for point in result.training] == [1, 2, 3, 4, 5, 6]
    assert result.training[-1].loss < result.training[0].loss
    assert [point.step for point in result.holdout] == [0, 2, 3, 5, 6]
    assert result.holdout[-1].loss < result.holdout[0].loss
    assert 0 < result.trained < result.parameters and result.memory > 0 and "float32" in result.machine
    files = sorted(path.name for path in (folder / training.WEIGHTS).iterdir())
    assert files == ["adapter_config.json", "adapter_model.safetensors"]


def test_all_weights_can_be_trained_and_are_a_checkpoint_then(tmp_path: Path) -> None:
    result = run(*material(tmp_path / "material", method="full", epochs=1), tmp_path / "whole")
    assert result.trained == result.parameters and result.holdout[-1].loss < result.holdout[0].loss
    files = {path.name for path in (tmp_path / "whole" / training.WEIGHTS).iterdir()}
    assert {"config.json", "model.safetensors"} <= files and not any(name.endswith(".bin") for name in files)


def test_the_loss_is_of_the_answers_tokens_alone(mine: tuple[TuningSpec, Path], tmp_path: Path) -> None:
    from transformers import Trainer

    seen: list[tuple[str, ...]] = []

    def look(trainer: Any, *args: Any, **kwargs: Any) -> None:
        tokenizer, rows = trainer.processing_class, trainer.train_dataset
        seen.extend((tokenizer.decode([token for token in row["labels"] if token != -100]),) for row in rows)
        raise JobStopped

    with pytest.MonkeyPatch.context() as patch, pytest.raises(JobStopped):
        patch.setattr(Trainer, "train", look)
        run(*mine, tmp_path)
    assert {text for (text,) in seen} == {"#Answer:\nPopov\n"}


@pytest.mark.parametrize("step", [1, 4])
def test_a_stopped_training_continues_on_the_same_curve(
    mine: tuple[TuningSpec, Path], whole: tuple[TrainingRecord, Path], tmp_path: Path, step: int
) -> None:
    stop = Event()

    def tell(phase: str, done: int, _total: int, **_: Any) -> None:
        if phase == "training" and done == step:
            stop.set()

    with pytest.raises(JobStopped):
        run(*mine, tmp_path, tell, stop)
    resumed = run(*mine, tmp_path)
    assert curve(resumed) == curve(whole[0])
    name = f"{training.WEIGHTS}/adapter_model.safetensors"
    assert (tmp_path / name).read_bytes() == (whole[1] / name).read_bytes()


def test_a_checkpoint_that_was_being_written_does_not_count(tmp_path: Path) -> None:
    for step, complete in ((2, True), (10, True), (12, False)):
        folder = tmp_path / training.CHECKPOINTS / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        if complete:
            (folder / MARK).touch()
    latest = last_checkpoint(tmp_path)
    assert latest is not None and latest.name == "checkpoint-10"
    assert not (tmp_path / training.CHECKPOINTS / "checkpoint-12").exists()


def test_too_little_memory_is_one_sentence(mine: tuple[TuningSpec, Path], tmp_path: Path) -> None:
    from trl.trainer.sft_trainer import SFTTrainer

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(WorkbenchError) as error:
        patch.setattr(SFTTrainer, "training_step", fail)
        run(*mine, tmp_path)
    assert "There is not enough memory to tune “mine”" in str(error.value) and error.value.__cause__ is None


@pytest.mark.slow
def test_a_process_that_runs_out_of_memory_says_so_and_is_not_killed(tmp_path: Path) -> None:
    code = (
        "from workbench.jobs.tuning import tuning_jobs\n"
        "tuning_jobs.available_memory = lambda device: 200_000_000\n"
        "import torch\n"
        "tuning_jobs.limit_memory('cpu')\n"
        "from workbench.models import out_of_memory\n"
        "try: torch.ones(100_000_000)\n"
        "except RuntimeError as error: print(out_of_memory(error))\n"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.split() == ["True"]


def test_what_it_takes_is_foreseen(mine: tuple[TuningSpec, Path]) -> None:
    choice, path = mine
    foreseen = foresee(choice, find_model(choice.base.partition(":")[2]), path)
    assert foreseen.steps == 6 and foreseen.seconds > 0 and foreseen.memory > 0
    assert "Demonstrations: 18 trained on (groups: 9); 2 held out (groups: 1)" in foreseen.sentences[0]
    assert "GB of memory" in foreseen.sentences[2]
