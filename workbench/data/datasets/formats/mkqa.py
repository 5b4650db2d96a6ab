"""MKQA: the same questions of Natural Questions in 26 languages, with answers and their aliases.

Source: Longpre, Lu and Daiber (2021), "MKQA: A Linguistically Diverse Benchmark for Multilingual Open Domain Question
Answering"; `mkqa.jsonl.gz`, one line per question: {"example_id", "query", "queries": {label: text},
"answers": {label: [{"type", "text", "aliases"}]}}. A question whose answers are all null (unanswerable, or only a long
answer) is left out and counted. Chinese has three varieties (zh_cn, zh_hk, zh_tw): `zh` is zh_cn, unless another one is
named.

Chirkova et al. (2024), section 3, ask the questions that MKQA shares with KILT's Natural Questions (Petroni et al.,
2021), 2,827 of them; the ids are the same. With a file of KILT, only the questions whose ids it has are read, and the
pages that it names are gold.

The aliases are further gold answers, so recall is higher with them; Chirkova et al. (2024), Table 1, scores without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.core import BY_PAGE, BY_PASSAGE, Question, UsageError, unknown_name
from workbench.data.corpora.corpus import Corpus
from workbench.data.datasets.dataset_format import (
    GOLD_PAGES,
    LANGUAGES,
    Collection,
    DatasetFormat,
    Files,
    ImportOption,
    UniqueIds,
    no_questions,
)
from workbench.data.datasets.records import Provenance, Record, json_records, read_provenance, unique_texts
from workbench.languages import known_languages, parse_label

NO_ANSWER = "without an answer"
NOT_IN_KILT = "not in the KILT file"
LICENCE = "CC BY-SA 3.0"


def read_mkqa(
    path: Path,
    languages: Sequence[str] = (),
    *,
    aliases: bool = True,
    kilt: Path | None = None,
    corpus: Corpus | None = None,
) -> Collection:
    """Return the questions in some languages (codes, or labels of MKQA such as zh_tw; none: all).

    `aliases`: whether the aliases of an answer are gold answers too; the dataset's title states where they are not.
    `kilt`: a file of KILT's Natural Questions, whose ids are those of the questions to read; None for all.
    `corpus`: the one that has the pages that KILT names.

    Raises UsageError for a language the file does not have, DataError with file and line for an error in it.
    """
    questions: list[Question] = []
    ids = UniqueIds("question id")
    left_out = Counter({NO_ANSWER: 0})
    shared = None if kilt is None else read_provenance(kilt)
    labels: Mapping[str, str] = {}
    for record in json_records(path):
        name = record.id("example_id")
        ids.add(name, record.where)
        queries, answers = record.record("queries"), record.record("answers")
        if not labels:
            labels = _labels(list(queries.values), languages)
        if shared is not None and name not in shared:
            left_out[NOT_IN_KILT] += len(labels)
            continue
        provenance = shared[name] if shared else Provenance()
        for label, language in labels.items():
            texts = _answers(answers, label, aliases=aliases)
            if texts:
                text, sections = queries.text(label), provenance.sections
                questions.append(Question(name, text, language, texts, provenance.pages, gold_sections=sections))
            else:
                left_out[NO_ANSWER] += 1
    if not questions:
        raise no_questions("MKQA", [path.name, *([kilt.name] if kilt else [])], left_out)
    title = "MKQA" if aliases else "MKQA without aliases"
    files = (path.name,) if kilt is None else (path.name, kilt.name)
    level = BY_PAGE if any(question.gold for question in questions) else BY_PASSAGE
    collection = Collection(
        "mkqa", title, files, tuple(questions), LICENCE, parallel=True, left_out=left_out, gold_level=level
    )
    return collection.over_pages(corpus) if corpus else collection


def _labels(available: Sequence[str], languages: Sequence[str]) -> Mapping[str, str]:
    """Return the labels to import, of those `available` in the file, with our code for each."""
    codes = {label: parsed.language if (parsed := parse_label(label)) else label for label in available}
    by_code: dict[str, str] = {}
    for label, code in codes.items():
        by_code.setdefault("zh" if label == "zh_cn" else code, label)
    if "zh_cn" in codes:
        by_code["zh"] = "zh_cn"
    if not languages or "all" in languages:
        return {label: code for code, label in by_code.items()}
    labels: dict[str, str] = {}
    for language in languages:
        label = by_code.get(language, language)
        if label not in codes:
            raise unknown_name("language of this file", language, {*by_code, *codes})
        if codes[label] in labels.values() and label not in labels:
            raise UsageError(
                f"“{language}” is {codes[label]}, which is named twice. Choose one variety, for example: zh_cn"
            )
        labels[label] = codes[label]
    return labels


def _answers(answers: Record, label: str, *, aliases: bool) -> tuple[str, ...]:
    texts: list[str] = []
    for answer in answers.records(label):
        if answer.has("text"):
            texts.append(answer.text("text"))
            texts.extend(answer.texts("aliases") if aliases and answer.has("aliases") else ())
    return unique_texts(texts)


FORMAT = DatasetFormat(
    name="mkqa",
    title="MKQA (mkqa.jsonl.gz)",
    description="The same questions in up to 26 languages with answers and their aliases, without a corpus.",
    source=Files(("gz", "jsonl")),
    options=(
        replace(
            LANGUAGES,
            help=f"{LANGUAGES.help.removesuffix('.')}; zh is zh_cn unless zh_tw or zh_hk is named.",
            offered=lambda *_: [*(known.code for known in known_languages()), "zh_tw", "zh_hk"],
        ),
        ImportOption(
            name="aliases",
            kind="switch",
            title="Aliases are gold answers",
            help="Other spellings and names of an answer count as right. Chirkova et al. (2024), Table 1, has none: "
            "turn this off to compare with it.",
            default=True,
        ),
        ImportOption(
            name="kilt",
            kind="file",
            title="File of KILT",
            help="KILT's Natural Questions: only questions with its ids; its pages are gold.",
            default=None,
        ),
        replace(GOLD_PAGES, needs="kilt"),
    ),
    read=read_mkqa,
)
