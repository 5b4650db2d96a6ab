"""SemScore: how close is the answer's meaning to that of a gold answer, according to an encoder?

Source: Aynetdinov and Akbik (2024), as used by Kim et al. (2024, AutoRAG).  The cosine of the two texts' vectors, in
[−1, 1]; higher is better; the best gold counts.  What a value means depends on the encoder, so its identity belongs
next to it. An answer of which the encoder knows nothing (a zero vector) is unscored, and so is one whose golds are all
like that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from workbench.core import Encoder, Passage
from workbench.metrics.answers.flexible_em import usable_golds
from workbench.metrics.measure import NO_GOLD, Case, Measure, Score

UNKNOWN = Score(None, "The encoder knows nothing of the text.")


def semscore_with(encoder: Encoder) -> Measure:
    """The measure with this encoder, which its `source` names."""
    return Measure(
        "semscore",
        "SemScore",
        f"Aynetdinov and Akbik (2024), with {encoder.identity}",
        partial(_score, encoder),
        low=-1.0,
    )


def _score(encoder: Encoder, cases: Sequence[Case]) -> list[Score]:
    golds = [usable_golds(case.answers, case.language) for case in cases]
    texts = {
        (case.language.code, text)
        for case, case_golds in zip(cases, golds, strict=True)
        for text in (case.prediction, *case_golds)
    }
    rows = {key: row for row, key in enumerate(sorted(texts))}
    vectors = encoder.encode_passages([Passage(str(row), "", "", code, text) for (code, text), row in rows.items()])
    scores: list[Score] = []
    for case, case_golds in zip(cases, golds, strict=True):
        answer = vectors[rows[case.language.code, case.prediction]]
        known = [vector for gold in case_golds if (vector := vectors[rows[case.language.code, gold]]).any()]
        if not case_golds:
            scores.append(NO_GOLD)
        elif case.format_failure and known:
            scores.append(Score(0.0))
        elif not known or not answer.any():
            scores.append(UNKNOWN)
        else:
            cosine = max(float(answer @ vector) for vector in known)
            scores.append(Score(max(-1.0, min(1.0, cosine))))
    return scores
