"""SQuAD-format files of our own, small enough to be built within a test."""

from __future__ import annotations

import json
from pathlib import Path

ENGLISH = [
    (
        "The ferry to Suomenlinna leaves from the market square.",
        "Where does the ferry leave from?",
        "the market square",
    ),
    ("Line six of the tram ends at Arabia.", "Where does line six end?", "Arabia"),
    ("The airport train runs every ten minutes.", "How often does the airport train run?", "every ten minutes"),
]
FINNISH = [
    ("Lautta Suomenlinnaan lähtee kauppatorilta.", "Mistä lautta lähtee?", "kauppatorilta"),
    ("Raitiovaunulinja kuusi päättyy Arabiaan.", "Mihin linja kuusi päättyy?", "Arabiaan"),
    (
        "Lentokenttäjuna kulkee kymmenen minuutin välein.",
        "Kuinka usein lentokenttäjuna kulkee?",
        "kymmenen minuutin välein",
    ),
]


def squad(folder: Path, name: str, rows: list[tuple[str, str, str]]) -> Path:
    """Writes one article of one-question paragraphs to `folder`/`name`; question ids are q0, q1 …"""
    paragraphs = [
        {
            "context": text,
            "qas": [{"id": f"q{n}", "question": question, "answers": [{"text": gold, "answer_start": 0}]}],
        }
        for n, (text, question, gold) in enumerate(rows)
    ]
    path = folder / name
    path.write_text(json.dumps({"version": "1.1", "data": [{"title": "Helsinki", "paragraphs": paragraphs}]}), "utf-8")
    return path
