"""What a tuning will take, before it begins: weights, memory and time, from the model's shape and the demonstrations.

Memory is the sum of what must be kept: the weights, for each trained weight its gradient and AdamW's two moments in 32
bits, and the activations of the demonstrations that are in memory at once. Time is measured: two layers of the model's
shape, with random weights, are trained for a moment on as many tokens as a demonstration has. Both are estimates; the
first steps better the time (`training`).
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.components import TrainingData
from workbench.jobs.tuning.training import EVALUATIONS, Machine, lora, machine_of
from workbench.jobs.tuning.training_set import training_set
from workbench.jobs.tuning.tuning_spec import TuningSpec
from workbench.models import GIGA, LocalModel
from workbench.workspace import duration_words

PROCESS = {"cpu": 0.9 * GIGA, "cuda": 0.5 * GIGA}
"""Bytes of a process with torch, transformers and trl, without a model; on CUDA those of the GPU."""
KEPT = 24
"""Numbers of the hidden size, and half as many of the intermediate size, that a layer keeps for a token, in 32 bits:
measured with smollm2, by LoRA and in bfloat16 as well (benchmarks.tuning)."""
TRIAL_LAYERS, TRIAL_WORDS, TRIAL_STEPS = 2, 256, 2
"""Layers, vocabulary and timed steps of the trial."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """What a tuning will take: `memory` in bytes, of which `available` are free, and seconds."""

    data: TrainingData
    machine: Machine
    parameters: int
    trained: int
    steps: int
    longest: int
    memory: int
    available: int | None
    seconds: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """It in sentences for people."""
        data, percent = self.data, 100 * self.trained / self.parameters
        left_out = [
            f"{count:,} {words}"
            for count, words in (
                (data.too_long, "left out, longer than allowed"),
                (data.other_kinds, "of other kinds"),
                (data.unshared, "left out by the share"),
            )
            if count
        ]
        free = "" if self.available is None else f"; {self.available / GIGA:.1f} GB are free"
        short = self.available is not None and self.memory > self.available
        return (
            f"Demonstrations: {data.count:,} trained on (groups: {data.groups:,}); {data.holdout:,} held out "
            f"(groups: {data.holdout_groups:,}){''.join(f'; {item}' for item in left_out)}. "
            f"The longest has {self.longest:,} tokens.",
            f"{self.trained / 1e6:,.1f} of {self.parameters / 1e6:,.1f} million weights are trained ({percent:.1f} %), "
            f"in {self.steps:,} steps, on {self.machine.words}.",
            f"About {duration_words(self.seconds)}, and {self.memory / GIGA:.1f} GB of memory{free}.",
            *(["The memory may not suffice: see at_once, checkpointing and max_length."] if short else []),
        )


def foresee(spec: TuningSpec, base: LocalModel, path: Path) -> Foresight:
    """What a tuning will take on this machine; no weights are read. Raises as `training` does."""
    from transformers import AutoTokenizer

    machine = machine_of(spec)
    tokenizer = AutoTokenizer.from_pretrained(base.folder, local_files_only=True, trust_remote_code=False)
    rows = training_set(spec, path, tokenizer)
    parameters, trained, config = _sizes(spec, base.folder)
    per_epoch = -(-rows.data.count // spec.batch)
    # The held-out loss is measured without a backward pass, which takes two thirds of a step.
    unseen = rows.data.holdout / rows.data.count * (EVALUATIONS * spec.epochs + 1) / 3
    tokens = rows.data.tokens * (spec.epochs + unseen)
    length = max(8, rows.data.tokens // rows.data.count)
    return Foresight(
        rows.data,
        machine,
        parameters,
        trained,
        per_epoch * spec.epochs,
        rows.longest,
        _memory(spec, machine, rows.longest, parameters, trained, config),
        available_memory(machine.device),
        tokens * _seconds_per_token(spec, machine, config, length),
    )


def _sizes(spec: TuningSpec, folder: Path) -> tuple[int, int, Any]:
    """The weights in all, those that are trained, and the model's shape."""
    import torch
    from peft import get_peft_model
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    with torch.device("meta"):
        model: Any = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
        parameters = int(model.num_parameters())
        if spec.method == "full":
            return parameters, parameters, config.get_text_config()
        adapted = get_peft_model(model, lora(spec), low_cpu_mem_usage=True)
    return parameters, adapted.get_nb_trainable_parameters()[0], config.get_text_config()


def _memory(spec: TuningSpec, machine: Machine, longest: int, parameters: int, trained: int, config: Any) -> int:
    weights = parameters * (2 if machine.bfloat16 and spec.method == "lora" else 4)
    layer = longest * machine.at_once * KEPT * (config.hidden_size + config.intermediate_size / 2) * 4
    if machine.checkpointing:
        activations = longest * machine.at_once * config.num_hidden_layers * config.hidden_size * 4 + layer
    else:
        activations = config.num_hidden_layers * layer
    return int(PROCESS[machine.device] + weights + 12 * trained + activations)


def available_memory(device: str) -> int | None:
    """The bytes that are free for a process, None where the system does not say."""
    if device == "cuda":
        import torch

        return int(torch.cuda.mem_get_info()[0])
    try:
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    free = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return free[0] if free else None


def _seconds_per_token(spec: TuningSpec, machine: Machine, config: Any, length: int) -> float:
    """Seconds of training for a token, by a trial of two layers of this shape."""
    import torch
    from peft import get_peft_model
    from transformers import AutoModelForCausalLM

    shape = copy.deepcopy(config)
    shape.num_hidden_layers, shape.vocab_size = TRIAL_LAYERS, TRIAL_WORDS
    shape.pad_token_id = shape.bos_token_id = shape.eos_token_id = None
    if getattr(shape, "layer_types", None):
        shape.layer_types = shape.layer_types[:TRIAL_LAYERS]
    half = torch.bfloat16 if machine.bfloat16 and spec.method == "lora" else torch.float32
    model: Any = AutoModelForCausalLM.from_config(shape, dtype=half, trust_remote_code=False)
    layer = sum(weights.numel() for weights in model.parameters()) / TRIAL_LAYERS
    model = (get_peft_model(model, lora(spec)) if spec.method == "lora" else model).to(machine.device).train()
    tokens = torch.randint(TRIAL_WORDS, (machine.at_once, length), device=machine.device)
    seconds = []
    for _ in range(TRIAL_STEPS + 1):
        began = time.perf_counter()
        with torch.autocast(machine.device, torch.bfloat16, enabled=machine.bfloat16):
            loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
        loss.backward()
        loss.item()
        seconds.append(time.perf_counter() - began)
    again = 4 / 3 if machine.checkpointing else 1.0
    layers = config.num_hidden_layers + config.vocab_size * config.hidden_size / layer
    return float(min(seconds) / TRIAL_LAYERS * layers * again / tokens.numel())
