"""The spec of a tuning: the paper's settings by default, departures in words, and one sentence for what is not one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.core.errors import UsageError
from workbench.jobs.tuning.tuning_spec import TuningSpec, make_spec, spec_from_file, spec_to_yaml, tuning_table

NAMES = {"name": "mine", "base": "huggingface:/models/mine", "demonstrations": "mine"}


def test_the_defaults_are_the_papers() -> None:
    spec = make_spec(NAMES)
    assert (spec.epochs, spec.batch, spec.learning_rate, spec.weight_decay) == (3, 32, 1e-5, 0.001)
    assert (spec.schedule, spec.warmup, spec.share) == ("cosine", 0.03, 1.0)
    base, count, rest = spec.departures(3_020)
    assert "Llama 3 8B" in base and "the paper uses 3,020" in count and "LoRA rank 16" in rest


def test_every_departure_is_a_sentence() -> None:
    spec = make_spec({**NAMES, "batch": 8, "learning_rate": 1e-3, "schedule": "linear", "method": "full"})
    assert spec.departures(120)[:3] == (
        "Batch size: 8; the paper's is 32.",
        "Learning rate: 0.001; the paper's is 1e-05.",
        "Schedule: linear; the paper's is cosine.",
    )
    assert "LoRA" not in spec.departures(120)[-1]


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"name": "../../etc"}, "cannot name a model"),
        ({"name": "Ünïcode"}, "cannot name a model"),
        ({"base": "no-such-model"}, "Unknown generator “no-such-model”"),
        ({"base": "cross-encoder:/models/x"}, "cannot be used as generator"),
        ({"epochs": 0}, "The tuning's epochs is “0”"),
        ({"epochs": 10**30}, "The tuning's epochs is"),
        ({"learning_rate": float("nan")}, "The tuning's learning_rate is “nan”"),
        ({"learning_rate": "fast"}, "The tuning's learning_rate is “fast”"),
        ({"share": 0}, "The tuning's share is “0”"),
        ({"holdout": 0.9}, "The tuning's holdout is “0.9”"),
        ({"batch": 8, "at_once": 3}, "At once must divide the batch size, 8"),
        ({"rate": 1}, "Unknown tuning key “rate”"),
        ({"kind": "poem"}, "The tuning's kind is “poem”"),
    ],
)
def test_what_is_not_allowed_is_one_sentence(choices: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        make_spec({**NAMES, **choices})
    assert sentence in str(error.value) and "\n" not in str(error.value)


def test_a_file_is_read_with_fields_changed_and_written_again(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(spec_to_yaml(make_spec(NAMES)), encoding="utf-8")
    assert spec_from_file(path, {}) == make_spec(NAMES)
    assert spec_from_file(path, {"share": "0.25", "epochs": "2"}).share == 0.25
    path.write_text("base: [", encoding="utf-8")
    with pytest.raises(UsageError, match="is not YAML at line 1"):
        spec_from_file(path, {})


def test_every_field_is_explained_in_the_documents() -> None:
    assert len(tuning_table().splitlines()) == len(TuningSpec.model_fields) + 2
    assert tuning_table() in Path("docs/tuning.md").read_text(encoding="utf-8")
