"""What a model is tuned on and how: one value, from which the form, the command's file and the docs are made.

Defaults are the settings of Ranaldi et al. (2025, D-RAG), section 3.3.1. What the paper states is in `PAPER`; a tuning
records in words where it departs from that, and what the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.components import check_name
from workbench.data import checked_name
from workbench.workspace import YamlForm

PAPER: Mapping[str, Any] = {
    "epochs": 3,
    "batch": 32,
    "learning_rate": 1e-5,
    "weight_decay": 0.001,
    "schedule": "cosine",
    "warmup": 0.03,
}
"""The settings that the paper states, by field."""
PAPER_BASES = "Llama 3 8B and Llama 3.2 1B, both instruct"
PAPER_DEMONSTRATIONS = 3_020
"""The paper's total (Table 8, “3.02k”); its rows of 1,920, 920 and 200 add up to 3,040."""
LEFT_OPEN = ("method", "rank", "alpha", "dropout", "max_length", "holdout", "seed")
"""Settings that shape the model and that the paper does not state."""
SPEC_LIMIT = 20_000
"""Characters of a file with a spec."""


class TuningSpec(BaseModel):
    """A tuning. Fields with a default may be left out; their titles and help are those of the form and the docs."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = Field(title="Name", description="The tuned model's name: recipes then name it tuned:NAME.")
    base: str = Field(title="Base model", description="A language model on this machine, such as smollm2.")
    demonstrations: str = Field(
        title="Demonstrations", description="The name of a set of demonstrations, or a JSONL file of them."
    )
    prompt: Literal["rag", "drag"] = Field(
        "rag",
        title="Prompt",
        description="Of a set: what dialectic answers reply to. The paper's is plain RAG; drag suits mode drag.",
    )
    kind: Literal["all", "drag", "rag", "translation"] = Field(
        "all", title="Kind", description="Which of the demonstrations: dialectic ones, plain RAG (the control), or all."
    )
    share: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0,
        title="Share",
        description="How much of the demonstrations to train on (Figure 4), by seed; a smaller share is part of a "
        "larger one.",
    )
    holdout: Annotated[float, Field(ge=0, le=0.5)] = Field(
        0.1, title="Held-out part", description="Share of the groups that is not trained on, to measure the loss on."
    )
    method: Literal["lora", "full"] = Field(
        "lora", title="Method", description="LoRA trains small matrices beside the weights; full trains all weights."
    )
    epochs: Annotated[int, Field(ge=1, le=100)] = Field(
        PAPER["epochs"], title="Epochs", description="How often each demonstration is seen."
    )
    batch: Annotated[int, Field(ge=1, le=1_024)] = Field(
        PAPER["batch"], title="Batch size", description="Demonstrations per step of the optimiser."
    )
    learning_rate: Annotated[float, Field(gt=0, le=1)] = Field(
        PAPER["learning_rate"], title="Learning rate", description="The highest rate, after the warm-up."
    )
    weight_decay: Annotated[float, Field(ge=0, le=1)] = Field(
        PAPER["weight_decay"], title="Weight decay", description="Of AdamW."
    )
    schedule: Literal["cosine", "linear", "constant"] = Field(
        PAPER["schedule"], title="Schedule", description="How the rate falls after the warm-up."
    )
    warmup: Annotated[float, Field(ge=0, le=0.5)] = Field(
        PAPER["warmup"], title="Warm-up", description="Share of the steps in which the rate rises."
    )
    rank: Annotated[int, Field(ge=1, le=256)] = Field(16, title="LoRA rank", description="Size of LoRA's matrices.")
    alpha: Annotated[int, Field(ge=1, le=1_024)] = Field(
        32, title="LoRA alpha", description="LoRA's update is scaled by alpha / rank."
    )
    dropout: Annotated[float, Field(ge=0, lt=1)] = Field(
        0.0, title="LoRA dropout", description="Share of LoRA's inputs that are dropped while training."
    )
    max_length: Annotated[int, Field(ge=32, le=131_072)] = Field(
        4_096,
        title="Maximum length",
        description="Tokens of prompt and answer together; longer demonstrations are left out and counted.",
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(
        0, title="Seed", description="Fixes the held-out groups, the share, the order and LoRA's first values."
    )
    at_once: Annotated[int, Field(ge=0, le=256)] = Field(
        0,
        title="At once",
        description="Demonstrations in memory at a time, a divisor of the batch size; 0: 1 on a CPU, up to 8 on CUDA. "
        "The model is the same but for rounding.",
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", title="Device", description="Where to train; auto: CUDA where the machine has it."
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        title="Precision",
        description="Numbers to compute with; auto: bfloat16 on CUDA and on CPUs with AMX, where it was measured "
        "faster.",
    )
    checkpointing: Literal["auto", "on", "off"] = Field(
        "auto",
        title="Gradient checkpointing",
        description="Computes activations twice instead of keeping them; auto: on CUDA.",
    )

    @field_validator("name")
    @classmethod
    def _usable(cls, name: str) -> str:
        return checked_name(name, "model")

    @field_validator("base")
    @classmethod
    def _generates(cls, base: str) -> str:
        check_name(base, "generator")
        return base.strip()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.at_once and self.batch % self.at_once:
            raise ValueError(f"At once must divide the batch size, {self.batch}: type for example 1")
        return self

    def departures(self, count: int) -> tuple[str, ...]:
        """Where this differs from the paper, one sentence each; `count`: the demonstrations that are trained on."""
        values = {name: f"{value:g}" if isinstance(value, float) else value for name, value in self}
        titles = {name: item.title for name, item in type(self).model_fields.items()}
        lora = () if self.method == "lora" else ("rank", "alpha", "dropout")
        left_open = ", ".join(f"{titles[name]} {values[name]}" for name in LEFT_OPEN if name not in lora)
        return (
            *(
                f"{titles[name]}: {values[name]}; the paper's is {f'{value:g}' if isinstance(value, float) else value}."
                for name, value in PAPER.items()
                if getattr(self, name) != value
            ),
            f"Base model: {self.base}; the paper tunes {PAPER_BASES}.",
            f"Demonstrations: {count:,}; the paper uses {PAPER_DEMONSTRATIONS:,}.",
            f"Not stated by the paper, chosen here: {left_open}.",
        )


def tuning_table() -> str:
    """Every field as a Markdown table: what it is, its default, and the paper's value."""
    rows = ["| field | what it is | default | the paper's |", "| --- | --- | --- | --- |"]
    for name, item in TuningSpec.model_fields.items():
        default = "" if item.is_required() else f"`{item.default}`"
        paper = f"`{PAPER[name]}`" if name in PAPER else ""
        rows.append(f"| `{name}` | {item.description} | {default} | {paper} |")
    return "\n".join(rows) + "\n"


FORM = YamlForm(TuningSpec, noun="tuning", example="base: smollm2", command="tune tuning.yaml", limit=SPEC_LIMIT)


def make_spec(choices: Mapping[str, Any]) -> TuningSpec:
    """The spec with these choices. Raises UsageError for the first that is not allowed."""
    return FORM.make(choices)


def spec_from_file(path: Path, changes: Mapping[str, Any]) -> TuningSpec:
    """The spec in a YAML file, with some fields changed. Raises UsageError."""
    spec = FORM.read_file(path)
    return make_spec({**spec.model_dump(), **changes}) if changes else spec


def spec_to_yaml(spec: TuningSpec) -> str:
    """The spec as YAML that people can read and edit."""
    return FORM.write(spec, ("A tuning of the mRAG workbench. Run it: mrag tune THIS_FILE",))
