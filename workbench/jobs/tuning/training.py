"""The training itself, by trl's SFTTrainer: from demonstrations and a base to weights, checkpointed and resumable.

The loss is taken on the answers' tokens alone. Checkpoints are transformers' own, in a folder that only this job
writes; one counts once a mark was written after it, so that a kill while it is written costs no more than the minute
since the one before. Data order, dropout and LoRA's first values follow from the seed, so a resumed training continues
on the same curve. The core needs no workspace: a spec, a base, a file and a folder.
"""

from __future__ import annotations

import math
import os
import platform
import resource
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from workbench.components import CurvePoint, TrainingRecord
from workbench.core import JobStopped, WorkbenchError, package_versions
from workbench.jobs.tuning.training_set import training_set
from workbench.jobs.tuning.tuning_spec import TuningSpec
from workbench.models import LocalModel, out_of_memory, pretrained, torch_device
from workbench.workspace import write_text

if TYPE_CHECKING:
    from transformers import TrainerCallback

SAVE_SECONDS = 60.0
"""Seconds between two checkpoints, and so the most that a kill costs."""
EVALUATIONS = 2
"""How often the held-out loss is measured in an epoch, besides once before the first."""
AT_ONCE = {"cpu": 1, "cuda": 8}
CHECKPOINTS, WEIGHTS, MARK = "checkpoints", "weights", "complete"
LIVE_POINTS = 400
"""Points of a curve that are shown while it grows; the card has all."""
PACKAGES = ("trl", "peft", "transformers", "torch")

Tell = Callable[..., None]
"""Called with the phase, the steps done and their number, and values by name that are shown."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a spec is trained: torch's device, whether in bfloat16, with activations computed twice, how many at once.

    `dtype` is torch's of the weights; `words` describe the machine without naming it.
    """

    device: str
    bfloat16: bool
    dtype: Any
    checkpointing: bool
    at_once: int
    words: str


def machine_of(spec: TuningSpec) -> Machine:
    """Where a spec is trained here. Raises MissingError for a device that the machine does not have."""
    import torch

    device = torch_device(spec.device)
    cuda = device == "cuda"
    fast = torch.cuda.is_bf16_supported() if cuda else torch.cpu._is_amx_tile_supported()
    bfloat16 = spec.precision == "bfloat16" or (spec.precision == "auto" and fast)
    # Updates of all weights are too small for 16 bits; LoRA leaves the base's as they are.
    dtype = torch.bfloat16 if bfloat16 and spec.method == "lora" else torch.float32
    checkpointing = spec.checkpointing == "on" or (spec.checkpointing == "auto" and cuda)
    most = AT_ONCE["cuda" if cuda else "cpu"]
    at_once = spec.at_once or max(count for count in range(1, most + 1) if spec.batch % count == 0)
    cpu = f"CPU: {platform.machine()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads"
    words = f"GPU: {torch.cuda.get_device_name()}" if cuda else cpu
    return Machine(device, bfloat16, dtype, checkpointing, at_once, f"{words}, {'bfloat16' if bfloat16 else 'float32'}")


def train(spec: TuningSpec, base: LocalModel, path: Path, folder: Path, tell: Tell, stop: Event) -> TrainingRecord:
    """Trains until the end, from the last checkpoint in `folder` where there is one; the weights are then in `folder`.

    Raises JobStopped once `stop` is set, WorkbenchError where memory does not suffice, and as `training_set` does.
    """
    try:
        return _trained(spec, base, path, folder, tell, stop)
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
    raise WorkbenchError(
        f"There is not enough memory to tune “{spec.name}”: type a smaller max_length, at_once: 1, checkpointing: on, "
        "method: lora or a smaller base model."
    )


def _trained(spec: TuningSpec, base: LocalModel, path: Path, folder: Path, tell: Tell, stop: Event) -> TrainingRecord:
    from datasets import Dataset
    from trl.trainer.sft_trainer import SFTTrainer

    machine = machine_of(spec)
    tell("loading the model", 0, 0)
    tokenizer, model = pretrained(base, dtype=machine.dtype)
    tell("reading demonstrations", 0, 0)
    rows = training_set(spec, path, tokenizer)
    parameters = model.num_parameters()
    checkpoint = last_checkpoint(folder)
    trainer: Any = SFTTrainer(
        model=model,
        args=_configuration(spec, machine, folder, evaluates_first=bool(rows.holdout) and checkpoint is None),
        train_dataset=Dataset.from_list(list(rows.training)),
        eval_dataset=Dataset.from_list(list(rows.holdout)) if rows.holdout else None,
        processing_class=tokenizer,
        peft_config=lora(spec) if spec.method == "lora" else None,
        callbacks=[_callback(EVALUATIONS * spec.epochs if rows.holdout else 0, tell, stop)],
    )
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if stop.is_set():
        raise JobStopped
    tell("saving", 0, 0)
    _save(spec, base, trainer, folder / WEIGHTS)
    curves = {name: points(trainer.state.log_history, key) for name, key in LOSSES.items()}
    return TrainingRecord(
        data=rows.data,
        parameters=parameters,
        trained=sum(weights.numel() for weights in trainer.model.parameters() if weights.requires_grad),
        **curves,
        seconds=max(point.seconds for curve in curves.values() for point in curve),
        machine=machine.words,
        packages=package_versions(*PACKAGES),
        memory=_peak(machine.device),
    )


