"""What each metric says, in a line for people: what it measures, its range and its source."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.metrics.catalogue import MEASURES
from workbench.metrics.judged.judge_names import IN_ANSWER_LANGUAGE
from workbench.metrics.scale import scale_of

GIVEN: Mapping[str, str] = {
    "char3_recall": "share of the gold answer's three-letter sequences that are in the answer",
    "char3_recall_paper": "share of the gold answer's three-letter sequences that are in the answer, as published",
    "char3_recall_romanised": "the same in Latin letters, so that spellings of a name in two scripts are compared",
    "flexible_em": "whether a gold answer is in the answer, as complete words in any form",
    "flexible_em_paper": "whether a gold answer is contained in the answer, letter by letter",
    "em": "whether the answer is a gold answer and nothing else",
    "f1": "words that the answer and a gold answer share, balanced between the two",
    "clr": "whether the answer is in the language of the question",
    "clr_script": "whether the answer is in the language of the question, short answers left out by script",
    "clr_candidates": "whether the answer is in the question's language, told among the languages of the sample only",
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
    "instruction_following": "whether a judge finds that the output follows its instructions",
    "correctness": "whether a judge finds the answer right, given the gold answers",
    "format_failure": "share of D-RAG outputs without a labelled answer",
    "hit": "whether a gold passage is among the first k that were retrieved",
    "recall": "share of the gold passages that are among the first k that were retrieved",
    "p": "share of the first k retrieved passages that are gold",
    "mrr": "1 divided by the rank of the first gold passage",
    "map": "precision at the rank of each gold passage, averaged",
    "ndcg": "how far up the gold passages are among the first k, against the best possible order",
}
"""What a metric measures, by the part of its name before @ and without `_reranked`."""
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
    "context_precision": "Kim et al. (2024)",
    "semscore": "Aynetdinov and Akbik (2024)",
    "g_eval": "Kim et al. (2024)",
    "g_eval_coherence": "Liu et al. (2023)",
    "g_eval_consistency": "Liu et al. (2023)",
    "g_eval_fluency": "Liu et al. (2023)",
    "g_eval_relevance": "Liu et al. (2023)",
}
"""The sources of metrics that the catalogue does not hold."""
RERANKED = "_reranked"


def metric_help(name: str) -> str:
    """What a metric measures, its range and its source; "" for a name that is not a metric's.

    >>> metric_help("em")
    'Exact match: whether the answer is a gold answer and nothing else. 0 to 1. Source: Rajpurkar et al. (2016, SQuAD).'
    """
    stem, _, detail = name.partition("@")
    reranked = stem.endswith(RERANKED) or detail.endswith(RERANKED)
    stem, detail = stem.removesuffix(RERANKED), detail.removesuffix(RERANKED)
    if stem not in GIVEN:
        return ""
    known = MEASURES.get(stem)
    title = known.title if known else stem if not detail.isdecimal() else f"{stem}@{detail}"
    what = GIVEN[stem].replace("first k", f"first {detail}") if detail.isdecimal() else GIVEN[stem]
    after = ", after reranking" if reranked else ""
    if detail.endswith(IN_ANSWER_LANGUAGE):
        after += ", by a judge that is asked in the language of the answer"
    source = known.source if known else SOURCES[stem]
    return f"{title}: {what}{after}. {scale_of(name)}. Source: {source}."
