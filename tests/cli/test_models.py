"""`models use`: which language identifier the workspace uses; `recipes show`: a recipe with its departures."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.terminal import Terminal
from tests.languages.relabelled import relabelled
from workbench.pipeline.published_recipes import ShippedRecipe, shipped_recipes
from workbench.pipeline.recipe import make_recipe
from workbench.workspace.settings import IDENTIFIER_VARIABLE


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return relabelled(tmp_path / "lid.bin", lambda code: {"en": "fr", "fr": "en"}.get(code, code))


def test_without_a_name_it_shows_the_one_in_use(run: Terminal) -> None:
    assert run("models", "use").out == "builtin, the default\n"


def test_another_is_used_from_then_on_by_every_verb(run: Terminal, file: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"id": "1", "prediction": "It was Guglielmo Marconi who did.", "answers": ["Marconi"], "language": "en"}'
    )
    before = run("score", rows, "--metrics", "clr", "--json").json
    assert run("models", "use", f"fasttext:{file}").code == 0
    after = run("score", rows, "--metrics", "clr", "--json").json
    assert (before["metrics"]["clr"]["mean"], after["metrics"]["clr"]["mean"]) == (1.0, 0.0)
    assert (before.get("identifier"), after["identifier"]) == (None, f"fasttext:{file}")
    assert run("score", rows, "--metrics", "clr").err == f"Languages identified by fasttext:{file}.\n"
    assert run("models", "use").out == f"fasttext:{file}, chosen in this workspace\n"
    assert f"language identification: in use: fasttext:{file}" in run("doctor").out


def test_a_missing_one_ends_a_verb_that_needs_it_and_no_other(run: Terminal, file: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "1", "prediction": "Marconi", "answers": ["Marconi"], "language": "en"}')
    run("models", "use", f"fasttext:{file}")
    file.unlink()
    result = run("score", rows, "--metrics", "clr")
    assert (result.code, result.out) == (1, "")
    assert "that this workspace uses is not on this machine" in result.err
    assert run("score", rows, "--metrics", "flexible_em").code == 0
    assert run("models", "use", "builtin").code == 0
    assert run("score", rows, "--metrics", "clr").code == 0


def test_what_is_missing_is_not_used(run: Terminal) -> None:
    result = run("models", "use", "glotlid")
    assert result.code == 1
    assert "python -m workbench models download glotlid" in result.err
    assert run("models", "use").out == "builtin, the default\n"


def test_the_environments_choice_is_reported(run: Terminal, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDENTIFIER_VARIABLE, f"fasttext:{file}")
    result = run("models", "use", "builtin")
    assert result.out == f"fasttext:{file}, named by {IDENTIFIER_VARIABLE}\n"
    assert f"unset {IDENTIFIER_VARIABLE}" in result.err


@pytest.mark.parametrize("item", shipped_recipes(), ids=lambda item: item.name)
def test_a_recipe_is_shown_with_its_source_and_every_departure_and_stays_a_recipe(
    run: Terminal, item: ShippedRecipe
) -> None:
    text = run("recipes", "show", item.name).out
    assert text.startswith(f"# {item.title}: {item.source}\n")
    assert [line for line in text.splitlines() if line.startswith("# Departure: ")] == [
        f"# Departure: {line}" for line in item.departs
    ]
    assert make_recipe(yaml.safe_load(text)) == item.recipe
