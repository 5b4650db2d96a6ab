"""`models use`: which language identifier the workspace uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.terminal import Terminal, terminal
from tests.languages.relabelled import relabelled
from workbench.settings import IDENTIFIER


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return terminal(tmp_path, capsys, monkeypatch)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return relabelled(tmp_path / "lid.bin", lambda code: {"en": "fr", "fr": "en"}.get(code, code))


def test_without_a_name_it_says_which_is_in_use(run: Terminal) -> None:
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
    assert run("score", rows, "--metrics", "clr").err == f"Languages told by fasttext:{file}.\n"
    assert run("models", "use").out == f"fasttext:{file}, chosen in this workspace\n"
    assert f"language identification: in use: fasttext:{file}" in run("doctor").out


def test_one_that_is_gone_ends_a_verb_that_needs_it_and_no_other(run: Terminal, file: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "1", "prediction": "Marconi", "answers": ["Marconi"], "language": "en"}')
    run("models", "use", f"fasttext:{file}")
    file.unlink()
    said = run("score", rows, "--metrics", "clr")
    assert (said.code, said.out) == (1, "")
    assert "that this workspace uses is not on this machine" in said.err
    assert run("score", rows, "--metrics", "flexible_em").code == 0
    assert run("models", "use", "builtin").code == 0
    assert run("score", rows, "--metrics", "clr").code == 0


def test_what_is_not_here_is_not_used(run: Terminal) -> None:
    said = run("models", "use", "glotlid")
    assert said.code == 1
    assert "python -m workbench models download glotlid" in said.err
    assert run("models", "use").out == "builtin, the default\n"


def test_where_the_environment_decides_that_is_said(run: Terminal, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDENTIFIER, f"fasttext:{file}")
    said = run("models", "use", "builtin")
    assert said.out == f"fasttext:{file}, named by {IDENTIFIER}\n"
    assert f"unset {IDENTIFIER}" in said.err
