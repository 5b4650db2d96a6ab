"""`serve` as a program: what it says, what it refuses to start with, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import regex

from tests.cli.terminal import Terminal, refused, terminal
from workbench.pipeline.recipe import make_recipe, recipe_to_yaml

ROOT = Path(__file__).parents[2]
KEY = "a-key-of-twenty-chars"


@pytest.fixture
def run(sample_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.delenv("WORKBENCH_SERVE_KEYS", raising=False)
    return terminal(sample_home, capsys, monkeypatch)


def test_it_serves_until_it_is_interrupted_and_answers_as_ask_does(
    sample_home: Path, tmp_path: Path, run: Terminal
) -> None:
    path = tmp_path / "radio-recipe.yaml"
    path.write_text(recipe_to_yaml(make_recipe({"mode": "multirag", "scope": "en+ul", "k": 2})), "utf-8")
    expected = run("ask", "Kuka keksi radion?", "--lang", "fi", "--recipe", path, "--json").json
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "serve", "--recipe", str(path), "--port", "0"],
        cwd=ROOT,
        env={**os.environ, "WORKBENCH_HOME": str(sample_home), "WORKBENCH_SERVE_KEYS": KEY, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stderr is not None
    try:
        messages = ""
        while not (address := regex.search(r"“radio-recipe” is served at (http://[\d.:]+)", messages)):
            line = process.stderr.readline()
            assert line, messages
            messages += line
        body = {"question": "Kuka keksi radion?", "language": "fi"}
        headers = {"Authorization": f"Bearer {KEY}"}
        with httpx.Client(base_url=address[1], timeout=60, trust_env=False) as client:
            assert client.post("/v1/ask", json=body).status_code == 401
            reply = client.post("/v1/ask", json=body, headers=headers).json()
        assert reply["answer"] == expected["answer"]
        assert [item["id"] for item in reply["evidence"]] == [item["id"] for item in expected["passages"]]
        process.send_signal(signal.SIGINT)
        messages += process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.wait(10)
    assert process.returncode == 0, messages
    assert "POST /v1/ask 200 " in messages and "Traceback" not in messages
    assert KEY not in messages and "Kuka" not in messages and str(tmp_path) not in messages


def test_without_keys_it_does_not_listen_for_other_machines(run: Terminal) -> None:
    refused(run("serve", "--recipe", "ranaldi-multirag", "--host", "0.0.0.0"), "WORKBENCH_SERVE_KEYS", "127.0.0.1")


def test_a_recipe_that_does_not_exist_is_refused(run: Terminal, tmp_path: Path) -> None:
    refused(run("serve", "--recipe", tmp_path / "nothing.yaml"), "neither a published recipe", "nor a file")


def test_a_recipe_whose_model_is_not_here_is_refused(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text("reranker: bge-reranker-v2-m3\n", "utf-8")
    refused(run("serve", "--recipe", path), "reranker", "cannot be used", code=1)


def test_a_port_that_is_taken_is_refused(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text("mode: multirag\n", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(run("serve", "--recipe", path, "--port", port), f"port {port}", "--port 8080")


def test_a_limit_out_of_range_is_refused(run: Terminal) -> None:
    refused(run("serve", "--recipe", "ranaldi-multirag", "--workers", "0"), "--workers is 0", "1 to 64")
