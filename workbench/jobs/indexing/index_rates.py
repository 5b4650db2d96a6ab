"""How long indexing takes on this machine: the measured pace of each encoder, kept in the workspace.

The pace is in characters per second, since passages differ in length: the next corpus's time follows from its text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.workspace import atomic, detached

if TYPE_CHECKING:
    from workbench.data import Corpus

FILE = "index-rates.json"


def known_rate(home: Path, encoder: str) -> float:
    """Characters per second of the encoder's latest job in this workspace, 0 where there was none."""
    try:
        rate = float(json.loads(_file(home).read_bytes())[encoder])
    except (OSError, ValueError, TypeError, KeyError):
        return 0.0
    return rate if 0 < rate < float("inf") else 0.0


def seconds_for(home: Path, encoder: str, corpus: Corpus) -> float | None:
    """How long indexing all of a corpus takes by the pace known, None where none is."""
    rate = known_rate(home, encoder)
    return corpus.table.characters() / rate if rate else None


def keep_rate(home: Path, encoder: str, rate: float) -> None:
    """Keeps a measured pace for the next estimates: its mean with what was known, as the machine may be busy now."""
    try:
        rates = json.loads(_file(home).read_bytes())
    except (OSError, ValueError):
        rates = {}
    rates = rates if isinstance(rates, dict) else {}
    if known := known_rate(home, encoder):
        rate = (rate + known) / 2
    atomic.write_text(_file(home), json.dumps({**rates, encoder: round(rate, 1)}) + "\n")


def _file(home: Path) -> Path:
    return home / detached.FOLDER / FILE
