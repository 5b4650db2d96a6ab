"""Which abstentions and denials of models are recognised: `python -m benchmarks.abstention`.

Over held_out.yaml, own wording in 19 languages by another hand than the texts that were learnt from. Prints, by
language and for all, the share of abstentions that `abstains` recognises, the share of other texts that it leaves
alone, and, of answers to the sample's four questions with a false premise the share of denials that count as right and
of acceptances that count as wrong. The languages share their topics, so the 95 % intervals over all are somewhat too
narrow. Then how many of the sample's golds that were not learnt from are left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from benchmarks.abstention.learn import golds, labelled, premises, read
from workbench.metrics.answers.abstention import abstains, denies
from workbench.metrics.statistics.intervals import mean_interval


def share(hits: Sequence[bool]) -> str:
    """A share with its interval and the number of texts."""
    values = [float(hit) for hit in hits]
    interval = mean_interval(values)
    bounds = f" ({interval.low:.3f}–{interval.high:.3f})" if interval else ""
    return f"{sum(values) / len(values):.3f}{bounds}, n {len(values)}"


def main() -> None:
    """Prints a line for each language and one for all."""
    print("| language | abstentions recognised | others left alone | denials right | acceptances wrong |")
    print("| --- | --- | --- | --- | --- |")
    columns: defaultdict[tuple[str, bool], list[bool]] = defaultdict(list)
    for code, texts in read("held_out.yaml").items():
        mine: defaultdict[tuple[str, bool], list[bool]] = defaultdict(list)
        for text, label in labelled({code: texts}):
            mine["abstains", label].append(abstains(text) is label)
        for text, denial, _ in premises({code: texts}):
            mine["denies", denial].append(bool(abstains(text) or denies(text)) is denial)
        for column, hits in mine.items():
            columns[column] += hits
        print(f"| {code} | {' | '.join(f'{sum(hits) / len(hits):.3f}' for hits in mine.values())} |")
    print(f"| all | {' | '.join(share(hits) for hits in columns.values())} |")
    unseen = set(golds(1)) - set(golds(0))
    print(f"\nGolds of the sample left alone: {share([abstains(gold) is False for gold in unseen])}")


if __name__ == "__main__":
    main()
