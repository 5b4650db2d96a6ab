"""`ask`: one answer, as text or as JSON, on the sample."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, terminal
from tests.servers.misbehaving import misbehaving
from workbench.data.corpora import sample
from workbench.pipeline.choices import MODES
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.recipe import make_recipe, recipe_to_yaml

QUESTION = "Kuka keksi radion?"
KEYS = {
    "answer", "answer_language", "question", "language", "scope", "mode", "prompt", "passages", "prompt_text",
    "sections", "usage", "steps", "recipe", "fingerprint",
}  # fmt: skip


@pytest.fixture
def home(sample_home: Path) -> Path:
    return sample_home


def test_json_holds_every_key_of_the_contract(run: Terminal) -> None:
    result = run(
        "ask",
        QUESTION,
        "--lang",
        "fi",
        "--scope",
        "en+ul",
        "--mode",
        "multirag",
        "--prompt",
        "reply-short-in-ul-ul",
        "--k",
        3,
        "--json",
    ).json
    assert result.keys() >= KEYS
    assert (result["question"], result["language"], result["scope"], result["mode"]) == (
        QUESTION,
        "fi",
        "en+ul",
        "multirag",
    )
    assert result["prompt"] == "reply-short-in-ul-ul" and result["sections"] is None
    assert len(result["passages"]) == 3
    for passage in result["passages"]:
        assert passage.keys() >= {"id", "title", "language", "text", "translation", "scores"}
        assert passage["language"] in ("en", "fi") and "hybrid" in passage["scores"]
    assert result["prompt_text"].keys() == {"system", "user"} and QUESTION in result["prompt_text"]["user"]
    assert all(step.keys() >= {"name", "seconds", "cached"} for step in result["steps"])
    assert result["recipe"]["k"] == 3 and result["fingerprint"] == make_recipe(result["recipe"]).fingerprint


@pytest.mark.parametrize("mode", [item.name for item in MODES])
def test_every_mode_answers_in_its_default_scope(mode: str, run: Terminal) -> None:
    result = run("ask", QUESTION, "--lang", "fi", "--mode", mode, "--json").json
    definition = next(item for item in MODES if item.name == mode)
    assert (result["mode"], result["scope"]) == (mode, definition.scope)
    assert bool(result["passages"]) == (mode != "baseline")
    assert (result["sections"] is not None) == (mode == "drag")


def test_drags_sections_are_under_their_names(run: Terminal) -> None:
    sections = run("ask", QUESTION, "--lang", "fi", "--mode", "drag", "--json").json["sections"]
    assert sections.keys() >= {"extraction", "explanation", "argumentation", "answer"}
    assert all(sections[name] for name in ("extraction", "explanation", "argumentation", "answer"))


def test_on_repetition_every_step_is_cached_and_the_answer_the_same(run: Terminal) -> None:
    words = ("ask", QUESTION, "--lang", "fi", "--k", 4, "--json")
    first, second = run(*words).json, run(*words).json
    # A prompt is composed anew each time; that takes no time.
    assert {step["name"] for step in second["steps"] if not step["cached"]} == {"compose", "read answer"}
    assert {**first, "steps": None} == {**second, "steps": None}


def test_a_recipe_file_gives_the_same_answer_as_its_options(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(recipe_to_yaml(make_recipe({"mode": "crossrag", "scope": "en+ul", "k": 2})), "utf-8")
    by_file = run("ask", QUESTION, "--lang", "fi", "--recipe", path, "--json").json
    by_hand = run("ask", QUESTION, "--lang", "fi", "--mode", "crossrag", "--scope", "en+ul", "--k", 2, "--json").json
    assert {**by_file, "steps": None} == {**by_hand, "steps": None}


def test_an_option_changes_a_single_choice_of_a_recipe(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(recipe_to_yaml(make_recipe({"mode": "crossrag", "k": 2})), "utf-8")
    result = run("ask", QUESTION, "--lang", "fi", "--recipe", path, "--k", 1, "--json").json
    assert (result["mode"], len(result["passages"])) == ("crossrag", 1)
    assert run("ask", QUESTION, "--lang", "fi", "--recipe", path, "--mode", "monorag", "--json").json["scope"] == "ul"


def test_without_json_the_answer_alone_is_on_stdout(run: Terminal) -> None:
    words = ("ask", QUESTION, "--lang", "fi")
    answer = run(*words, "--json").json["answer"]
    result = run(*words)
    assert result.out == f"{answer}\n"
    assert "not a language model" in result.err and "[1]" in result.err


def test_a_departure_from_the_paper_is_reported(run: Terminal) -> None:
    result = run("ask", QUESTION, "--lang", "fi", "--mode", "monorag", "--scope", "en")
    assert "the paper searches the user's language; you search English" in result.err


def test_in_a_new_workspace_stdout_is_json_and_progress_goes_to_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = sample.passages()[:20]
    monkeypatch.setattr(sample, "passages", lambda: few)
    monkeypatch.setattr(sample, "aligned_sentences", lambda: ())
    result = terminal(tmp_path / "new", capsys, monkeypatch)("ask", "Who invented radio?", "--lang", "en", "--json")
    assert result.json["answer"]
    assert "lexical index" in result.err and "dense index" in result.err


def test_as_a_program_it_prints_every_script_whatever_the_terminals_encoding(sample_home: Path) -> None:
    # A prompt that names no language, so that no gloss has to be learnt.
    words = ("ask", "ใครประดิษฐ์วิทยุ", "--lang", "th", "--prompt", "reply-short-en", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *words],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "WORKBENCH_HOME": str(sample_home), "PYTHONIOENCODING": "latin-1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["question"] == "ใครประดิษฐ์วิทยุ"


def test_neighbours_and_a_filter_are_choices_of_the_recipe(run: Terminal) -> None:
    words = ("ask", QUESTION, "--lang", "fi", "--k", 4, "--json")
    plain = run(*words).json
    filtered = run(*words, "--score-percentile", 0.5).json
    assert [item["id"] for item in filtered["passages"]] == [item["id"] for item in plain["passages"][:2]]
    joined = run(*words, "--neighbours", 1, "--neighbour-side", "next").json
    assert all("similarity" in item["scores"] for item in joined["passages"])
    assert [step["name"] for step in joined["steps"]][:3] == ["retrieve", "augment", "rerank"]


def test_where_no_passage_has_the_least_score_the_answer_is_that_none_was_found(run: Terminal) -> None:
    result = run("ask", QUESTION, "--lang", "fi", "--score-threshold", 1e6, "--json").json
    assert result["passages"] == [] and result["answer"] == nothing_retrieved_answer("fi")


def test_an_answer_of_a_language_model_is_printed_from_the_cache_too(run: Terminal) -> None:
    with misbehaving() as server:
        words = ("ask", QUESTION, "--lang", "fi", "--generator", f"openai-like:m@{server.url('well')}")
        assert [run(*words).out, run(*words).out] == ["Paris\n", "Paris\n"]
        assert server.count("well") == 1
