"""The rerankers of Kim et al. (2024), Table 1, that run through transformers alone: MonoT5, UPR, TART, ColBERTv2."""

from __future__ import annotations

from workbench.components.adapter import Adapter, Reference, Surroundings, find_local, needs, parameters_of
from workbench.components.adapters.transformers_models import TRANSFORMERS
from workbench.core import Reranker

PARAMETERS = ("max_length", "device")


def _monot5(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import MonoT5Reranker

    return MonoT5Reranker(find_local(reference), **parameters_of(reference, *PARAMETERS, "true_token", "false_token"))


def _upr(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import UprReranker

    return UprReranker(find_local(reference), **parameters_of(reference, *PARAMETERS))


def _tart(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import TartReranker

    return TartReranker(find_local(reference), **parameters_of(reference, *PARAMETERS, "instruction"))


def _colbert(reference: Reference, _surroundings: Surroundings) -> Reranker:
    from workbench.retrieval import ColbertReranker

    return ColbertReranker(find_local(reference), **parameters_of(reference, *PARAMETERS))


ADAPTERS = (
    Adapter(
        "monot5",
        "MonoT5: a T5 or mT5 that answers whether a passage is relevant",
        reranker=_monot5,
        parameters=(*PARAMETERS, "true_token", "false_token"),
        packages=needs(TRANSFORMERS),
        example="monot5:castorini/monot5-base-msmarco-10k",
    ),
    Adapter(
        "upr",
        "UPR: how likely a language model is to ask the question of a passage",
        reranker=_upr,
        parameters=PARAMETERS,
        packages=needs(TRANSFORMERS),
        example="upr:google-t5/t5-large",
    ),
    Adapter(
        "tart",
        "TART-full: a T5 encoder that scores passages under an instruction",
        reranker=_tart,
        parameters=(*PARAMETERS, "instruction"),
        packages=needs(TRANSFORMERS),
        example="tart:facebook/tart-full-flan-t5-xl",
    ),
    Adapter(
        "colbert",
        "ColBERT over BERT: late interaction of tokens",
        reranker=_colbert,
        parameters=PARAMETERS,
        packages=needs(TRANSFORMERS),
        example="colbert:colbert-ir/colbertv2.0",
    ),
)
