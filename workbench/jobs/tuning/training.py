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

from workbench.components import CurvePoint, TrainingData
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

    `words` describe it without naming it.
    """

    device: str
    bfloat16: bool
    checkpointing: bool
    at_once: int
    words: str


@dataclass(frozen=True, slots=True)
class Training:
    """A training that is complete: what it used and its curves; the weights lie in its folder."""

    data: TrainingData
    parameters: int
    trained: int
    training: tuple[CurvePoint, ...]
    holdout: tuple[CurvePoint, ...]
    seconds: float
    memory: int
    machine: str
    packages: str


def machine_of(spec: TuningSpec) -> Machine:
    """Where a spec is trained here. Raises MissingError for a device that the machine does not have."""
    import torch

    device = torch_device(spec.device)
    cuda = device == "cuda"
    fast = torch.cuda.is_bf16_supported() if cuda else torch.cpu._is_amx_tile_supported()
    bfloat16 = spec.precision == "bfloat16" or (spec.precision == "auto" and fast)
    most = AT_ONCE["cuda" if cuda else "cpu"]
    at_once = spec.at_once or max(count for count in range(1, most + 1) if spec.batch % count == 0)
    place = torch.cuda.get_device_name() if cuda else f"{_processor()}, {os.cpu_count()} cores"
    threads = "" if cuda else f", {torch.get_num_threads()} threads"
    checkpointing = spec.checkpointing == "on" or (spec.checkpointing == "auto" and cuda)
    words = f"{'GPU' if cuda else 'CPU'}: {place}{threads}, {'bfloat16' if bfloat16 else 'float32'}"
    return Machine(device, bfloat16, checkpointing, at_once, words)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def train(spec: TuningSpec, base: LocalModel, path: Path, folder: Path, tell: Tell, stop: Event) -> Training:
    """Trains until the end, from the last checkpoint in `folder` where there is one; the weights are then in `folder`.

    Raises JobStopped once `stop` is set, WorkbenchError where memory does not suffice, and as `training_set` does.
    """
    try:
        return _Run(spec, base, path, folder, tell, stop).result()
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
    raise WorkbenchError(
        f"There is not enough memory to tune “{spec.name}”: type a smaller max_length, at_once: 1, checkpointing: on, "
        "method: lora or a smaller base model."
    )


class _Run:
    def __init__(self, spec: TuningSpec, base: LocalModel, path: Path, folder: Path, tell: Tell, stop: Event) -> None:
        self.spec, self.folder, self.tell, self.stop = spec, folder, tell, stop
        self.machine = machine_of(spec)
        tell("loading the model", 0, 0)
        self.tokenizer, self.model = pretrained(base, dtype=self._dtype())
        tell("reading demonstrations", 0, 0)
        self.set = training_set(spec, path, self.tokenizer)
        self.parameters = self.model.num_parameters()
        self.precision = _stored_precision(base)

    def result(self) -> Training:
        checkpoint = last_checkpoint(self.folder)
        trainer = self._trainer(resuming=checkpoint is not None)
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if self.stop.is_set():
            raise JobStopped
        history = trainer.state.log_history
        self._save(trainer.model)
        curves = points(history, "loss"), points(history, "eval_loss")
        trained = sum(weights.numel() for weights in trainer.model.parameters() if weights.requires_grad)
        seconds = max(point.seconds for point in (*curves[0], *curves[1]))
        return Training(
            self.set.data,
            self.parameters,
            trained,
            *curves,
            seconds,
            _peak(self.machine.device),
            self.machine.words,
            package_versions(*PACKAGES),
        )

    def _dtype(self) -> Any:
        import torch

        # Updates of all weights are too small for 16 bits; LoRA leaves the base's as they are.
        return torch.bfloat16 if self.machine.bfloat16 and self.spec.method == "lora" else torch.float32

    def _trainer(self, *, resuming: bool) -> Any:
        from datasets import Dataset
        from trl.trainer.sft_config import SFTConfig
        from trl.trainer.sft_trainer import SFTTrainer

        spec, machine, rows = self.spec, self.machine, self.set
        config = SFTConfig(
            output_dir=str(self.folder / CHECKPOINTS),
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
            eval_on_start=bool(rows.holdout) and not resuming,
            dataloader_pin_memory=machine.device != "cpu",
            disable_tqdm=True,
            report_to="none",
        )
        return SFTTrainer(
            model=self.model,
            args=config,
            train_dataset=Dataset.from_list(list(rows.training)),
            eval_dataset=Dataset.from_list(list(rows.holdout)) if rows.holdout else None,
            processing_class=self.tokenizer,
            peft_config=lora(spec) if spec.method == "lora" else None,
            callbacks=[_callback(self)],
        )

    def _save(self, model: Any) -> None:
        self.tell("saving", 0, 0)
        weights = self.folder / WEIGHTS
        shutil.rmtree(weights, ignore_errors=True)
        if self.spec.method == "lora":
            # Where the base lies here means nothing elsewhere.
            model.peft_config["default"].base_model_name_or_path = self.spec.base
        else:
            model = model.to(self.precision)
            self.tokenizer.save_pretrained(weights)
        # Without a look whether the vocabulary was changed, for which peft asks the hub.
        model.save_pretrained(weights, **({"save_embedding_layers": False} if self.spec.method == "lora" else {}))
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


def _stored_precision(base: LocalModel) -> Any:
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(base.folder, local_files_only=True, trust_remote_code=False).dtype


def last_checkpoint(folder: Path) -> Path | None:
    """The last checkpoint that was written completely; what is not complete is removed."""
    complete = []
    for path in (folder / CHECKPOINTS).glob("checkpoint-*"):
        if (path / MARK).exists():
            complete.append(path)
        else:
            shutil.rmtree(path, ignore_errors=True)
    return max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


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


def _callback(run: _Run) -> TrainerCallback:
    """What sees to checkpoints, the held-out loss, a stop, and what is shown meanwhile."""
    from transformers import TrainerCallback

    class Callback(TrainerCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            before = state.log_history[-1]["seconds"] if state.log_history else 0.0
            self.started = time.monotonic() - before
            self.saved = self.step_began = time.monotonic()
            self.first = state.global_step
            count = EVALUATIONS * run.spec.epochs
            self.evaluated = {math.ceil(state.max_steps * number / count) for number in range(1, count + 1)}

        def on_substep_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.look()

        def on_prediction_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.look()

        def look(self) -> None:
            if run.stop.is_set():
                raise JobStopped

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            last = state.global_step == state.max_steps
            stops = run.stop.is_set()
            control.should_evaluate = bool(run.set.holdout) and state.global_step in self.evaluated and not stops
            control.should_save = last or stops or time.monotonic() - self.saved >= SAVE_SECONDS
            control.should_training_stop = control.should_training_stop or stops

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            write_text(run.folder / CHECKPOINTS / f"checkpoint-{state.global_step}" / MARK, "")
            self.saved = time.monotonic()

        def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            now = time.monotonic()
            state.log_history[-1]["seconds"] = round(now - self.started, 3)
            steps = state.global_step - self.first
            pace = (now - self.step_began) / steps if steps else 0.0
            left = (state.max_steps - state.global_step) * pace
            run.tell(
                "training",
                state.global_step,
                state.max_steps,
                ends=time.time() + left if steps else None,
                training=_live(points(state.log_history, "loss")),
                holdout=_live(points(state.log_history, "eval_loss")),
            )

    return Callback()


def _live(curve: Sequence[CurvePoint]) -> list[tuple[int, float]]:
    """The steps and losses of a curve, thinned where they are many."""
    every = math.ceil(len(curve) / LIVE_POINTS) or 1
    return [(point.step, round(point.loss, 5)) for point in (*curve[:-1:every], *curve[-1:])]
