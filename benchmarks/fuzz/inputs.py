"""Inputs of every kind, many thousands, read in processes that outlive an input: seeded, resumable, within bounds.

    python -m benchmarks.fuzz.inputs --files 5000 --calls 7000 --out inputs.jsonl     the whole, about half an hour
    python -m benchmarks.fuzz.inputs --only tours --out inputs.jsonl                  one kind
    python -m benchmarks.fuzz.inputs --again --out inputs.jsonl                       what failed, once more

Each input is made from the seed, its kind and its number alone, so any can be made again. A process reads up to 250 of
one kind; one that hangs or falls is ended, its input counted, and the next process goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fuzz.call_kinds import CALL_KINDS
from benchmarks.fuzz.file_kinds import FILE_KINDS, Kind
from benchmarks.fuzz.harness import preload
from benchmarks.fuzz.workspace import Template, build

AT_ONCE = 250
LIMIT = 120.0
"""Seconds of one input after which its process is ended; what counts as slow is less."""
SLOW = 20.0
PREPARATION = 300.0
BAD = ("exception", "hang", "died")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--calls", type=int, default=7_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="a line of JSON per input; those in it are done")
    parser.add_argument("--only", action="append", help="the start of a kind's name")
    parser.add_argument("--workspace", type=Path, help="an empty or built one, which is kept for the next time")
    parser.add_argument("--again", action="store_true", help="run what failed once more")
    options = parser.parse_args()
    os.environ.pop("WORKBENCH_DATABASE_URL", None)
    done = _lines(options.out)
    if options.again:
        done = [line for line in done if line["end"] not in BAD]
        options.out.write_text("".join(json.dumps(line) + "\n" for line in done), encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        preload()
        template = _workspace((options.workspace or Path(name)).resolve())
        for kinds, total in ((FILE_KINDS, options.files), (CALL_KINDS, options.calls)):
            shares = sum(kind.share for kind in kinds)
            for kind in kinds:
                if options.only and not kind.name.startswith(tuple(options.only)):
                    continue
                had = {line["number"] for line in done if line["kind"] == kind.name}
                numbers = [number for number in range(round(total * kind.share / shares)) if number not in had]
                for line in _spread(kind, numbers, template, Path(name), options.seed):
                    with options.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")
                _print(kind.name, _lines(options.out))
    print(summary(_lines(options.out)))


def _workspace(folder: Path) -> Template:
    note = folder / "experiment"
    if not note.exists():
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(build(folder).experiment, encoding="utf-8")
    return Template(folder / "template", note.read_text(encoding="utf-8"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _spread(kind: Kind, numbers: list[int], template: Template, folder: Path, seed: int) -> Iterator[dict[str, Any]]:
    """What became of each input, by processes that begin where the one before ended."""
    while numbers:
        batch = numbers[:AT_ONCE]
        place = folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        lines = 0
        for line in _process(kind, batch, template, place, seed):
            lines += 1
            yield {"kind": kind.name, **line}
        if not lines:
            raise RuntimeError(f"The process for {kind.name} was not ready within {PREPARATION:.0f} s.")
        numbers = numbers[lines:]


def _process(kind: Kind, numbers: list[int], template: Template, place: Path, seed: int) -> Iterator[dict[str, Any]]:
    reading, writing = os.pipe()

    def work() -> None:
        os.setsid()
        os.close(reading)
        os.environ["WORKBENCH_HOME"] = str(place / "workspace")
        working = place / "folder" / "working"
        working.mkdir(parents=True)
        os.chdir(working)  # an input may name a file to write, as “../..” at the most
        with open(writing, "w", encoding="utf-8") as output, open(os.devnull, "w") as nothing:  # noqa: PTH123
            os.dup2(nothing.fileno(), 1)
            try:
                attempt = kind.prepare(template, place / "kind")
            except BaseException:
                print(json.dumps({"failed": traceback.format_exc()}), file=output, flush=True)
                raise
            print(json.dumps({"ready": True}), file=output, flush=True)
            for number in numbers:
                print(json.dumps(_one(attempt, kind, number, seed)), file=output, flush=True)
            output.flush()
            os.killpg(0, signal.SIGKILL)  # a service's threads and readers' processes end with it

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    os.close(writing)
    with open(reading, "rb", buffering=0) as source:  # noqa: PTH123
        waiting, buffer, limit, began = list(numbers), b"", PREPARATION, time.monotonic()
        while waiting:
            ready, _, _ = select.select([source], [], [], max(0.0, limit - (time.monotonic() - began)))
            piece = source.read(1 << 16) if ready else b""
            if not piece:
                break
            *texts, buffer = (buffer + piece).split(b"\n")
            for line in map(json.loads, texts):
                if "failed" in line:
                    raise RuntimeError(f"The process for {kind.name} could not be prepared: {line['failed']}")
                began, limit = time.monotonic(), LIMIT
                if "ready" not in line:
                    waiting.pop(0)
                    yield line
        if waiting and limit == LIMIT:
            seconds = time.monotonic() - began
            yield {"number": waiting[0], "end": "hang" if seconds >= LIMIT else "died", "seconds": seconds}
    with suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.join()


def _one(attempt: Any, kind: Kind, number: int, seed: int) -> dict[str, Any]:
    from workbench.cli.last_resort import _is_half_a_character
    from workbench.core import WorkbenchError

    random, began, words = Random(f"{seed} {kind.name} {number}"), time.monotonic(), ""
    try:
        words, end = attempt(random), "accepted"
    except WorkbenchError as error:
        words, end = str(error)[:200], "refused"
    except OSError as error:  # the command line's sentence for the system's refusal, as of a name that is too long
        words, end = f"{error}"[:200], "refused by the system"
    except BaseException as error:  # what compiled packages raise need not be an Exception
        words, end = "".join(traceback.format_exception(error))[-3_000:], "exception"
        if _is_half_a_character(error):
            end = "refused"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"number": number, "end": end, "words": words, "seconds": time.monotonic() - began, "mb": round(peak)}


def summary(lines: Iterable[dict[str, Any]]) -> str:
    """A table: each kind with its number of inputs, how they ended, the longest and the most memory."""
    rows = ["| kind | inputs | accepted | refused | exceptions | fell | hung | over 20 s | longest | memory |"]
    rows.append("| --- |" + " ---: |" * 9)
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_kind.setdefault(line["kind"], []).append(line)
    everything = [line for of_kind in by_kind.values() for line in of_kind]
    for kind, items in [*by_kind.items(), ("all", everything)]:
        ends = Counter(item["end"] for item in items)
        slow = sum(item["seconds"] > SLOW for item in items)
        longest, most = max(item["seconds"] for item in items), max(item.get("mb", 0) for item in items)
        refused = ends["refused"] + ends["refused by the system"]
        figures = (len(items), ends["accepted"], refused, *(ends[name] for name in ("exception", "died", "hang")), slow)
        rows.append(f"| {kind} | {' | '.join(f'{n:,}' for n in figures)} | {longest:.1f} s | {most:,} MB |")
    return "\n".join(rows)


def _print(name: str, lines: list[dict[str, Any]]) -> None:
    mine = [line for line in lines if line["kind"] == name]
    if mine:
        print(summary(mine).splitlines()[2], flush=True)
    for line in [line for line in mine if line["end"] in BAD or line["seconds"] > SLOW][:40]:
        print(
            f"  {line['number']}: {line['end']}, {line['seconds']:.1f} s, {line.get('words', '')[-400:]!r}", flush=True
        )


if __name__ == "__main__":
    main()
