"""Passages in English for people to read, and translators that are warmed up."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.databases import database_url
from workbench.app.workbench import Workbench, warm_up
from workbench.components import factory
from workbench.core.errors import TranslationFailed
from workbench.core.protocols import Translator
from workbench.core.records import Evidence, Passage, Translation
from workbench.pipeline.recipe import make_recipe
from workbench.workspace.settings import Settings


class _UpperTranslator(Translator):
    """Translates to capitals and fails for Finnish; `pairs` records the languages of each call."""

    identity = "upper"

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        self.pairs.append((source, target))
        if source == "fi":
            raise TranslationFailed("No Finnish.")
        return [Translation(text.upper(), source, target, "model") for text in texts]


@pytest.fixture
def translator(monkeypatch: pytest.MonkeyPatch) -> _UpperTranslator:
    fake = _UpperTranslator()
    monkeypatch.setattr(factory, "translator", lambda name, home: fake)
    return fake


def _workbench(tmp_path: Path) -> Workbench:
    return Workbench(Settings(tmp_path, database_url(tmp_path / "test.db")))


def _evidence(rank: int, language: str, translation: Translation | None = None) -> Evidence:
    return Evidence(Passage(f"p{rank}", "d", "t", language, "text"), rank, {}, translation)


def test_only_passages_that_need_it_and_can_have_it_are_translated(
    tmp_path: Path, translator: _UpperTranslator
) -> None:
    translation = Translation("done", "de", "en", "model")
    evidence = [_evidence(1, "en"), _evidence(2, "de"), _evidence(3, "fi"), _evidence(4, "de", translation)]
    translations = _workbench(tmp_path).evidence_in_english(evidence, make_recipe({}))
    assert {rank: item.text for rank, item in translations.items()} == {2: "TEXT"}


def test_warming_up_has_every_language_learnt_both_ways(
    tmp_path: Path, translator: _UpperTranslator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workbench, "ask", lambda *_, **__: None)
    warm_up(_workbench(tmp_path), make_recipe({}), ["fi", "de"])
    assert translator.pairs == [("fi", "en"), ("en", "fi"), ("de", "en"), ("en", "de")]
