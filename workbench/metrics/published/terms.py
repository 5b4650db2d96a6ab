"""The papers' terms in the workbench's words: sources, prompts, settings, metrics and units.

What has no counterpart here stays as printed, so nothing is compared that should not be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Unit = Literal["share", "difference", "seconds", "count", "scale 1 to 5"]
"""`share`: 0 to 1. `difference`: of two shares, -1 to 1."""

CITATIONS: Mapping[str, str] = {
    "chirkova2024": "Chirkova et al. (2024)",
    "ranaldi2025_drag": "Ranaldi et al. (2025, D-RAG)",
    "ranaldi2025_crossrag": "Ranaldi et al. (2025, CrossRAG)",
    "singh_docqa": "Singh et al. (n.d.)",
    "kim2024_autorag": "Kim et al. (2024)",
}
"""How a source is named in a legend."""

PUBLISHED_MEASURES: Mapping[str, str] = {
    "char3_recall": "char3_recall_paper",
    "clr": "clr",
    "flexible_em": "flexible_em_paper",
    "mrr": "mrr",
    **{f"hit_at_{k}": f"hit@{k}" for k in (1, 3, 5, 10)},
}
"""Published metrics that are measured here in the same way.

The recall@5 of Chirkova et al. (2024), Table 7, is before reranking and counts the relevant Wikipedia pages of KILT.
Ours counts the same only over a dataset whose gold is by page, which stored figures do not say, so the two are not
drawn next to each other. The METEOR of Kim et al. (2024) knows synonyms, and its ROUGE does not say which it is."""

VARIANTS: Mapping[str, str] = {
    "Reply short (EN)": "reply-short-en",
    "Reply short in same lang (EN)": "reply-short-same-lang-en",
    "Reply short in UL (EN)": "reply-short-in-ul-en",
    "Reply short (UL)": "reply-short-ul",
    "Reply short in UL (UL)": "reply-short-in-ul-ul",
    "Reply short in UL + NE in UL (UL)": "reply-short-in-ul-ne-ul",
    "translated into UL, with an instruction to answer in UL": "reply-short-in-ul-ul",
}

SETTINGS: Mapping[str, str] = {
    "baseline": "baseline",
    "tRAG": "trag",
    "monoRAG": "monorag",
    "MultiRAG": "multirag",
    "CrossRAG": "crossrag",
    "D-RAG": "drag",
}
"""A setting that is one of these, or begins with one, is that mode."""

SCOPES = ("none", "en", "ul", "en+ul", "all")


def mode_of(setting: str) -> str:
    """The mode that a printed setting is, "" where it is none; a difference of two settings is not a mode.

    >>> mode_of("tRAG, translator GPT-4o"), mode_of("CrossRAG minus MultiRAG"), mode_of("D-RAG as ICL")
    ('trag', '', 'drag')
    """
    if " minus " in setting:
        return ""
    return next(
        (mode for name, mode in SETTINGS.items() if setting == name or setting.startswith((f"{name},", f"{name} "))), ""
    )


def unit_of(metric: str, printed: str) -> tuple[Unit, float]:
    """The unit that figures are drawn in, and what a printed value is multiplied by. Raises KeyError.

    >>> unit_of("char3_recall", "percent"), unit_of("flexible_em_delta", "points"), unit_of("g_eval", "points")
    (('share', 0.01), ('difference', 0.01), ('scale 1 to 5', 1.0))
    """
    if printed == "points":
        # Two things are printed as points: differences of percentages, and a judge's marks.
        return ("difference", 0.01) if metric.endswith("_delta") else ("scale 1 to 5", 1.0)
    units: Mapping[str, tuple[Unit, float]] = {
        "percent": ("share", 0.01),
        "fraction": ("share", 1.0),
        "seconds": ("seconds", 1.0),
        "count": ("count", 1.0),
    }
    return units[printed]
