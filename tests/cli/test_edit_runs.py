"""`runs rename` and `runs delete` in a terminal."""

from __future__ import annotations

import pytest

from tests.cli.terminal import Terminal, terminal
from tests.screens.results import add_results
from workbench.app.workbench import Workbench


@pytest.fixture
def run(workbench: Workbench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Runs commands in the workspace of the test."""
    return terminal(workbench.settings.home, capsys, monkeypatch)


def test_an_experiment_gets_another_name(workbench: Workbench, run: Terminal) -> None:
    experiment_id = add_results(workbench)
    assert run("runs", "rename", experiment_id, "Baselines", "--json").json["name"] == "Baselines"
    assert [item["name"] for item in run("runs", "list", "--json").json] == ["Baselines"]


def test_an_empty_name_is_refused_with_what_to_type(workbench: Workbench, run: Terminal) -> None:
    result = run("runs", "rename", add_results(workbench), " ")
    assert result.code == 2 and "1 to 200 characters" in result.err and "runs rename" in result.err


def test_an_experiment_is_deleted_only_once_that_is_confirmed(workbench: Workbench, run: Terminal) -> None:
    experiment_id = add_results(workbench)
    refused = run("runs", "delete", experiment_id)
    assert refused.code == 2 and "with 3 answers for good" in refused.err and "--yes" in refused.err
    assert len(run("runs", "list", "--json").json) == 1
    assert run("runs", "delete", experiment_id, "--yes", "--json").json["deleted"]
    assert run("runs", "list", "--json").json == []


def test_an_experiment_that_does_not_exist_is_named(run: Terminal) -> None:
    assert "Unknown experiment “nothing”" in run("runs", "delete", "nothing", "--yes").err
