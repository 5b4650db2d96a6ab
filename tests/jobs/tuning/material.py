"""A tiny model and demonstrations for it, which it learns within a few steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.models.tiny_llm import make_tiny_llm
from workbench.jobs.demonstrations.demonstration_file import (
    ChatMessage,
    Demonstration,
    DemonstrationPassage,
    write_demonstrations,
)
from workbench.jobs.demonstrations.demonstration_store import DemonstrationKind
from workbench.jobs.tuning.tuning_spec import TuningSpec, make_spec

PASSAGE = DemonstrationPassage(id="p1", title="Radio", language="en", licence="CC BY 4.0", source="ours")


def demonstration(number: int, kind: DemonstrationKind = "drag", *, answer: str = "#Answer:\nPopov") -> Demonstration:
    """One of ten groups, of a question with its translation."""
    question = f"Who invented radio {number}?"
    return Demonstration(
        prompt=[ChatMessage(role="system", content="Answer."), ChatMessage(role="user", content=question)],
        completion=[ChatMessage(role="assistant", content=answer)],
        id=f"d{number}-{kind}",
        group=f"g{number // 2}",
        language="en" if number % 2 else "ru",
        kind=kind,
        dataset="toy",
        question=question,
        answers=["Popov"],
        passages=[PASSAGE],
    )


def material(folder: Path, count: int = 20, **choices: Any) -> tuple[TuningSpec, Path]:
    """A spec over a tiny model and a file of demonstrations, both in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    base = make_tiny_llm(folder / "base", ends=1)
    path = folder / "demonstrations.jsonl"
    path.write_text(write_demonstrations([demonstration(number) for number in range(count)]), encoding="utf-8")
    return spec(base, path, **choices), path


def spec(base: Path, path: Path, **choices: Any) -> TuningSpec:
    """The spec that the tests train by, with other choices."""
    settings = {"batch": 8, "epochs": 2, "learning_rate": 1e-2, "device": "cpu", "precision": "float32"}
    names = {"name": "mine", "base": f"huggingface:{base}", "demonstrations": str(path)}
    return make_spec({**names, **settings, **choices})
