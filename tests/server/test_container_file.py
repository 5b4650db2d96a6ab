"""The Containerfile copies what exists and no secrets, runs without root, and checks the service's health."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import regex

from tests.server.running import RunningService

ROOT = Path(__file__).parents[2]
TEXT = regex.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text(encoding="utf-8"))
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]


def values(instruction: str) -> list[str]:
    return [line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")]


def test_it_is_built_on_the_plain_image_of_the_python_that_is_needed() -> None:
    assert values("FROM") == ["python:3.11-slim"]


def test_it_copies_what_exists_and_the_ignore_file_lets_that_through() -> None:
    sources = [source for line in values("COPY") for source in line.split()[:-1]]
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {"workbench", "app.py", "pages", "requirements.txt"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists() or f"!{source}" not in allowed] == []
    assert "secrets" not in " ".join(sources) and "." not in sources


def test_it_does_not_run_as_root() -> None:
    assert values("USER") == ["workbench"]
    places = [LINES.index(line) for line in LINES if line.startswith(("USER ", "ENTRYPOINT ", "CMD "))]
    assert places == sorted(places)


def test_its_command_is_a_verb_of_the_program_which_asks_for_keys() -> None:
    words = [*json.loads(values("ENTRYPOINT")[0]), *json.loads(values("CMD")[0])]
    environment = {name: value for name, value in os.environ.items() if name != "WORKBENCH_SERVE_KEYS"}
    done = subprocess.run(
        [sys.executable, *words[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "WORKBENCH_SERVE_KEYS" in done.stderr


def test_its_health_check_passes_on_a_service_and_fails_without_one(service: RunningService) -> None:
    command = json.loads(values("HEALTHCHECK")[0].partition("CMD ")[2])

    def check(url: str) -> int:
        environment = {**os.environ, "WORKBENCH_HEALTH": url, "no_proxy": "127.0.0.1"}
        return subprocess.run([sys.executable, *command[1:]], env=environment, capture_output=True).returncode

    assert check(f"{service.url}/health") == 0
    assert check(f"{service.url}/nothing") != 0
