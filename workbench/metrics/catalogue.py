"""Every measure that needs only an answer, its golds and its language, by name; what each metric says, and its scale.

Measures that need a model are created with it: `semscore.semscore_with(encoder)` and `judge.judged_by(judge)`.
Measures of rankings are in `ranking`. Source, range and formula of each are in its module and in docs/metrics.md. Scale
and help text are known for every name that results are stored under, judged ones included, without the model that
judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from workbench.languages import Detector
from workbench.metrics.answers import (
    abstention,
    answer_language,
    char3_recall,
    em_f1,
    flexible_em,
    ngram_overlap,
)
from workbench.metrics.judged.judge import HIGHEST, IN_ANSWER_LANGUAGE, LOWEST, OF_CANDIDATES
from workbench.metrics.judged.judge_texts import ASPECTS
from workbench.metrics.measure import Measure

MEASURES: Mapping[str, Measure] = {
    item.name: item
    for module in (char3_recall, flexible_em, em_f1, answer_language, ngram_overlap, abstention)
    for item in module.MEASURES
}
"""The measures by name, in the order in which they are listed."""

BY_IDENTIFIER = frozenset(item.name for item in answer_language.MEASURES)
"""Names of the measures that ask which language a text is in, so that their values depend on the identifier."""

AGAINST_GOLDS = frozenset(
    item.name for module in (char3_recall, flexible_em, em_f1, ngram_overlap) for item in module.MEASURES
)
"""Names of the measures that compare an answer with golds and nothing else, so that chance alone gives them a level."""


def measures_with(identifier: Detector) -> dict[str, Measure]:
    """The measures by name; those of `BY_IDENTIFIER` ask `identifier` instead of the built-in one."""
    identified = {measure.name: measure for measure in answer_language.measures(identifier)}
    return {**MEASURES, **identified}


SEMSCORE = "semscore"
"""The cosine of two vectors; not in the catalogue, since it needs an encoder."""
Number = TypeVar("Number", float, npt.NDArray[np.float64])

RATED = frozenset(("g_eval", *(f"g_eval_{name}" for name in ASPECTS)))
"""Judged metrics that are marks from 1 to 5; other judged ones, and measures of rankings, are shares."""

FORMAT_FAILURE = "format_failure"
"""The share of D-RAG outputs without a labelled answer; recorded by itself wherever an experiment has D-RAG runs."""
WELL_FORMED = "_well_formed"


def well_formed_name(name: str) -> str:
    """The name of a metric over the outputs that are no format failures; "" where these alone have its value anyway.

    Judged metrics have none: their names are as long as the database's column.

    >>> well_formed_name("em"), well_formed_name("semscore@bge-m3"), well_formed_name("clr"), well_formed_name("mrr")
    ('em_well_formed', 'semscore_well_formed@bge-m3', '', '')
    """
    stem, at, model = name.partition("@")
    measure = MEASURES.get(stem)
    has_failures = stem == SEMSCORE or (measure is not None and measure.format_failure is not None)
    return f"{stem}{WELL_FORMED}{at}{model}" if has_failures else ""


@dataclass(frozen=True, slots=True)
class Scale:
    """The bounds of a metric's values, and which end is good.

    >>> str(Scale(1, 5)), str(Scale(higher_is_better=False))
    ('1 to 5', '0 to 1, lower is better')
    """

    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True

    @property
    def is_share(self) -> bool:
        """Whether 100 times a value is a percentage."""
        return (self.low, self.high) == (0.0, 1.0)

    def __str__(self) -> str:
        """The bounds in words, and whether lower is better."""
        return f"{self.low:g} to {self.high:g}" + ("" if self.higher_is_better else ", lower is better")

    def goodness(self, value: Number) -> Number:
        """Where values lie between the worst (0) and the best (1) possible value.

        >>> Scale(1, 5).goodness(4.0), Scale(higher_is_better=False).goodness(0.25)
        (0.75, 0.75)
        """
        part = (value - self.low) / (self.high - self.low)
        return part if self.higher_is_better else 1 - part


def scale_of(name: str) -> Scale:
    """The scale of the metric that results call `name`, with or without an @ and the judge or identifier.

    >>> print(scale_of("g_eval@openai-like:llama3:8b@ollama"))
    1 to 5
    """
    metric = name.partition("@")[0].removesuffix(WELL_FORMED)
    if metric == FORMAT_FAILURE:
        return Scale(higher_is_better=False)
    if metric in RATED:
        return Scale(LOWEST, HIGHEST)
    if metric == SEMSCORE:
        return Scale(low=-1.0)
    known = MEASURES.get(metric)
    return Scale(known.low, known.high, known.higher_is_better) if known else Scale()


GIVEN: Mapping[str, str] = {
    "char3_recall": "character 3-gram recall: share of the gold answer's three-letter sequences that are in the answer",
    "char3_recall_paper": "share of the gold answer's three-letter sequences that are in the answer, as published",
    "char3_recall_romanised": "the same in Latin letters, so that spellings of a name in two scripts are compared",
    "flexible_em": "flexible exact match: whether a gold answer is in the answer, as complete words in any form",
    "flexible_em_paper": "whether a gold answer is contained in the answer, letter by letter",
    "em": "whether the answer is a gold answer and nothing else",
    "f1": "words that the answer and a gold answer share, balanced between the two",
    "clr": "correct language rate: whether the answer is in the language of the question",
    "clr_script": "whether the answer is in the language of the question, short answers left out by script",
    "clr_candidates": "whether the answer is in the question's language, told among the languages of the sample only",
    "clr_any_length": "whether the answer is in the language of the question, however short it is",
    "code_switch": "share of the answer's words that are in another language than the question",
    "hallucination": "whether an unanswerable question is answered all the same",
    "abstention_error": "whether the system abstains from a question that has an answer",
    "rouge_1": "words that the answer and a gold answer share",
    "rouge_2": "pairs of words that the answer and a gold answer share",
    "rouge_l": "longest sequence of words, in order, that the answer and a gold answer share",
    "meteor": "words and word stems that the answer and a gold answer share, in similar order",
    "bleu": "sequences of up to four words of the answer that are in a gold answer",
    "chrf": "character sequences that the answer and a gold answer share",
    "semscore": "how near the answer's and a gold answer's meanings lie, by an encoder",
    "g_eval": "a judge's marks for coherence, consistency, fluency and relevance, averaged",
    "g_eval_coherence": "a judge's mark for how well the answer is built",
    "g_eval_consistency": "a judge's mark for how far the documents support the answer",
    "g_eval_fluency": "a judge's mark for the answer's grammar and style",
    "g_eval_relevance": "a judge's mark for how far the answer is about the question",
    "context_precision": "how far up a judge finds the documents that bear on the question",
    **{
        name: f"the same among the first {depth} candidates, before reranking and without an answer"
        for name, depth in OF_CANDIDATES.items()
    },
    "instruction_following": "whether a judge finds that the output follows its instructions",
    "correctness": "whether a judge finds the answer right, given the gold answers",
    "format_failure": "share of D-RAG outputs without a labelled answer",
    "hit": "whether a gold passage is in the top k of the retrieved passages",
    "recall": "share of the gold passages that are in the top k of the retrieved passages",
    "p": "share of the top k of the retrieved passages that is gold",
    "mrr": "1 divided by the rank of the first gold passage",
    "map": "precision at the rank of each gold passage, averaged",
    "ndcg": "how far up the gold passages are in the top k, against the best possible order",
}
"""What a metric measures, by the part of its name before @ and without `_reranked`."""
TITLES: Mapping[str, str] = {
    "hit": "Gold passage among the first {k} (Hit@{k})",
    "recall": "Gold passages among the first {k} (Recall@{k})",
    "p": "Gold share of the first {k} (Precision@{k})",
    "ndcg": "Gold passages near the top (nDCG@{k})",
    "mrr": "First gold passage near the top (MRR)",
    "map": "All gold passages near the top (MAP)",
    "format_failure": "Output without a labelled answer (D-RAG)",
    "semscore": "Meaning near the gold (SemScore)",
    "g_eval": "Quality, judged (G-Eval)",
    "g_eval_coherence": "Coherence, judged",
    "g_eval_consistency": "Support by the documents, judged",
    "g_eval_fluency": "Fluency, judged",
    "g_eval_relevance": "Relevance to the question, judged",
    "context_precision": "Useful documents near the top, judged",
    **{name: f"Useful documents among {depth} candidates, judged" for name, depth in OF_CANDIDATES.items()},
    "instruction_following": "Instructions followed, judged",
    "correctness": "Answer is right, judged",
}
"""The names in words of metrics that the catalogue does not hold; `{k}` is the depth."""
SOURCES: Mapping[str, str] = {
    "hit": "Singh et al. (n.d.)",
    "recall": "Chirkova et al. (2024), Table 7",
    "ndcg": "Järvelin and Kekäläinen (2002)",
    "mrr": "Voorhees and Harman (2005)",
    "map": "Voorhees and Harman (2005)",
    "p": "Voorhees and Harman (2005)",
    "format_failure": "our own",
    "correctness": "our own",
    "instruction_following": "Ranaldi et al. (2025, D-RAG)",
    **dict.fromkeys(("context_precision", *OF_CANDIDATES), "Kim et al. (2024)"),
    "semscore": "Aynetdinov and Akbik (2024)",
    "g_eval": "Kim et al. (2024)",
    "g_eval_coherence": "Liu et al. (2023)",
    "g_eval_consistency": "Liu et al. (2023)",
    "g_eval_fluency": "Liu et al. (2023)",
    "g_eval_relevance": "Liu et al. (2023)",
}
"""The sources of metrics that the catalogue does not hold."""
RERANKED = "_reranked"


def metric_name(name: str) -> str:
    """What people call the metric that results call `name`; a name that is not a metric's stays as it is.

    >>> metric_name("char3_recall"), metric_name("hit@5_reranked")
    ('Answer contains the gold (letters)', 'Gold passage among the first 5 (Hit@5), after reranking')
    """
    stem, detail, after = _parts(name)
    if stem not in GIVEN:
        return name
    model = "" if detail.isdecimal() or not detail else f", by {detail.removesuffix(IN_ANSWER_LANGUAGE)}"
    title = MEASURES[stem].title if stem in MEASURES else TITLES[stem].format(k=detail)
    return f"{title}{after}{model}"


def metric_help(name: str) -> str:
    """What a metric measures, its range, its source and its key; "" for a name that is not a metric's.

    >>> metric_help("em")
    'Whether the answer is a gold answer and nothing else. 0 to 1. Source: Rajpurkar et al. (2016, SQuAD). Key: em.'
    """
    stem, detail, after = _parts(name)
    if stem not in GIVEN:
        return ""
    what = GIVEN[stem].replace("top k", f"top {detail}") if detail.isdecimal() else GIVEN[stem]
    if detail.endswith(IN_ANSWER_LANGUAGE):
        after += ", by a judge that is asked in the language of the answer"
    source = MEASURES[stem].source if stem in MEASURES else SOURCES[stem]
    return f"{what[0].upper()}{what[1:]}{after}. {scale_of(name)}. Source: {source}. Key: {name}."


def _parts(name: str) -> tuple[str, str, str]:
    """A stored name as the key in `GIVEN`, the depth or the model after @, and what its suffix says."""
    stem, _, detail = name.partition("@")
    is_reranked = stem.endswith(RERANKED) or detail.endswith(RERANKED)
    is_well_formed = stem.endswith(WELL_FORMED)
    after = ", after reranking" if is_reranked else ", over outputs with a labelled answer" if is_well_formed else ""
    return stem.removesuffix(RERANKED).removesuffix(WELL_FORMED), detail.removesuffix(RERANKED), after
