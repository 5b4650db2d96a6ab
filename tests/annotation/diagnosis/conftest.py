"""A workspace of planted failures and right answers, built once: read from it; what is stored goes elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.annotation.diagnosis.planted import ABSENT, LOW, MISLED, PLANTED, Planted
from tests.annotation.diagnosis.planting import answered, planted_workspace
from tests.trees import share_translation
from workbench.annotation.diagnosis.diagnosing import Diagnosing
from workbench.app.workbench import Workbench
from workbench.experiments.results.queries.instances import Instance

Pairs = list[tuple[Planted, Instance]]


@pytest.fixture(scope="session")
def planted_bench(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workbench, Pairs]:
    """The workbench with the sixty planted failures, and each with its answer."""
    folder = tmp_path_factory.mktemp("planted")
    share_translation(sample_home, folder / "workspace")
    workbench = planted_workspace(folder / "workspace", PLANTED)
    return workbench, answered(workbench, PLANTED, folder)


@pytest.fixture
def few(planted_bench: tuple[Workbench, Pairs]) -> tuple[Workbench, dict[str, Instance]]:
    """The workbench with an English answer of each of the reader's failures, by cause, and a Finnish one spelt so."""
    workbench, pairs = planted_bench
    read = {case.cause: item for case, item in pairs if case in (ABSENT[0], LOW[0], MISLED[0])}
    spelt = next(item for case, item in pairs if case.cause == "inflected-form")
    return workbench, {**read, "inflected-form": spelt}


@pytest.fixture
def diagnosing(planted_bench: tuple[Workbench, Pairs]) -> Diagnosing:
    """What proposes labels in that workspace."""
    return Diagnosing(planted_bench[0])


def with_answer(item: Instance, text: str, language: str = "") -> Instance:
    """An answer with another text."""
    return replace(item, output=text, answer_language=language or item.language)
