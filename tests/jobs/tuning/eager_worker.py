"""The worker of a tuning that checkpoints after each step, and takes a moment until one is complete."""

from __future__ import annotations

import time
from pathlib import Path

from workbench.jobs.tuning import training
from workbench.workspace import write_text
from workbench.workspace.jobs.worker import main


def slowly(path: Path, text: str) -> None:
    """Writes the mark of a complete checkpoint, so late that a kill often comes before."""
    time.sleep(0.6)
    write_text(path, text)


if __name__ == "__main__":
    training.SAVE_SECONDS = 0.0
    vars(training)["write_text"] = slowly
    main()
