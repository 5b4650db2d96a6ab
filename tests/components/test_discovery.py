"""Every known model fits its adapter, and one that does not is refused in one sentence."""

from __future__ import annotations

import pytest

from workbench.components.references import adapter, adapters, checked, known_models
from workbench.core.errors import DataError
from workbench.models.known import Model

FACTS = {
    "name": "small",
    "title": "Small",
    "role": "encoder",
    "adapter": "sentence-transformers",
    "model": "maker/small",
    "source": "its card",
}


def test_every_adapter_explains_itself_and_serves_a_role() -> None:
    assert all(item.explanation and item.roles for item in adapters())


def test_every_adapter_with_a_model_has_an_example_under_its_name() -> None:
    assert all(item.example.startswith(f"{item.name}:") for item in adapters() if item.takes_model)


def test_every_adapter_without_a_model_is_listed() -> None:
    assert all(item.listing for item in adapters() if not item.takes_model)


def test_a_model_that_sends_texts_away_is_marked_remote() -> None:
    assert all(model.remote is not adapter(model.adapter, model.role).local for model in known_models())


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"role": "generator"}, "the adapter sentence-transformers does not serve as generator"),
        ({"also": ("reranker",)}, "the adapter sentence-transformers does not serve as reranker"),
        ({"adapter": "magic"}, "unknown adapter “magic”"),
        ({"defaults": {"prefix": "x"}}, "unknown default “prefix”; allowed: question_prefix"),
        ({"remote": True}, "“remote” must be false"),
    ],
)
def test_a_known_model_that_does_not_fit_its_adapter_is_refused(facts: dict[str, object], expected: str) -> None:
    with pytest.raises(DataError) as caught:
        checked([Model.model_validate({**FACTS, **facts})])
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
