"""Is a mention taken for a claim? python -m benchmarks.reader.mentions

Own questions over own documents (mentions.yaml), in 14 languages: each question in three languages, over its documents
in each of them. A claim is a sentence that D-RAG's Extraction quotes. The figures are of every second topic; what
decides was chosen on the others.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from itertools import product
from pathlib import Path
from unittest.mock import patch

import yaml

from workbench.components.factory import late_interaction
from workbench.core.records import Evidence, Passage, Prompt, Task
from workbench.languages.catalogue import language
from workbench.models.translation.builtin_translator import BuiltinTranslator
from workbench.models.translation.translation_memory import TranslationMemory
from workbench.pipeline.reader import extractive


def evidence(documents: Sequence[Sequence[str]], code: str) -> tuple[tuple[Evidence, ...], dict[tuple[int, int], str]]:
    """The documents, and by rank and place whether a sentence answers ("yes") or mentions ("no")."""
    items: list[Evidence] = []
    labels: dict[tuple[int, int], str] = {}
    for rank, sentences in enumerate(documents, start=1):
        text = ""
        for label, sentence in (each.split(" ", 1) for each in sentences):
            text += " " if text and not (language(code).spaceless and code != "th") else ""
            labels[rank, len(text)] = label
            text += sentence
        items.append(Evidence(Passage(f"d{rank}", f"d{rank}", "", code, text), rank))
    return tuple(items), labels


def main() -> None:
    """Prints how many sentences of each kind are claims."""
    topics = yaml.safe_load(files("benchmarks.reader").joinpath("mentions.yaml").read_text(encoding="utf-8"))
    counts: Counter[tuple[bool, bool, str, bool]] = Counter()
    with tempfile.TemporaryDirectory() as home, patch.object(extractive, "silence", lambda *_: ""):
        translator = BuiltinTranslator(TranslationMemory(()))
        reader = extractive.ExtractiveReader(translator, late_interaction(Path(home)))
        for number, topic in enumerate(topics):
            for question_language, document_language in product(topic, topic):
                items, labels = evidence(topic[document_language]["docs"], document_language)
                task = Task(
                    topic[question_language]["q"],
                    question_language,
                    items,
                    question_language,
                    dialectic=("extraction", "answer"),
                )
                spans = {(span.rank, span.start) for span in reader.generate([Prompt("", "", task)])[0].spans}
                for place, label in labels.items():
                    counts[number % 2 == 1, question_language == document_language, label, place in spans] += 1
    for is_test, is_same, label in product((False, True), (True, False), ("yes", "no")):
        claims, others = (counts[is_test, is_same, label, is_claim] for is_claim in (True, False))
        half, kind = ("reported" if is_test else "chosen on"), ("within" if is_same else "across")
        print(f"{half}, {kind}, {'answers' if label == 'yes' else 'mentions'}: {claims} of {claims + others} claims")


if __name__ == "__main__":
    main()
