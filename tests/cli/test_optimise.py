"""`optimise` on the command line: a search from a file to a recipe."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.optimise.reports import report_over
from tests.optimise.searches import small_space
from workbench.app.workbench import Workbench
from workbench.cli.command_line import app
from workbench.cli.optimise import report_lines
from workbench.core.errors import UsageError
from workbench.optimise.space.space_files import space_to_yaml
from workbench.pipeline.recipe import recipe_from_file

runner = CliRunner()


@pytest.fixture
def space_file(workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(workbench.settings.home))
    file = tmp_path / "space.yaml"
    file.write_text(space_to_yaml(small_space()), encoding="utf-8")
    return file


def test_a_choice_whose_share_chance_covers_is_not_called_inseparable() -> None:
    lines = [line for line in report_lines(report_over(np.full((6, 20), 0.5))) if line.startswith("importance of ")]
    assert lines and all(line.endswith(": no two recipes differ by more than chance") for line in lines)


@pytest.mark.slow
def test_a_search_from_its_file_to_the_winner_and_away(space_file: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["optimise", str(space_file), "--yes", "--pilot", "0", "--json"])
    assert result.exit_code == 0, result.output
    values = json.loads(result.stdout)
    search_id = values["search"]["id"]
    assert values["search"]["state"] == "done" and values["search"]["recipes"] == 6
    foreseen, spent = values["forecast"], values["search"]["spent"]["calls"]
    assert foreseen["calls"] < spent <= foreseen["calls"] + foreseen["confirmation"]["calls"]
    listed = json.loads(runner.invoke(app, ["optimise", "list", "--json"]).stdout)
    assert [item["id"] for item in listed] == [search_id]
    shown = runner.invoke(app, ["optimise", "show", search_id])
    assert "6 recipes measured" in shown.stdout and "char3_recall" in shown.stdout and "n 2" in shown.stdout
    assert "Nothing can be told apart" in shown.stdout and "on held-out" in shown.stdout
    out = tmp_path / "recipe.yaml"
    assert runner.invoke(app, ["optimise", "winner", search_id, "--out", str(out)]).exit_code == 0
    assert recipe_from_file(out).generator == "extractive"
    assert runner.invoke(app, ["optimise", "delete", search_id]).exit_code == 0
    assert json.loads(runner.invoke(app, ["optimise", "list", "--json"]).stdout) == []


def test_the_plan_tells_the_calls_and_starts_nothing(space_file: Path) -> None:
    result = runner.invoke(app, ["optimise", str(space_file), "--plan", "--pilot", "0", "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["forecast"]["calls"] > 0
    assert "Calls of a generator:" in result.stderr
    assert json.loads(runner.invoke(app, ["optimise", "list", "--json"]).stdout) == []


@pytest.mark.slow
def test_without_held_out_questions_the_calls_told_are_those_that_were_made(space_file: Path) -> None:
    result = runner.invoke(app, ["optimise", str(space_file), "--yes", "--pilot", "0", "--holdout", "0", "--json"])
    values = json.loads(result.stdout)
    assert values["forecast"]["confirmation"] is None and values["forecast"]["exact_calls"]
    assert values["forecast"]["calls"] == values["search"]["spent"]["calls"]


def test_without_yes_nobody_who_cannot_be_asked_starts_a_search(space_file: Path) -> None:
    result = runner.invoke(app, ["optimise", str(space_file), "--pilot", "0"])
    assert isinstance(result.exception, UsageError) and "--yes" in str(result.exception)
    assert json.loads(runner.invoke(app, ["optimise", "list", "--json"]).stdout) == []


def test_an_unknown_strategy_is_a_sentence(space_file: Path) -> None:
    result = runner.invoke(app, ["optimise", str(space_file), "--strategy", "luck"])
    assert isinstance(result.exception, UsageError) and "Unknown strategy “luck”" in str(result.exception)


def test_a_shipped_space_is_known_by_its_name(space_file: Path) -> None:
    result = runner.invoke(app, ["optimise", "sample-without-models", "--strategy", "luck"])
    assert isinstance(result.exception, UsageError) and "Unknown strategy “luck”" in str(result.exception)


def test_what_becomes_of_each_module_of_autorags_file_is_said(space_file: Path) -> None:
    file = Path("tests/optimise/data/autorag-everything.yaml").resolve()
    result = runner.invoke(app, ["optimise", str(file), "--strategy", "luck"])
    assert "autorag-everything.yaml, line " in result.stderr


def test_a_space_is_written_for_autorag_with_what_it_cannot_say(space_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "autorag.yaml"
    result = runner.invoke(app, ["optimise", "autorag", "with-models", "--out", str(out)])
    assert result.exit_code == 0 and "left out: mode" in result.stderr
    assert "# Left out: mode" in out.read_text(encoding="utf-8")


def test_a_search_that_does_not_exist_is_named(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(workbench.settings.home))
    for verb in ("show", "resume", "stop", "winner", "autorag", "delete"):
        result = runner.invoke(app, ["optimise", verb, "nothing"])
        assert isinstance(result.exception, UsageError) and "no search “nothing”" in str(result.exception)
