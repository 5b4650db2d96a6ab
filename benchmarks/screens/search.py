"""The small search over the sample that the screenshot of Optimise shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.screens.running import ROOT, environment
from workbench.optimise.search_store import SearchJobs
from workbench.optimise.space.space_files import FORM
from workbench.workspace.settings import load

SPACE = FORM.make(
    {
        "name": "Retrieval on the sample",
        "languages": ["en", "ar", "zh", "th", "fi", "ko"],
        "questions": 20,
        "objective": "char3_recall",
        "recipe": {
            "prompt": "reply-short-en",
            "corpus": "sample",
            "encoder": "builtin",
            "generator": "extractive",
            "translator": "builtin",
        },
        "nodes": [
            {
                "node": "mode",
                "modules": [
                    {"name": "monoRAG", "values": {"mode": "monorag", "scope": "ul"}},
                    {"name": "MultiRAG", "values": {"mode": "multirag", "scope": ["en+ul", "all"]}},
                ],
            },
            {
                "node": "retrieval",
                "modules": [
                    {"name": "BM25", "values": {"retriever": "lexical"}},
                    {"name": "RRF", "values": {"retriever": "rrf", "rrf_k": [10, 60]}},
                    {"name": "dense", "values": {"retriever": "dense"}},
                ],
            },
            {"node": "reranker", "modules": [{"name": "no reranker", "values": {"reranker": "pass", "k": [3, 5, 10]}}]},
        ],
    }
)
"""Thirty-six recipes on 120 questions."""


def run(home: Path, folder: Path) -> str:
    """Runs it in the workspace `home`, unless that has it already; its id. Its file is written into `folder`."""
    if not (search_id := _search_id(home)):
        file = folder / "space.yaml"
        file.write_text(FORM.write(SPACE, ("A small space.",)), encoding="utf-8")
        verb = ["optimise", "start", str(file), "--strategy", "exhaustive", "--pilot", "0", "--yes"]
        subprocess.run([sys.executable, "-m", "workbench", *verb], cwd=ROOT, env=environment(home), check=True)
        search_id = _search_id(home)
    return search_id


def _search_id(home: Path) -> str:
    return next((row.id for row in SearchJobs(load(home)).statuses() if row.name == SPACE.name), "")
