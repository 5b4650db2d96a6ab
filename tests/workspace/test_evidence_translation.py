"""English beside a passage, for people to read."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench.components import parts
from workbench.errors import TranslationFailed
from workbench.recipes.recipe import make_recipe
from workbench.records import Evidence, Passage, Translation
from workbench.settings import Settings
from workbench.workspace.evidence_translation import in_english
from workbench.workspace.warm_up import warm_up
from workbench.workspace.workbench import Workbench


class _Shouter:
    """Translates by shouting; knows no Finnish. `seen` holds what it was asked for."""

    identity = "shouter"

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        self.seen.append((source, target))
        if source == "fi":
            raise TranslationFailed("No Finnish.")
        return [Translation(text.upper(), source, target, "model") for text in texts]


@pytest.fixture
def shouter(monkeypatch: pytest.MonkeyPatch) -> _Shouter:
    made = _Shouter()
    monkeypatch.setattr(parts, "translator", lambda name, folder: made)
    return made


def _workbench(tmp_path: Path) -> Workbench:
    return Workbench(Settings(tmp_path, f"sqlite:///{tmp_path / 'test.db'}"))


def _evidence(rank: int, code: str, made: Translation | None = None) -> Evidence:
    return Evidence(Passage(f"p{rank}", "d", "t", code, "text"), rank, {}, made)


def test_only_passages_that_need_it_and_can_have_it_come_in_english(tmp_path: Path, shouter: _Shouter) -> None:
    there = Translation("done", "de", "en", "model")
    evidence = [_evidence(1, "en"), _evidence(2, "de"), _evidence(3, "fi"), _evidence(4, "de", there)]
    found = in_english(_workbench(tmp_path), evidence, make_recipe({}))
    assert {rank: made.text for rank, made in found.items()} == {2: "TEXT"}


def test_warming_up_has_every_language_learnt_both_ways(
    tmp_path: Path, shouter: _Shouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workbench, "ask", lambda *_, **__: None)
    warm_up(_workbench(tmp_path), make_recipe({}), ["fi", "de"])
    assert shouter.seen == [("fi", "en"), ("en", "fi"), ("de", "en"), ("en", "de")]
