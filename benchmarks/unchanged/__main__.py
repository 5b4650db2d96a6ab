"""`python -m benchmarks.unchanged record FOLDER` before a change, `… compare FOLDER` after it.

Both make the same requests by the command line: 300 questions under random recipes, 40 retrievals over the sample, one
experiment with its exports, and the scores of a file of answers. `record` stores the replies, `compare` makes them
again. Everything must be equal except timings, and the identifiers and dates that are new for every experiment.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from typer.testing import CliRunner

from benchmarks.unchanged.requests import EXPERIMENT, METRICS, ask_requests, retrieve_requests
from workbench.cli.command_line import app

ASKED, RETRIEVED = 300, 40
TIMINGS = frozenset({"seconds", "created", "started", "ends", "heartbeat", "pid", "cached"})
IDENTIFIERS = frozenset({"id", "experiment", "job", "answer"})
RECORD = "record.json"


@contextmanager
def workspace(folder: Path) -> Iterator[None]:
    """Makes `folder` the workspace of the command line."""
    os.environ["WORKBENCH_HOME"] = str(folder)
    try:
        yield
    finally:
        del os.environ["WORKBENCH_HOME"]


def call(*arguments: str) -> dict[str, Any]:
    """The exit code of one command, and its JSON or text where it succeeded; failures are compared by kind alone."""
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return {"error": type(result.exception).__name__, "message": str(result.exception)}
    text = result.stdout
    try:
        reply: Any = json.loads(text)
    except ValueError:
        reply = text
    return {"code": result.exit_code, "reply": reply}


def ask_all(folder: Path) -> list[dict[str, Any]]:
    """The replies of `ask --json`."""
    replies = []
    for number, request in enumerate(ask_requests(ASKED)):
        recipe = folder / "recipe.yaml"
        recipe.write_text(yaml.safe_dump(request.recipe), encoding="utf-8")
        replies.append(call("ask", request.question, "--lang", request.language, "--recipe", str(recipe), "--json"))
        if number % 50 == 49:
            print(f"asked {number + 1}", file=sys.stderr)
    return replies


def score(replies: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """The scores of a file with these answers."""
    rows = [reply["reply"] for reply in replies if "reply" in reply][:200]
    answers = folder / "answers.jsonl"
    lines = [
        {
            "id": str(number),
            "prediction": row["answer"],
            "answers": [row["passages"][0]["title"] if row["passages"] else "Radio"],
            "language": row["language"],
        }
        for number, row in enumerate(rows)
    ]
    answers.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return call("score", str(answers), "--metrics", METRICS, "--json")


def read_results(experiment_id: str, folder: Path) -> dict[str, Any]:
    """An experiment as `runs show`, `runs compare` and every export report it."""
    results: dict[str, Any] = {"show": call("runs", "show", experiment_id, "--json")}
    results["compare"] = call(
        *("runs", "compare", experiment_id, "--metric", "char3_recall", "--what", "mode"),
        *("--first", "monorag", "--second", "crossrag", "--json"),
    )
    for kind, suffix in (("csv", "csv"), ("jsonl", "jsonl"), ("trec-run", "run"), ("trec-qrels", "qrels")):
        place = folder / f"results.{suffix}"
        call("runs", "export", experiment_id, "--out", str(place), "--format", kind)
        text = place.read_text(encoding="utf-8-sig").replace(experiment_id, "EXPERIMENT")
        if kind == "jsonl":
            results[kind] = [json.loads(line) for line in text.splitlines()]
        elif kind == "csv":
            results[kind] = list(csv.DictReader(text.splitlines()))
        else:
            results[kind] = text.splitlines()
    return results


def run_experiment(folder: Path) -> dict[str, Any]:
    """A small matrix run to its end, in a separate process as always."""
    place = folder / "experiment.yaml"
    place.write_text(EXPERIMENT, encoding="utf-8")
    plan = call("run", str(place), "--plan", "--json")
    experiment_id = call("run", str(place), "--json")["reply"]["experiment"]
    return {"plan": plan, "results": read_results(experiment_id, folder)}


def observe(home: Path) -> dict[str, Any]:
    """Every request made once in the workspace `home`."""
    with tempfile.TemporaryDirectory() as path, workspace(home):
        folder = Path(path)
        began = time.monotonic()
        answers = ask_all(folder)
        print(f"{len(answers)} questions in {time.monotonic() - began:.0f} s", file=sys.stderr)
        retrieved = [
            call("retrieve", "--corpus", "sample", "--dataset", "sample", *options, "--json")
            for options in retrieve_requests(RETRIEVED)
        ]
        print(f"{len(retrieved)} retrievals at {time.monotonic() - began:.0f} s", file=sys.stderr)
        return {
            "ask": answers,
            "retrieve": retrieved,
            "score": score(answers, folder),
            "experiment": run_experiment(folder),
        }


def plain(value: Any, name: str = "") -> Any:
    """`value` without what is new in every run."""
    if isinstance(value, dict):
        return {key: plain(item, key) for key, item in value.items() if key not in TIMINGS | {"identity", "message"}}
    if isinstance(value, list):
        return [plain(item, name) for item in value]
    return "…" if name in IDENTIFIERS and not _is_passage(value) else value


def _is_passage(value: Any) -> bool:
    """Passages have ids too, which must stay; those of experiments, jobs and answers are numbers or 12 digits."""
    return isinstance(value, str) and not (len(value) == 12 and all(letter in "0123456789abcdef" for letter in value))


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Where two observations differ, one line per difference."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            if key not in before or key not in after:
                yield f"{place}/{key}: only {'after' if key not in before else 'before'}"
            else:
                yield from differences(before[key], after[key], f"{place}/{key}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{place}: {len(before)} before, {len(after)} after"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{place}/{number}")
    elif before != after:
        yield f"{place}: {str(before)[:120]!r} before, {str(after)[:120]!r} after"


def main() -> None:
    """Records into a folder, or compares with one; exits with 1 where anything differs."""
    verb, folder = sys.argv[1], Path(sys.argv[2])
    if verb == "record":
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as home:
            record = observe(Path(home))
        (folder / RECORD).write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
        return
    before = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as home:
        after = json.loads(json.dumps(observe(Path(home))))
    changes = list(differences(plain(before), plain(after)))
    for line in changes[:40]:
        print(line)
    cells = len(before["experiment"]["results"]["jsonl"])
    print(
        f"{ASKED} answers, {RETRIEVED} retrievals, {cells} cells of an experiment, scores: {len(changes)} differences."
    )
    sys.exit(1 if changes else 0)


if __name__ == "__main__":
    main()
