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
    available: int
    seconds: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """It in sentences for people."""
        data, percent = self.data, 100 * self.trained / self.parameters
        counts = {
            "left out, longer than allowed": data.too_long,
            "of other kinds": data.other_kinds,
            "left out by the share": data.unshared,
        }
        left_out = "".join(f"; {count:,} {words}" for words, count in counts.items() if count)
        short = ["The memory may not suffice: see at_once, checkpointing and max_length."]
        return (
            f"Demonstrations: {data.count:,} trained on (groups: {data.groups:,}); {data.holdout:,} held out "
            f"(groups: {data.holdout_groups:,}){left_out}. The longest has {self.longest:,} tokens.",
            f"{self.trained / 1e6:,.1f} of {self.parameters / 1e6:,.1f} million weights are trained ({percent:.1f} %), "
            f"in {self.steps:,} steps, on {self.machine.words}.",
            f"About {duration_words(self.seconds)}, and {self.memory / GIGA:.1f} GB of memory; "
            f"{self.available / GIGA:.1f} GB are free.",
            *(short if self.memory > self.available else []),
        )


def foresee(spec: TuningSpec, base: LocalModel, path: Path) -> Foresight:
    """What a tuning will take on this machine; no weights are read. Raises as `training` does."""
    import torch
    from transformers import AutoConfig, AutoTokenizer

    machine = machine_of(spec)
    tokenizer = AutoTokenizer.from_pretrained(base.folder, local_files_only=True, trust_remote_code=False)
    rows = training_set(spec, path, tokenizer)
    data = rows.data
    config = AutoConfig.from_pretrained(base.folder, local_files_only=True, trust_remote_code=False)
    with torch.device("meta"):
        model = _model(spec, machine, config)
    sizes = [weights.numel() for weights in model.parameters() if weights.requires_grad]
    adapters = sum(sizes) if spec.method == "lora" else 0
    parameters, shape = model.num_parameters() - adapters, config.get_text_config()
    # The held-out loss is measured without a backward pass, which takes two thirds of a step.
    unseen = data.holdout / data.count * (EVALUATIONS * spec.epochs + 1) / 3
    return Foresight(
        data,
        machine,
        parameters,
        sum(sizes),
        -(-data.count // spec.batch) * spec.epochs,
        rows.longest,
        _memory(machine, rows.longest, parameters, sum(sizes), shape),
        available_memory(machine.device),
        data.tokens * (spec.epochs + unseen) * _seconds_per_token(spec, machine, shape, data.tokens // data.count),
    )


def _model(spec: TuningSpec, machine: Machine, shape: Any) -> Any:
    """A model of a shape as it is trained, without its weights' values."""
    from peft import get_peft_model
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_config(shape, dtype=machine.dtype, trust_remote_code=False)
    return get_peft_model(model, lora(spec)) if spec.method == "lora" else model


def _memory(machine: Machine, longest: int, parameters: int, trained: int, shape: Any) -> int:
    layer = longest * machine.at_once * KEPT * (shape.hidden_size + shape.intermediate_size / 2) * 4
    kept = longest * machine.at_once * shape.hidden_size * 4
    activations = shape.num_hidden_layers * (kept if machine.checkpointing else layer)
    activations += layer if machine.checkpointing else 0
    return int(PROCESS[machine.device] + machine.dtype.itemsize * parameters + 12 * trained + activations)


def available_memory(device: str) -> int:
    """The bytes that are free for a process."""
    import psutil
    import torch

    return int(torch.cuda.mem_get_info()[0] if device == "cuda" else psutil.virtual_memory().available)


def _seconds_per_token(spec: TuningSpec, machine: Machine, config: Any, length: int) -> float:
    """Seconds of training for a token, by a trial of two layers of this shape."""
    import torch

    shape = copy.deepcopy(config)
    shape.num_hidden_layers, shape.vocab_size = TRIAL_LAYERS, TRIAL_WORDS
    shape.pad_token_id = shape.bos_token_id = shape.eos_token_id = None
    if getattr(shape, "layer_types", None):
        shape.layer_types = shape.layer_types[:TRIAL_LAYERS]
    model = _model(spec, machine, shape).to(machine.device).train()
    layer = sum(weights.numel() for weights in model.parameters()) / TRIAL_LAYERS
    tokens = torch.randint(TRIAL_WORDS, (machine.at_once, max(8, length)), device=machine.device)
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
