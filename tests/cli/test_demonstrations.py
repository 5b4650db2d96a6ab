"""`demonstrations` in the terminal, by the built-in reader: written, reviewed, taken out and in again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, refused

WRITE = ("demonstrations", "write", "mine", "--dataset", "sample", "--judge", "none", "--lang", "en", "--per-language")


def test_demonstrations_are_written_reviewed_exported_and_imported_unchanged(run: Terminal, tmp_path: Path) -> None:
    written = run(*WRITE, "12", "--held-out", "0.2")
    assert "12 demonstrations to write: at most 0 calls" in written.err
    assert "filtered" in written.out
    assert "mine-evaluation" in run("datasets", "list").out
    assert run("demonstrations", "review", "mine", "--json").json["request"]["judge"] == ""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert "demonstrations of" in run("demonstrations", "export", "mine", "--out", str(first), "--prompt", "drag").err
    assert run("demonstrations", "import", str(first), "--name", "again").code == 0
    run("demonstrations", "export", "again", "--out", str(second))
    assert first.read_bytes() == second.read_bytes() != b""
    number = run("demonstrations", "review", "again", "--json").json["drafts"][0]["number"]
    refused(run("demonstrations", "review", "again", "--reject", str(number)), "reviewer's name")
    run("demonstrations", "review", "again", "--reject", str(number), "--by", "Ana")
    run("demonstrations", "export", "again", "--out", str(second))
    assert second.read_bytes() == b"".join(first.read_bytes().splitlines(keepends=True)[1:])
    refused(run("demonstrations", "review", "again", "--delete"), "--yes")
    assert run("demonstrations", "review", "again", "--delete", "--yes").code == 0
    assert "again" not in run("demonstrations", "review").out
    (listed,) = run("demonstrations", "review", "--json").json
    assert sum(count for *_, count in listed["counts"]) == 12


def test_a_preview_stores_nothing(run: Terminal) -> None:
    assert "3 demonstrations to write" in run(*WRITE, "3", "--held-out", "0.2", "--preview").err
    assert run("demonstrations", "review").out == ""
    assert "mine-evaluation" not in run("datasets", "list").out


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (["0"], "type a number from 1 to 10,000"),
        (["1", "--lang", "xx"], "Unknown language of dataset “sample” “xx”"),
        (["1", "--kind", "chat"], "Unknown kind of demonstration “chat”"),
        (["1", "--k", "0"], "k is “0”"),
        (["1", "--held-out", "1.5"], "leave some on both sides"),
        (["1", "--held-out", "-0.2"], "leave some on both sides"),
        (
            ["1", "--held-out", "nan"],
            "A share of nan of the questions does not leave some on both sides: type a number",
        ),
        (["1", "--held-out", "inf"], "A share of inf"),
        (["1", "--held-out", "inf", "--detach"], "A share of inf"),
        (["1", "--held-out", "0.001"], "leave some on both sides"),
        (["1", "--judge", "extractive"], "cannot judge"),
        (["1", "--generator", "bge-m3"], "bge-m3"),
        (["1", "--scope", "moon"], "moon"),
        (["1", "--evaluation", "nothing"], "nothing"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(run: Terminal, changes: list[str], expected: str) -> None:
    refused(run(*WRITE, *changes), expected)
    assert run("demonstrations", "review").out == ""
    assert "mine-evaluation" not in run("datasets", "list").out
