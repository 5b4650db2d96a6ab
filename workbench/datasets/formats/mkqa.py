"""MKQA: the same questions of Natural Questions in 26 languages, with answers and their aliases.

Source: Longpre, Lu and Daiber 2021, "MKQA: A Linguistically Diverse Benchmark for Multilingual Open Domain Question
Answering"; `mkqa.jsonl.gz`, a line a question: {"example_id", "query", "queries": {label: text},
"answers": {label: [{"type", "text", "aliases"}]}}.  A question whose answers are all null (unanswerable, or only a long
answer) is left out and counted.  Chinese comes three times (zh_cn, zh_hk, zh_tw): `zh` is zh_cn, unless another is
asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.datasets.collection import Collection, Unique, none_left
from workbench.datasets.files.record import Record, once
from workbench.datasets.files.text_files import json_records
from workbench.errors import UsageError, unknown
from workbench.languages.labels import parse_label
from workbench.records import Question

NO_ANSWER = "without an answer"
LICENCE = "CC BY-SA 3.0"


def read_mkqa(path: Path, wanted: Sequence[str] = ()) -> Collection:
    """The questions in the languages `wanted` (codes, or labels of MKQA such as zh_tw; none: all).

    Raises UsageError for a language the file does not have, DataError with file and line for what is wrong in it.
    """
    questions: list[Question] = []
    seen = Unique("question id")
    left_out = Counter({NO_ANSWER: 0})
    labels: Mapping[str, str] = {}
    for record in json_records(path):
        name = record.id("example_id")
        seen.add(name, record.where)
        queries, answers = record.record("queries"), record.record("answers")
        if not labels:
            labels = _chosen(list(queries.values), wanted)
        for label, code in labels.items():
            texts = _answers(answers, label)
            if texts:
                questions.append(Question(name, queries.text(label), code, texts))
            else:
                left_out[NO_ANSWER] += 1
    if not questions:
        raise none_left("MKQA", [path.name], left_out)
    return Collection("mkqa", "MKQA", (path.name,), tuple(questions), LICENCE, parallel=True, left_out=left_out)


def _chosen(found: Sequence[str], wanted: Sequence[str]) -> Mapping[str, str]:
    """The file's labels to take and our code for each."""
    codes = {label: parsed.code if (parsed := parse_label(label)) else label for label in found}
    plain: dict[str, str] = {}
    for label, code in codes.items():
        plain.setdefault("zh" if label == "zh_cn" else code, label)
    if "zh_cn" in codes:
        plain["zh"] = "zh_cn"
    if not wanted or "all" in wanted:
        return {label: code for code, label in plain.items()}
    labels: dict[str, str] = {}
    for item in wanted:
        label = plain.get(item, item)
        if label not in codes:
            raise unknown("language of this file", item, {*plain, *codes})
        if codes[label] in labels.values() and label not in labels:
            raise UsageError(
                f"“{item}” is {codes[label]}, which is asked for twice. Choose one variety, for example: --lang zh_cn"
            )
        labels[label] = codes[label]
    return labels


def _answers(answers: Record, label: str) -> tuple[str, ...]:
    texts: list[str] = []
    for answer in answers.records(label):
        if answer.has("text"):
            texts.append(answer.text("text"))
            texts.extend(answer.texts("aliases") if answer.has("aliases") else ())
    return once(texts)
