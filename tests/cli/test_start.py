"""The command line starts without anything heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = {
    "torch",
    "transformers",
    "FlagEmbedding",
    "faiss",
    "tantivy",
    "sklearn",
    "streamlit",
    "fastapi",
    "prometheus_client",
    "scipy",
    "nltk",
    "pyarrow",
}


def test_importing_the_command_line_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import workbench.cli.command_line"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "workbench" in imported
    assert not imported & HEAVY


def test_asking_for_help_lists_every_verb() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "--help"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    for verb in ("ask", "retrieve", "import", "corpora", "datasets", "doctor", "prepare"):
        assert verb in done.stdout
