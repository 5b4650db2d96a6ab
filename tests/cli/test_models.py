"""`models find` and `use`: servers of models, and what the workspace uses; `recipes`: what runs here."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.terminal import Terminal
from tests.languages.relabelled import relabelled
from tests.servers.model_servers import model_server
from workbench.pipeline.published_recipes import ShippedRecipe, shipped_recipes
from workbench.pipeline.recipe import make_recipe
from workbench.workspace.settings import IDENTIFIER_VARIABLE

IN_USE = "generator: extractive\nlanguage identifier: builtin, the default\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return relabelled(tmp_path / "lid.bin", lambda code: {"en": "fr", "fr": "en"}.get(code, code))


def test_without_a_name_it_shows_the_one_in_use(run: Terminal) -> None:
    assert run("models", "use").out == IN_USE


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
    assert run("models", "use").out == IN_USE.replace(
        "builtin, the default", f"fasttext:{file}, chosen in this workspace"
    )
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
    assert run("models", "use").out == IN_USE


def test_the_environments_choice_is_reported(run: Terminal, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDENTIFIER_VARIABLE, f"fasttext:{file}")
    result = run("models", "use", "builtin")
    assert result.out == IN_USE.replace("builtin, the default", f"fasttext:{file}, named by {IDENTIFIER_VARIABLE}")
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


def test_a_server_of_models_is_found_and_its_model_answers_where_none_is_named(run: Terminal) -> None:
    with model_server("vllm", "m", "bge-embed") as server:
        shown = run("models", "find", server.url)
        reference = f"openai-like:m@{server.url}"
        assert f"({server.url}): 2 models\n  {reference}\t\n  bge-embed\t\tnot a generator\n" in shown.out
        assert f"models use {reference}" in shown.err
        used = run("models", "use", reference)
        assert used.out.startswith("generator: m on 127.0.0.1:")
        assert "stored ones stay as they are" in used.err
        assert "default generator: m on 127.0.0.1:" in run("doctor").out
        answer = run("ask", "Who is called an inventor of radio?", "--scope", "en")
        assert "Marconi, says the model [1]." in answer.out
        assert "Language: English (en), detected" in answer.err
        assert "the workspace's default." in answer.err
        assert "/v1/chat/completions" in server.paths
    assert "nothing answers" in run("doctor").out
    plain = run("ask", "Who is called an inventor of radio?", "--lang", "en", "--generator", "extractive")
    assert plain.code == 0 and "detected" not in plain.err
    assert "Default: openai-like:m@" in " ".join(run("ask", "--help").out.replace("│", " ").split())
    assert run("models", "use", "extractive").out == IN_USE


def test_an_address_without_a_server_says_so(run: Terminal) -> None:
    with model_server("vllm") as server:
        pass
    result = run("models", "find", server.url)
    assert "nothing answers" in result.out and "docs/models.md" in result.err
    assert run("models", "find", server.url, "--json").json[0]["problem"] == "nothing answers"


def test_what_is_no_generator_is_not_used(run: Terminal) -> None:
    result = run("models", "use", "magic")
    assert result.code == 2 and "Unknown generator “magic”" in result.err


def test_the_list_of_recipes_says_which_run_here(run: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    lines = {line.split("\t")[0]: line.split("\t")[-1] for line in run("recipes", "list").out.splitlines()}
    assert lines["ranaldi-trag"].startswith("needs ") and "GPT-4o" in lines["ranaldi-trag"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    entries = {item["name"]: item for item in run("recipes", "list", "--json").json}
    assert all(item["runs_here"] == (not item["needs"]) for item in entries.values())
    assert "generator gpt-4o" not in entries["ranaldi-trag"]["needs"]
