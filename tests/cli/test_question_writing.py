"""`datasets write`, `review` and `create` in the terminal, with a generator behind a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.terminal import Terminal, refused
from tests.jobs.question_generation.test_draft_writer import TOWERS
from tests.jobs.question_generation.writers import ScriptedWriter
from tests.servers.misbehaving import MisbehavingServer, misbehaving


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as ours:
        ours.script = ScriptedWriter(lambda turn: TOWERS)
        yield ours


def words(server: MisbehavingServer) -> list[str]:
    generator = f"openai-like:m@{server.url('says')}"
    return ["datasets", "write", "sample", "tall", "--generator", generator, "--per-language", "1", "--lang", "en"]


def test_questions_are_written_reviewed_and_made_a_dataset(run: Terminal, server: MisbehavingServer) -> None:
    written = run(*words(server))
    assert "1 passage to write from: at most 2 calls" in written.err
    assert written.out == "tall\t1 draft\n"
    listed = run("datasets", "review", "tall").out
    assert "1\ten\tdraft\tHow high is each of the Petronas Towers?\t452 metres\ttallest-building.en.2" in listed
    refused(run("datasets", "review", "tall", "--accept", "1"), "reviewer's name")
    assert "1 accepted" in run("datasets", "review", "tall", "--accept", "1", "--by", "Ana").out
    assert run("datasets", "create", "tall").out == "tall\tcorpus sample\ten:1\n"
    assert "tallest-building.en.2" in run("datasets", "show", "tall").out


def test_a_preview_sends_and_stores_nothing(run: Terminal, server: MisbehavingServer) -> None:
    assert run(*words(server), "--preview", "--json").json["calls"] == 2
    assert server.requests == []
    assert run("datasets", "review").out == ""


def test_a_failed_call_is_stated_and_repeated(run: Terminal, server: MisbehavingServer) -> None:
    server.script = lambda turn: None
    assert "1 are unwritten" in run(*words(server)).err
    server.script = ScriptedWriter(lambda turn: TOWERS)
    assert run(*words(server)).out == "tall\t1 draft\n"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (["--generator", "extractive"], "not a language model"),
        (["--per-language", "0"], "type a number from 1 to 1,000"),
        (["--lang", "xx"], "Unknown language of corpus “sample” “xx”"),
        (["--checker", "bge-m3"], "bge-m3"),
    ],
)
def test_bad_input_is_one_sentence(run: Terminal, server: MisbehavingServer, changes: list[str], expected: str) -> None:
    refused(run(*words(server), *changes), expected)
    assert server.requests == []


def test_unknown_sets_and_numbers_are_refused(run: Terminal, server: MisbehavingServer) -> None:
    refused(run("datasets", "review", "nothing"), "Unknown set of written questions")
    run(*words(server))
    refused(run("datasets", "review", "tall", "--accept", "1", "--accept", "9", "--by", "Ana"), "no draft 9")
    assert "1 draft" in run("datasets", "review", "tall").out
    refused(run("datasets", "review", "tall", "--delete"), "--yes")
