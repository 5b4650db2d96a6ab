"""What tests of experiments share."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from workbench.core.records import Generation, Prompt
from workbench.pipeline.reader.extractive import ExtractiveReader


@pytest.fixture
def answers_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of rankings alone: the reader, which would take most of the time, answers with one name."""

    def generate(_: ExtractiveReader, prompts: Sequence[Prompt]) -> list[Generation]:
        return [Generation("Marconi.") for _ in prompts]

    monkeypatch.setattr(ExtractiveReader, "generate", generate)
