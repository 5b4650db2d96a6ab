"""What of the demonstrations is trained on, and what is held out, by a seed: the same for the same file and spec.

Left out are demonstrations of other kinds, and those longer than allowed: cut, they would teach answers without an end.
Groups are held out whole, so that a question and its translations are never on both sides. Of the rest a share is
trained on; a smaller share is part of a larger one, and of every share the same groups are held out.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.components import TrainingData
from workbench.core import Prompt, Task, UsageError, shorten
from workbench.jobs.demonstrations.demonstration_file import Demonstration, read_demonstrations
from workbench.jobs.tuning.tuning_spec import TuningSpec
from workbench.models import chat_messages

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """What is trained on and what is held out, as trl reads it, the counts, and the tokens of the longest."""

    training: tuple[dict[str, Any], ...]
    holdout: tuple[dict[str, Any], ...]
    data: TrainingData
    longest: int


def training_set(spec: TuningSpec, path: Path, tokenizer: PreTrainedTokenizerBase) -> TrainingSet:
    """What a spec trains on of the demonstrations in a file.

    Raises DataError for a file that cannot be used, UsageError where nothing is left to train on, or for a model that
    was not trained to chat.
    """
    if not tokenizer.chat_template:
        raise UsageError(
            f"“{shorten(spec.base)}” has no chat template, so it cannot be tuned on demonstrations: type the name of "
            "an instruct model, such as smollm2."
        )
    demonstrations = read_demonstrations(path)
    of_kind = [item for item in demonstrations if spec.kind in ("all", item.kind)]
    rows = [_row(item, tokenizer) for item in of_kind]
    lengths = {item.id: _length(row, tokenizer) for item, row in zip(of_kind, rows, strict=True)}
    fitting = [item for item in of_kind if lengths[item.id] <= spec.max_length]
    holdout_groups = _holdout_groups(spec, fitting)
    candidates = [item for item in fitting if item.group not in holdout_groups]
    ranked = sorted(candidates, key=lambda item: _draw(spec.seed, "share", item.id))
    drawn = {item.id for item in ranked[: math.ceil(round(spec.share * len(ranked), 6))]}
    training = [item for item in candidates if item.id in drawn]
    if not training:
        raise UsageError(_nothing_left(spec, len(demonstrations), len(of_kind), min(lengths.values(), default=0)))
    by_id = {item.id: row for item, row in zip(of_kind, rows, strict=True)}
    holdout = [item for item in fitting if item.group in holdout_groups]
    data = TrainingData(
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        count=len(training),
        groups=len({item.group for item in training}),
        holdout=len(holdout),
        holdout_groups=len(holdout_groups),
        too_long=len(of_kind) - len(fitting),
        unshared=len(candidates) - len(training),
        other_kinds=len(demonstrations) - len(of_kind),
        tokens=sum(lengths[item.id] for item in training),
        by_kind=Counter(item.kind for item in training),
        by_language=Counter(item.language for item in training),
        datasets=tuple(sorted({item.dataset for item in training if item.dataset})),
        licences=tuple(sorted({passage.licence for item in training for passage in item.passages if passage.licence})),
    )
    return TrainingSet(
        tuple(by_id[item.id] for item in training),
        tuple(by_id[item.id] for item in holdout),
        data,
        max(lengths[item.id] for item in (*training, *holdout)),
    )


def _row(item: Demonstration, tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    """A demonstration with the turns that the model is given when it answers."""
    texts = {message.role: message.content for message in item.prompt}
    prompt = Prompt(texts.get("system", ""), texts["user"], Task(item.question, item.language))
    completion = [{"role": "assistant", "content": item.text}]
    return {"prompt": chat_messages(tokenizer, prompt), "completion": completion}


def _length(row: dict[str, Any], tokenizer: PreTrainedTokenizerBase) -> int:
    text = str(tokenizer.apply_chat_template([*row["prompt"], *row["completion"]], tokenize=False))
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])


def _holdout_groups(spec: TuningSpec, demonstrations: Sequence[Demonstration]) -> set[str]:
    groups = sorted({item.group for item in demonstrations}, key=lambda group: _draw(spec.seed, "holdout", group))
    count = min(max(1, round(spec.holdout * len(groups))), len(groups) - 1) if spec.holdout and groups else 0
    return set(groups[:count])


def _draw(seed: int, purpose: str, name: str) -> bytes:
    """What a name is ordered by, which depends on no other name."""
    return hashlib.sha256(f"{seed} {purpose} {name}".encode()).digest()


def _nothing_left(spec: TuningSpec, count: int, of_kind: int, shortest: int) -> str:
    if not of_kind:
        return f"None of the {count:,} demonstrations is of the kind {spec.kind}: type kind: all."
    return (
        f"None of the {of_kind:,} demonstrations is left to train on: the shortest has {shortest:,} tokens and "
        f"{spec.max_length:,} are allowed. Type a greater max_length."
    )
