"""What a corpus of 13 Wikipedias takes, worked out from measured rates: `python -m benchmarks.dense.sizing`.

Passages are those of MIRACL's corpora (Zhang et al. 2023, Table 1); for the three languages that it lacks, articles
times its mean of passages per article. Rates are options, with what was measured as default; `--price` is what an hour
of the machine costs, in any currency, 0 to leave the price out. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

PER_ARTICLE = 90_416_887 / 16_909_473
"""Passages per article in MIRACL's 16 languages."""
PASSAGES = {
    "en": 32_893_221,
    "fr": 14_636_953,
    "es": 10_373_953,
    "ru": 9_543_918,
    "ja": 6_953_614,
    "zh": 4_934_368,
    "ar": 2_061_414,
    "fi": 1_883_509,
    "ko": 1_486_752,
    "th": 542_166,
}
ARTICLES = {"de": 2_665_357, "it": 1_900_000, "pt": 1_103_446}
"""In the data sets `wikipedia` (20220301.de) and `wikipedia-ptbr-20230601` on the hub; Italian: 3 % of 64.3 million."""

ROW_AND_ID = 40
"""Bytes of a passage's row and id beside its vector, with ids of 32 bytes."""
BITS_MORE = 8
"""Bytes of a vector's code besides one bit for each number."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What was measured, per second and million. `price` is that of an hour."""

    dimensions: int
    passages_per_second: float
    dense_seconds: float
    lexical_seconds: float
    lexical_mb: float
    price: float


def passages_by_language() -> dict[str, int]:
    """Passages by language, most first.

    >>> sum(passages_by_language().values())
    115621606
    """
    counts = PASSAGES | {code: round(articles * PER_ARTICLE) for code, articles in ARTICLES.items()}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def vector_gb(passages: int, dimensions: int) -> float:
    """The vectors on disk, with rows and ids, in GB.

    >>> round(vector_gb(1_000_000, 1024), 3)
    4.136
    """
    return passages * (4 * dimensions + ROW_AND_ID) / 1e9


def memory_gb(passages: int, dimensions: int) -> float:
    """What a process that searches holds, in GB.

    >>> memory_gb(1_000_000, 1024)
    0.136
    """
    return passages * (dimensions / 8 + BITS_MORE) / 1e9


def row(name: str, passages: int, rates: Rates) -> str:
    """A line of the table."""
    millions = passages / 1e6
    encoding = passages / rates.passages_per_second / 3600
    building = millions * (rates.dense_seconds + rates.lexical_seconds) / 3600
    price = f" {(encoding + building) * rates.price:,.0f} |" if rates.price else ""
    return (
        f"| {name} | {millions:,.1f} | {vector_gb(passages, rates.dimensions):,.0f} "
        f"| {memory_gb(passages, rates.dimensions):,.1f} | {millions * rates.lexical_mb / 1000:,.1f} "
        f"| {encoding:,.0f} | {building:,.1f} |{price}"
    )


def main() -> int:
    """Reads the rates and prints the table, a line for each language and one for all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dense.sizing", description=__doc__)
    parser.add_argument("--dimensions", type=int, default=1_024)
    parser.add_argument("--passages-per-second", type=float, default=1_000, help="of the encoder on your machine")
    parser.add_argument("--dense-seconds", type=float, default=75, help="writing a million vectors and their bits")
    parser.add_argument("--lexical-seconds", type=float, default=56, help="indexing the words of a million passages")
    parser.add_argument("--lexical-mb", type=float, default=201, help="those indexes on disk, per million")
    parser.add_argument("--price", type=float, default=0, help="of an hour of the machine")
    arguments = parser.parse_args()
    if min(arguments.dimensions, arguments.passages_per_second) <= 0:
        parser.error("--dimensions and --passages-per-second must be above 0")
    rates = Rates(**vars(arguments))
    price = " price |" if rates.price else ""
    print("| language | million passages | vectors, GB | memory, GB | words, GB | encoding, h | indexes, h |" + price)
    print("| --- " * (8 if rates.price else 7) + "|")
    counts = passages_by_language()
    for name, passages in counts.items():
        print(row(name, passages, rates))
    print(row("all 13", sum(counts.values()), rates))
    return 0


if __name__ == "__main__":
    sys.exit(main())
