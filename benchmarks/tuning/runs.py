"""The runs: each tunes smollm2 in one way, or not at all, and answers the held-out questions; nothing but files needed.

The settings are those of the paper but for the batch and the rate, which are made for models of a billion parameters
and thousands of demonstrations. Answers are greedy, of at most `LIMIT` new tokens, by the product's own generator.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Any

from workbench.core import Prompt, Task
from workbench.jobs.tuning import training
from workbench.jobs.tuning.foresight import foresee
from workbench.jobs.tuning.tuning_spec import make_spec
from workbench.models import Device, HuggingFaceGenerator, TokenLimits, find_model
from workbench.models.llm import huggingface

SETTINGS: Mapping[str, Any] = {"batch": 8, "learning_rate": 1e-3, "seed": 0}
"""What departs from the paper, besides what it leaves open."""
LIMIT = 512
SHARES = (0.25, 0.5, 0.75)
RUNS: Mapping[str, Mapping[str, Any]] = {
    "untuned": {},
    "drag": {"kind": "drag"},
    "rag": {"kind": "rag"},
    **{f"drag-{round(100 * share)}": {"kind": "drag", "share": share} for share in SHARES},
    **{f"rag-{round(100 * share)}": {"kind": "rag", "share": share} for share in SHARES},
}
"""Each run's choices, by name: `drag` is tuned on demonstrations of D-RAG, `rag` on their control (SFT)."""
DEMONSTRATIONS, HOLDOUT, TRAINING, ANSWERS = "demonstrations.jsonl", "holdout.json", "training.json", "answers.json"


def run(name: str, folder: Path, base: Path, device: Device, label: str = "", *, answers: bool = True) -> None:
    """Tunes and answers under a name; what is there already is not done again. `label` names another machine's."""
    place = folder / (label or name)
    place.mkdir(parents=True, exist_ok=True)
    generator = HuggingFaceGenerator(str(base), device=device, limits=TokenLimits(LIMIT, LIMIT))
    if RUNS[name]:
        _tune(name, folder, place, base, device)
        generator = generator.with_adapter(place / training.WEIGHTS, name)
    if answers and not (place / ANSWERS).exists():
        _answer(generator, name, folder, place)


def _tune(name: str, folder: Path, place: Path, base: Path, device: str) -> None:
    if (place / TRAINING).exists():
        return
    choices = {"name": name, "base": f"huggingface:{base}", "demonstrations": DEMONSTRATIONS, "device": device}
    spec = make_spec({**choices, **SETTINGS, **RUNS[name]})
    model = find_model(str(base))
    foreseen = foresee(spec, model, folder / DEMONSTRATIONS)
    print(name, *foreseen.sentences, flush=True)

    def tell(phase: str, done: int, total: int, **result: Any) -> None:
        losses = [f"{key} {result[key][-1]}" for key in ("training", "holdout") if result.get(key)]
        left = f"{result['ends'] - time.time():.0f} s left" if result.get("ends") else ""
        print(name, phase, done, total, *losses, left, flush=True)

    done = training.train(spec, model, folder / DEMONSTRATIONS, place, tell, Event())
    facts = {
        "settings": {**SETTINGS, **RUNS[name]},
        "foreseen": {"seconds": foreseen.seconds, "memory": foreseen.memory},
        "seconds": done.seconds,
        "memory": done.memory,
        "machine": done.machine,
        "packages": done.packages,
        "parameters": done.parameters,
        "trained": done.trained,
        "data": done.data.model_dump(mode="json"),
        "training": [point.model_dump() for point in done.training],
        "holdout": [point.model_dump() for point in done.holdout],
    }
    (place / TRAINING).write_text(json.dumps(facts, indent=1), encoding="utf-8")


def _answer(generator: HuggingFaceGenerator, name: str, folder: Path, place: Path) -> None:
    """Answers every held-out question: the control by plain RAG alone, the others by both prompts."""
    questions = json.loads((folder / HOLDOUT).read_text(encoding="utf-8"))
    huggingface.BATCH["cuda"] = 25
    answers: dict[str, list[dict[str, Any]]] = {}
    for prompt in ("drag", "rag"):
        if name.startswith("rag") and prompt == "drag" and name != "rag":
            continue
        if name.startswith("drag-") and prompt == "rag":
            continue
        began = time.perf_counter()
        parts = ("answer",) if prompt == "drag" else ()
        prompts = [
            Prompt(item[prompt][0], item[prompt][1], Task(item["question"], "en", dialectic=parts))
            for item in questions
        ]
        generations = generator.generate(prompts)
        seconds = time.perf_counter() - began
        answers[prompt] = [{"id": item["id"], **_stored(one)} for item, one in zip(questions, generations, strict=True)]
        print(name, prompt, len(prompts), f"answers in {seconds:.0f} s", flush=True)
    (place / ANSWERS).write_text(json.dumps(answers, indent=1, ensure_ascii=False), encoding="utf-8")


def _stored(generation: Any) -> dict[str, Any]:
    return {
        "text": generation.text,
        "finish": generation.finish,
        "tokens": asdict(generation.usage)["completion_tokens"],
    }
