"""What the Home screen shows: what the workbench does, in a picture and a figure, and what the workspace contains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.languages import language
from workbench.ui.parts.badges import hue
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table, text_block
from workbench.workspace import yaml_files

if TYPE_CHECKING:
    from workbench.data import DatasetInfo

MEASURED = Path(__file__).with_name("measured.yaml")
"""The figures that Home states: `python -m benchmarks.scopes` measures and writes them."""
PROMISE = "Ask documents in many languages at once, and see how each answer came about and how good it is."
QUESTIONS = {
    "en": "Who invented photography?",
    "fi": "Kuka keksi valokuvauksen?",
    "zh": "谁发明了摄影术？",
    "th": "ใครเป็นผู้คิดค้นการถ่ายภาพ",
}
DOCUMENTS = {
    "fr": "Nicéphore Niépce est considéré en France comme l’inventeur de la photographie.",
    "pt": "Hercule Florence é considerado no Brasil um inventor independente da fotografia.",
    "ar": "كثيرًا ما يصف الكتّاب الإنجليز ويليام هنري فوكس تالبوت بأنه مخترع التصوير الفوتوغرافي على الورق.",
}
"""Sentences of the sample, by language."""
ANSWER = "It depends on whom you ask: in France Niépce [1], in Brazil Florence [2], among English writers Talbot [3]."


@cache
def measured() -> Mapping[str, Any]:
    """The figures of MEASURED: shares with their 95 % intervals, and how many answers they are of."""
    figures: Mapping[str, Any] = yaml_files.load(MEASURED)
    return figures


def picture() -> Html:
    """What this is for, then a question, documents in several languages and an answer: on a phone, downwards."""
    numbers = enumerate(DOCUMENTS.items(), start=1)
    columns = {
        "You ask in your language": [text_block(text, code, "wb-asked") for code, text in QUESTIONS.items()],
        f"Documents in {measured()['languages']} languages are searched": [
            element("div", escaped(f"[{number}] "), inline(text, code), css="wb-shown", lang=code, hue=hue(code))
            for number, (code, text) in numbers
        ],
        "One answer, with its sources": [text_block(ANSWER, "en", "wb-ask")],
    }
    steps = [element("div", element("div", escaped(title), css="wb-label"), *step) for title, step in columns.items()]
    return joined([element("div", escaped(PROMISE), css="wb-promise"), element("div", *steps, css="wb-picture")])


def result() -> Html:
    """What was measured on the sample, in a sentence and two bars."""
    english, every, n = measured()["english"], measured()["all"], measured()
    sentence = (
        f"English documents alone answer {english['mean']:.0%} of the sample's questions, documents in all languages "
        f"{every['mean']:.0%}: {n['not_in_english']} of its {n['questions']} questions are answered in no English "
        "document."
    )
    small = (
        f"Of the others, English alone answers {n['english_of_the_rest']['mean']:.0%}. Right is an answer in the "
        f"question's language; {n['in_another_language']:.0%} are right in another and count as wrong. "
        f"{n['answers']:,} answers of the built-in reader to {n['questions']} questions in {n['languages']} languages; "
        f"95 % intervals {english['low']:.0%}–{english['high']:.0%} and {every['low']:.0%}–{every['high']:.0%}. "
        f"Measured by benchmarks.scopes, {n['date']}."
    )
    rows = bars({"English alone": english["mean"], "All languages": every["mean"]}, "{:.0%}")
    return element(
        "div", element("div", text_block(sentence), text_block(small, "en", "wb-muted")), rows, css="wb-result"
    )


def bars(values: Mapping[str, float], form: str = "{:,}") -> Html:
    """One bar per name, as long as its value's share of the largest, or of 1 where that is larger; and the value."""
    longest = max(1.0, *values.values())
    rows = [
        (
            escaped(name),
            element("span", element("b", escaped(form.format(value))), css="wb-length", shares=(value / longest,)),
        )
        for name, value in values.items()
    ]
    return element("div", *(joined([element("span", name), bar]) for name, bar in rows), css="wb-bars")


def figures(named: Mapping[str, int | str]) -> Html:
    """Large numbers, or amounts in words, with their names."""
    shown = [
        element(
            "div",
            element("b", escaped(value if isinstance(value, str) else f"{value:,}")),
            escaped(name),
            css="wb-figure",
        )
        for name, value in named.items()
    ]
    return element("div", *shown, css="wb-figures")


def totals(corpora: Mapping[str, Mapping[str, int]], datasets: Sequence[DatasetInfo]) -> str:
    """Counts of what the workspace contains, in a line. Only our words, as it is the label of an expander."""
    counts = {
        "corpus corpora": len(corpora),
        "language languages": len({code for counts in corpora.values() for code in counts}),
        "passage passages": sum(sum(counts.values()) for counts in corpora.values()),
        "dataset datasets": len(datasets),
        "question questions": sum(sum(dataset.languages.values()) for dataset in datasets),
    }
    return " · ".join(f"{count:,} {words.split()[count != 1]}" for words, count in counts.items())


def contents(corpora: Mapping[str, Mapping[str, int]], datasets: Sequence[DatasetInfo]) -> Html:
    """One row per corpus and per dataset: its name, and how many passages or questions it has in each language."""
    counts = [("Corpus", name, "passages", counts) for name, counts in corpora.items()]
    counts += [("Dataset", item.name, "questions", item.languages) for item in datasets]
    rows = [
        [
            joined([escaped(f"{kind} "), inline(name, css="wb-title")]),
            escaped(f"{sum(by_language.values()):,} {noun}"),
            bars({f"{language(code).name} ({code})": count for code, count in by_language.items()}),
        ]
        for kind, name, noun, by_language in counts
    ]
    return table(["Name", "Holds", "By language"], rows, "wb-stacked")
