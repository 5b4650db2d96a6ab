"""Pairs per second of character 3-gram recall and flexible exact match, compared with their plain definitions.

`python -m benchmarks.metrics`. One core, processor time, the best of several rounds. Short answers have 25 characters,
long ones 800; golds have 25. Golds are either all different, so nothing is cached from one pair to the next, or met
before, as when several recipes answer the same questions. First checks that fast and plain agree on the same pairs and
on random texts full of edge cases. Prints a table and writes results.json next to this file (or to --out).
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import string
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.reference import plain
from tests.reference.texts import pairs
from workbench.languages.catalogue import language
from workbench.metrics.answers import char3_recall, flexible_em

ROUNDS = 5
CHECKED = 10_000
TARGETS = {"short": 100_000, "long": 20_000}
LENGTHS = {"short": (25, 20_000), "long": (800, 4_000)}
"""Characters of an answer, and how many pairs."""
EN = language("en")
COMMON = (
    *(
        "the",
        "a",
        "river",
        "was",
        "built",
        "in",
        "of",
        "London",
        "Tower",
        "by",
        "which",
        "and",
        "an",
        "1895,",
        "radio.",
        "Marconi",
    ),
)

Pair = tuple[str, list[str]]
Metric = Callable[[str, list[str]], object]

FAST: dict[str, Metric] = {
    "char3_recall_paper": char3_recall.char3_recall_paper,
    "char3_recall": lambda answer, golds: char3_recall.char3_recall(answer, golds, language=EN),
    "flexible_em": lambda answer, golds: flexible_em.flexible_em(answer, golds, language=EN),
    "flexible_em_paper": flexible_em.flexible_em_paper,
}
PLAIN: dict[str, Metric] = {
    "char3_recall_paper": plain.char3_recall_paper,
    "char3_recall": lambda answer, golds: plain.char3_recall(answer, golds, "en"),
    "flexible_em": lambda answer, golds: plain.flexible_em(answer, golds, "en"),
    "flexible_em_paper": plain.flexible_em_paper,
}
CACHES = (char3_recall._gold_grams, char3_recall._gold_grams_paper, flexible_em._forms, flexible_em.gold_form)


def text(generator: random.Random, length: int) -> str:
    """Common and random words, cut at `length` characters."""
    words = ""
    while len(words) < length:
        word = "".join(generator.choices(string.ascii_lowercase, k=generator.randint(2, 9)))
        words += f"{generator.choice((word, generator.choice(COMMON)))} "
    return words[:length]


def clear_caches() -> None:
    """Empties the caches of golds."""
    for cached in CACHES:
        cached.cache_clear()


def rate(metric: Metric, items: Sequence[Pair], *, fresh: bool) -> float:
    """Pairs per second of processor time, best of the rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        if fresh:
            clear_caches()
        started = time.process_time()
        for answer, golds in items:
            metric(answer, golds)
        best = min(best, time.process_time() - started)
    return len(items) / best


def agree(items: Sequence[Pair]) -> None:
    """Raises AssertionError where fast and plain differ."""
    for name, metric in FAST.items():
        for answer, golds in items:
            value, expected = metric(answer, golds).value, PLAIN[name](answer, golds)  # type: ignore[attr-defined]
            assert value == expected, (name, answer, golds, value, expected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    out = parser.parse_args().out
    agree(pairs(CHECKED, seed=17))
    rows = []
    for size, (length, number) in LENGTHS.items():
        generator = random.Random(length)
        items = [(text(generator, length), [text(generator, 25)]) for _ in range(number)]
        agree(items[:1_000])
        for name, metric in FAST.items():
            rows.append(
                {
                    "metric": name,
                    "answers": size,
                    "golds all different": round(rate(metric, items, fresh=True)),
                    "golds met before": round(rate(metric, items, fresh=False)),
                    "plain definition": round(rate(PLAIN[name], items[: number // 10], fresh=False)),
                    "wanted": TARGETS[size],
                }
            )
    heads = list(rows[0])
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    for row in rows:
        print(
            "| " + " | ".join(f"{value:,}" if isinstance(value, int) else str(value) for value in row.values()) + " |"
        )
    print(f"Fast and plain agree on {CHECKED:,} random pairs and on the timed ones that were compared.")
    machine = f"{platform.machine()}, Python {platform.python_version()}, one core"
    out.write_text(json.dumps({"machine": machine, "pairs a second": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