def _configuration(spec: TuningSpec, machine: Machine, folder: Path, *, evaluates_first: bool) -> Any:
    from trl.trainer.sft_config import SFTConfig

    return SFTConfig(
        output_dir=str(folder / CHECKPOINTS),
        num_train_epochs=spec.epochs,
        per_device_train_batch_size=machine.at_once,
        gradient_accumulation_steps=spec.batch // machine.at_once,
        # One at a time: the held-out loss is then the mean over demonstrations, however many are in memory.
        per_device_eval_batch_size=1,
        learning_rate=spec.learning_rate,
        weight_decay=spec.weight_decay,
        lr_scheduler_type="constant_with_warmup" if spec.schedule == "constant" else spec.schedule,
        warmup_steps=spec.warmup,
        seed=spec.seed,
        data_seed=spec.seed,
        bf16=machine.bfloat16,
        use_cpu=machine.device == "cpu",
        gradient_checkpointing=machine.checkpointing,
        completion_only_loss=True,
        max_length=None,
        logging_steps=1,
        save_strategy="no",
        save_total_limit=2,
        eval_on_start=evaluates_first,
        dataloader_pin_memory=machine.device != "cpu",
        disable_tqdm=True,
        report_to="none",
    )


def _save(spec: TuningSpec, base: LocalModel, trainer: Any, weights: Path) -> None:
    from transformers import AutoConfig

    shutil.rmtree(weights, ignore_errors=True)
    if spec.method == "lora":
        # Where the base lies here means nothing elsewhere.
        trainer.model.peft_config["default"].base_model_name_or_path = spec.base
        # Without a look whether the vocabulary was changed, for which peft asks the hub.
        trainer.model.save_pretrained(weights, save_embedding_layers=False)
    else:
        stored = AutoConfig.from_pretrained(base.folder, local_files_only=True, trust_remote_code=False)
        trainer.model.to(stored.dtype).save_pretrained(weights)
        trainer.processing_class.save_pretrained(weights)
    (weights / "README.md").unlink(missing_ok=True)


def lora(spec: TuningSpec) -> Any:
    """LoRA as peft has it: beside every linear layer but the one that gives the words."""
    from peft import LoraConfig

    return LoraConfig(
        r=spec.rank,
        lora_alpha=spec.alpha,
        lora_dropout=spec.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def last_checkpoint(folder: Path) -> Path | None:
    """The last checkpoint that was written completely; what is not complete is removed."""
    paths = list((folder / CHECKPOINTS).glob("checkpoint-*"))
    for path in paths:
        if not (path / MARK).exists():
            shutil.rmtree(path, ignore_errors=True)
    return max(
        (path for path in paths if path.exists()), key=lambda path: int(path.name.rpartition("-")[2]), default=None
    )


LOSSES = {"training": "loss", "holdout": "eval_loss"}
"""The curves, and the names that a trainer's history has for them."""


def points(history: Sequence[Mapping[str, Any]], loss: str) -> tuple[CurvePoint, ...]:
    """The points of a trainer's history that have this loss."""
    return tuple(
        CurvePoint(step=row["step"], epoch=row.get("epoch") or 0.0, loss=row[loss], seconds=row.get("seconds", 0.0))
        for row in history
        if loss in row
    )


def _peak(device: str) -> int:
    if device != "cpu":
        import torch

        return int(torch.cuda.max_memory_allocated())
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _callback(evaluations: int, tell: Tell, stop: Event) -> TrainerCallback:
    """What sees to checkpoints, the held-out loss, a stop, and what is shown meanwhile."""
    from transformers import TrainerCallback

    class Callback(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.saved = time.monotonic()
            self.started = self.saved - (state.log_history[-1]["seconds"] if state.log_history else 0.0)

        def on_substep_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if stop.is_set():
                raise JobStopped

        on_prediction_step = on_substep_end

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            parts = [math.ceil(state.max_steps * number / evaluations) for number in range(1, evaluations + 1)]
            stops = control.should_training_stop = control.should_training_stop or stop.is_set()
            control.should_evaluate = state.global_step in parts and not stop.is_set()
            control.should_save = stops or time.monotonic() - self.saved >= SAVE_SECONDS

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            write_text(Path(args.output_dir) / f"checkpoint-{state.global_step}" / MARK, "")
            self.saved = time.monotonic()

        def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            seconds = state.log_history[-1]["seconds"] = round(time.monotonic() - self.started, 3)
            left = (state.max_steps - state.global_step) * seconds / state.global_step if state.global_step else None
            curves = {name: _live(points(state.log_history, key)) for name, key in LOSSES.items()}
            ends = None if left is None else time.time() + left
            tell("training", state.global_step, state.max_steps, ends=ends, **curves)

    return Callback()


def _live(curve: Sequence[CurvePoint]) -> list[tuple[int, float]]:
    """The steps and losses of a curve, thinned where they are many."""
    every = math.ceil(len(curve) / LIVE_POINTS) or 1
    return [(point.step, round(point.loss, 5)) for point in (*curve[:-1:every], *curve[-1:])]
