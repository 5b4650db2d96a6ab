"""Two small files, by `corpora add` and `ask` alone: python -m benchmarks.reader.two_files

For each of 13 languages a fresh workspace gets a file in another language that has the answer and one in the question's
own that has another one. Right is an answer that has the year asked for and not the other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import yaml

ASKED, OTHER = "1990", "1975"


def answer(folder: Path, language: str, other: str, texts: tuple[str, str], question: str) -> str:
    """What the command line answers over the two files."""
    environment = {**os.environ, "WORKBENCH_HOME": str(folder / "home")}
    names = (folder / f"tampere.{other}.txt", folder / f"lyon.{language}.txt")
    for path, text in zip(names, texts, strict=True):
        path.write_text(text, encoding="utf-8")

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "workbench", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else f"{done.stdout}{done.stderr}"

    run("corpora", "add", "halls", *map(str, names))
    return run("ask", question, "--corpus", "halls", "--lang", language)


def main() -> None:
    """Prints each answer and how many are right."""
    cases = yaml.safe_load(files("benchmarks.reader").joinpath("two_files.yaml").read_text(encoding="utf-8"))
    right = 0
    for language, (other, first, second, question) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            text = answer(Path(folder), language, other, (first, second), question)
        is_right = ASKED in text and OTHER not in text.split("\n")[0]
        right += is_right
        print(f"{language} {'right' if is_right else 'WRONG'}: {' | '.join(text.splitlines()[:3])}", flush=True)
    print(f"{right} of {len(cases)}")


if __name__ == "__main__":
    main()
