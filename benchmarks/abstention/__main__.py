"""Which abstentions of models are recognised: `python -m benchmarks.abstention`.

Over held_out.yaml, own wording in 19 languages without the recogniser's patterns in view: abstentions, answers that
only look like them, and denials of a false premise, which are answers. Prints, by language and for all, the share of
abstentions that `abstains` recognises, and the share of the others that it leaves alone. The languages share their
topics, so the 95 % interval over all is somewhat too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from workbench.metrics.answers.abstention import abstains
from workbench.metrics.statistics.intervals import mean_interval

HELD_OUT = Path(__file__).with_name("held_out.yaml")


def share(hits: Iterable[bool]) -> str:
    """A share with its interval and the number of texts."""
    values = [float(hit) for hit in hits]
    interval = mean_interval(values)
    bounds = f" ({interval.low:.3f}–{interval.high:.3f})" if interval else ""
    return f"{sum(values) / len(values):.3f}{bounds}, n {len(values)}"


def main() -> None:
    """Prints a line for each language and one for all."""
    languages = yaml.safe_load(HELD_OUT.read_text(encoding="utf-8"))
    recognised: list[bool] = []
    left_alone: list[bool] = []
    print("| language | abstentions recognised | others left alone |\n| --- | --- | --- |")
    for code, texts in languages.items():
        others = [*texts["answers"], *(text for denials in texts["denials"].values() for text in denials)]
        right = [abstains(text) for text in texts["abstentions"]], [not abstains(text) for text in others]
        recognised += right[0]
        left_alone += right[1]
        print(f"| {code} | {share(right[0])} | {share(right[1])} |")
    print(f"| all | {share(recognised)} | {share(left_alone)} |")


if __name__ == "__main__":
    main()
