"""`python -m benchmarks.journey [--ask] [--list]`: the way of one question through the code, counted.

The default recipe answers a question of the sample once, so that everything is warm, and then another one, which is
watched: by `Workbench.ask`, or with `--ask` by the Ask page from its URL to its HTML. Only the product's own functions
count, each by its first call; with `--list` they are printed.

- rooms: folders of `workbench/` that hold a module of these functions;
- modules: those modules; stays: how often the module changes along the first calls, plus one;
- climbs: pairs of modules of which the lower one calls the higher, by their packages in the order of the layers in
  pyproject.toml: callbacks, validators, protocols that a higher package implements. A library between the two
  (Streamlit, pydantic) is looked through; a generator that is handed down belongs to who reads it;
- records: dataclasses, pydantic models and named tuples of ours that one package passes to another, as an argument or
  as the result, or in a sequence. `carriers` are those among them that carry the question or its answer: that have a
  field `question`, `text`, `answer`, `generation`, `state` or `prompt`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from pydantic import BaseModel

ROOT = Path(__file__).parents[1]
PRODUCT = f"{ROOT / 'workbench'}{os.sep}"
WARM, QUESTION = "Who invented radio?", "Who built the first telescope?"


def layers() -> dict[str, int]:
    """The height of every package: `core` has 0."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rows = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return {name.strip(): height for height, row in enumerate(reversed(rows)) for name in row.split("|")}


@dataclass
class Journey:
    """Own functions by first call, as (module, function), with the climbs and the records on the way."""

    heights: dict[str, int]
    calls: list[tuple[str, str]] = field(default_factory=list)
    climbs: dict[tuple[str, str], str] = field(default_factory=dict)
    records: dict[type, str] = field(default_factory=dict)
    _known: set[CodeType] = field(default_factory=set)

    def watch(self, frame: FrameType, event: str, value: Any) -> None:
        """Fits `sys.setprofile`."""
        if event not in ("call", "return") or not _is_product(frame):
            return
        caller = _caller(frame)
        here, there = _module(frame.f_code), "" if caller is None else _module(caller.f_code)
        if there and _package(here) != _package(there):
            values = list(frame.f_locals.values())[: frame.f_code.co_argcount] if event == "call" else [value]
            for kind in {kind for item in values for kind in _records_in(item)}:
                self.records.setdefault(kind, f"{there} → {here}" if event == "call" else f"{here} → {there}")
        if event == "call" and frame.f_code not in self._known:
            self._known.add(frame.f_code)
            self.calls.append((here, frame.f_code.co_qualname))
            is_higher = bool(there) and self.heights[_package(there)] < self.heights[_package(here)]
            if is_higher and not frame.f_code.co_name.startswith("<"):
                self.climbs.setdefault((there, here), frame.f_code.co_qualname)

    def counts(self) -> dict[str, int]:
        """The figures, by name."""
        modules = [module for module, _ in self.calls]
        stays = sum(first != second for first, second in pairwise(modules)) + 1
        return {
            "functions": len(self.calls),
            "modules": len(set(modules)),
            "stays": stays,
            "rooms": len({module.rpartition(".")[0] for module in modules}),
            "climbs": len(self.climbs),
            "records": len(self.records),
            "carriers": sum(map(_is_carrier, self.records)),
        }


def _is_product(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_filename.startswith(PRODUCT) and code.co_name != "<module>"


def _caller(frame: FrameType) -> FrameType | None:
    """The nearest own function below on the stack."""
    above = frame.f_back
    while above is not None and not _is_product(above):
        above = above.f_back
    return above


def _module(code: CodeType) -> str:
    return code.co_filename.removeprefix(PRODUCT).removesuffix(".py").replace(os.sep, ".")


def _package(module: str) -> str:
    return module.partition(".")[0]


def _records_in(value: Any) -> Iterator[type]:
    items = value[:3] if type(value) in (list, tuple) else [value]
    for item in items:
        kind = type(item)
        fields = dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel) or hasattr(kind, "_fields")
        if fields and kind.__module__.startswith("workbench."):
            yield kind


OF_A_QUESTION = frozenset({"question", "text", "answer", "generation", "state", "prompt"})


def _is_carrier(kind: type) -> bool:
    return not OF_A_QUESTION.isdisjoint(getattr(kind, "__annotations__", {}))


def watched(work: Callable[[], object]) -> Journey:
    """The journey of a piece of work, in threads that it starts as well."""
    journey = Journey(layers())
    threading.setprofile(journey.watch)
    sys.setprofile(journey.watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return journey


def by_workbench() -> Journey:
    """The journey of `Workbench.ask`."""
    from workbench.app import Workbench
    from workbench.pipeline import Recipe

    workbench = Workbench()
    workbench.ask(WARM, "en", Recipe())
    return watched(lambda: workbench.ask(QUESTION, "en", Recipe()))


def by_page() -> Journey:
    """The journey of a question in the URL of the Ask page."""
    from streamlit.testing.v1 import AppTest

    def page(question: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        test.run()
        test.switch_page("pages/ask.py")
        test.query_params.update({"q": question, "lang": "en", "ask": "1"})
        return test

    page(WARM).run()
    second = page(QUESTION)
    return watched(second.run)


def main() -> None:
    """Prints the counts as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ask", action="store_true", help="through the Ask page")
    parser.add_argument("--list", action="store_true", help="print functions, climbs and records as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WORKBENCH_HOME"] = folder
        journey = by_page() if options.ask else by_workbench()
    if options.list:
        for module, function in journey.calls:
            print(module, function)
        print("\nclimbs", *(f"{low} → {high} {name}" for (low, high), name in journey.climbs.items()), "", sep="\n")
        for kind, way in journey.records.items():
            print("carries" if _is_carrier(kind) else "       ", kind.__name__, way)
        print("\nrooms", *sorted({module.rpartition(".")[0] for module, _ in journey.calls}), "", sep="\n")
    print(json.dumps(journey.counts(), indent=2))


if __name__ == "__main__":
    main()
