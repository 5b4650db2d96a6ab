"""The requests that are made before and after: drawn from a seed, so that two checkouts make the same ones."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from workbench.data.corpora import sample

MODES = ("baseline", "monorag", "trag", "multirag", "crossrag", "drag", "pivot")
SCOPES = ("en", "ul", "en+ul", "all")
PROMPTS = (
    "reply-short-en",
    "reply-short-same-lang-en",
    "reply-short-in-ul-en",
    "reply-short-ul",
    "reply-short-in-ul-ul",
    "reply-short-in-ul-ne-ul",
)
RETRIEVERS = ("hybrid", "lexical", "dense", "rrf", "cc", "dbsf")
BALANCES = ("none", "equal", "normalised")
METRICS = (
    "char3_recall,char3_recall_paper,char3_recall_romanised,flexible_em,em,f1,clr,clr_script,code_switch,"
    "rouge_1,rouge_2,rouge_l,meteor,bleu,chrf"
)

EXPERIMENT = """\
name: unchanged
datasets: [sample]
languages: [en, ja, ar, th]
modes: [baseline, monorag, crossrag, drag, pivot]
scopes: [own, en+ul]
prompts: [reply-short-en, reply-short-in-ul-ul]
perturbations: [none, shuffle, hard-negatives]
k: [3]
questions: 3
metrics: [char3_recall, char3_recall_paper, flexible_em, clr, f1, rouge_l, hit@5, mrr, ndcg@10, map, p@1, recall@5]
seed: 7
"""


@dataclass(frozen=True, slots=True)
class AskRequest:
    """One question under one recipe, as plain values."""

    question: str
    language: str
    recipe: dict[str, Any]


def ask_requests(count: int, seed: int = 8) -> list[AskRequest]:
    """`count` questions of the sample under recipes drawn at random, the same for the same seed."""
    generator = random.Random(seed)
    languages = sorted(sample.languages())
    requests = []
    for _ in range(count):
        code = generator.choice(languages)
        question = generator.choice(sorted(item.text for item in sample.questions(code)))
        recipe: dict[str, Any] = {
            "mode": generator.choice(MODES),
            "scope": generator.choice(SCOPES),
            "prompt": generator.choice(PROMPTS),
            "retriever": generator.choice(RETRIEVERS),
            "balance": generator.choice(BALANCES),
            "k": generator.choice((1, 3, 5, 8)),
            "candidates": generator.choice((10, 50)),
            "translate_question": generator.random() < 0.3,
        }
        if recipe["mode"] == "drag":
            recipe["dialectic"] = {
                "explanation": generator.random() < 0.7,
                "argumentation": generator.random() < 0.7,
                "prompts": generator.choice(("one", "four")),
            }
        requests.append(AskRequest(question, code, recipe))
    return requests


def retrieve_requests(count: int, seed: int = 9) -> list[list[str]]:
    """`count` lists of options for `retrieve`, the same for the same seed."""
    generator = random.Random(seed)
    return [
        [
            *("--lang", generator.choice(sorted(sample.languages()))),
            *("--scope", generator.choice(SCOPES)),
            *("--retriever", generator.choice(RETRIEVERS)),
            *("--balance", generator.choice(BALANCES)),
            *("--k", generator.choice(("5", "20", "50"))),
        ]
        for _ in range(count)
    ]
