"""What tuning smollm2 on demonstrations of the sample changes: `python -m benchmarks.tuning DIR STAGE …`.

`prepare` writes the demonstrations and the held-out questions (needs a workspace; DIR is new), `run` tunes and answers
(needs the base's folder; resumes where it was), `report` scores the answers and draws the charts.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.tuning.runs import DEMONSTRATIONS, HOLDOUT, RUNS, run
from workbench.models import find_model


def prepare(folder: Path) -> None:
    """Writes the demonstrations and the held-out questions."""
    from benchmarks.tuning.sample_demonstrations import material
    from workbench.app.workbench import Workbench
    from workbench.jobs.demonstrations.demonstration_file import write_demonstrations

    folder.mkdir(parents=True, exist_ok=True)
    demonstrations, questions = material(Workbench())
    (folder / DEMONSTRATIONS).write_text(write_demonstrations(demonstrations), encoding="utf-8")
    text = json.dumps([asdict(item) for item in questions], indent=1, ensure_ascii=False)
    (folder / HOLDOUT).write_text(text, encoding="utf-8")
    kinds = [item.kind for item in demonstrations]
    topics = {item.topic for item in questions}
    print(f"{kinds.count('drag')} demonstrations of D-RAG, {kinds.count('rag')} of plain RAG")
    count = len({item.question for item in questions})
    print(f"{count} held-out questions of {len(topics)} other topics, {len(questions)} prompts")


def main() -> None:
    """Does one stage."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("stage", choices=("prepare", "run", "report"))
    parser.add_argument("--base", type=Path, help="the folder of smollm2's checkpoint; by default the downloaded one")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--only", nargs="+", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--label", default="", help="a folder for a run on another machine")
    parser.add_argument("--tune-only", action="store_true", help="leave the answers for later, or for another device")
    options = parser.parse_args()
    if options.stage == "prepare":
        prepare(options.folder)
    elif options.stage == "run":
        base = options.base or find_model("smollm2").folder
        for name in options.only:
            run(name, options.folder, base, options.device, options.label, answers=not options.tune_only)
    else:
        from benchmarks.tuning.scoring import report

        report(options.folder)


if __name__ == "__main__":
    main()
