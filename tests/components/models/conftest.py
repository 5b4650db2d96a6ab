"""Tiny models of every kind, built once, and a small corpus of two languages to use them on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.tiny_encoders import (
    bge_m3_folder,
    cross_encoder_folder,
    llm_folder,
    no_network,
    one_thread,
    splade_folder,
)
from tests.models.tiny_llm import make_tiny_llm
from tests.models.tiny_nllb import tiny_nllb
from workbench.app.workbench import Workbench
from workbench.core.records import Passage
from workbench.workspace import settings

__all__ = ["bge_m3_folder", "cross_encoder_folder", "llm_folder", "no_network", "one_thread", "splade_folder"]

TEXTS = (
    ("en", "The lake is deep and the boats are old."),
    ("en", "Bread is baked in the village every morning."),
    ("en", "The old bridge crosses the river near the mill."),
    ("fr", "Le lac est profond et les bateaux sont vieux."),
    ("fr", "Le pain est cuit au village chaque matin."),
)


@pytest.fixture(scope="session")
def generator_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_llm(tmp_path_factory.mktemp("generator"))


@pytest.fixture(scope="session")
def nllb_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_nllb(tmp_path_factory.mktemp("nllb"))


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A workbench whose corpus `lakes` has five passages."""
    workbench = Workbench(settings.load(tmp_path / "home"))
    passages = [
        Passage(f"{n}.{code}", f"{n}", f"Document {n}", code, text) for n, (code, text) in enumerate(TEXTS, start=1)
    ]
    workbench.library.add("lakes", passages, source="test", licence="none")
    return workbench
