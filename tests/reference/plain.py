"""Definitions written as plainly as in the papers, to compare the fast ones with. None where unscored."""

from __future__ import annotations

import string
from collections import Counter

import regex

from workbench.languages import fold, language

PUNCTUATION = frozenset(string.punctuation)
SPACELESS = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"


def _grams(token: str) -> list[str]:
    return [token[at : at + 3] for at in range(len(token) - 2)] if len(token) >= 3 else [token]


def _best(recalls: list[float]) -> float | None:
    return max(recalls) if recalls else None


def answer_form(text: str, code: str) -> str:
    """Fold, make every mark of punctuation, symbol and control character a space, drop articles."""
    words = regex.sub(r"[\p{P}\p{S}\p{C}]", " ", fold(text)).split()
    return " ".join(word for word in words if word not in language(code).articles)


def char3_recall_paper(answer: str, golds: list[str]) -> float | None:
    """Lower-case, delete ASCII punctuation, drop articles, split; multisets of 3-grams; the best gold."""

    def count_grams(text: str) -> Counter[str]:
        bare = "".join(character for character in text.lower() if character not in PUNCTUATION)
        words = regex.sub(r"\b(a|an|the)\b", " ", bare).split()
        return Counter(gram for word in words for gram in _grams(word))

    expected = [count_grams(gold) for gold in golds]
    available = count_grams(answer)
    return _best([(gold & available).total() / gold.total() for gold in expected if gold])


def char3_recall(answer: str, golds: list[str], code: str) -> float | None:
    """The same over normalised texts; in scripts without spaces a gram may lie anywhere in a run."""

    def parts(text: str) -> tuple[list[str], list[str]]:
        plain = answer_form(text, code)
        plain = regex.sub(rf"(?<={SPACELESS}\p{{M}}*) (?={SPACELESS})", "", plain)
        run = rf"{SPACELESS}(?:{SPACELESS}|\p{{M}})*"
        return regex.sub(run, " ", plain).split(), regex.findall(run, plain)

    tokens, runs = parts(answer)
    available = Counter((gram, "token") for token in tokens for gram in _grams(token))
    available.update(
        (run[at : at + size], "run") for run in runs for size in (1, 2, 3) for at in range(len(run) - size + 1)
    )
    recalls = []
    for gold in golds:
        gold_tokens, gold_runs = parts(gold)
        expected = Counter((gram, "token") for token in gold_tokens for gram in _grams(token))
        expected.update((gram, "run") for run in gold_runs for gram in _grams(run))
        if expected:
            recalls.append((expected & available).total() / expected.total())
    return _best(recalls)


def flexible_em(answer: str, golds: list[str], code: str) -> float | None:
    """For languages whose words carry no clitics."""
    forms = [form for gold in golds if (form := answer_form(gold, code))]
    if not forms:
        return None
    text = f" {answer_form(answer, code)} "

    def border(left: str, right: str) -> bool:
        return left == " " or right == " " or bool(regex.match(SPACELESS, left)) or bool(regex.match(SPACELESS, right))

    return float(
        any(
            text[at : at + len(form)] == form
            and border(text[at - 1], text[at])
            and border(text[at + len(form) - 1], text[at + len(form)])
            for form in forms
            for at in range(1, len(text) - len(form))
        )
    )
