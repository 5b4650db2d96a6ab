"""Definitions written as plainly as in the papers, to compare the fast ones with. None where unscored."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter

import regex

from workbench.languages.catalogue import language
from workbench.languages.normalise import KEPT, NO_ARTICLE, final_tones, fold, fold_letters, join_numbers
from workbench.languages.segment import sentences, words
from workbench.metrics.answers.flexible_em import _orders, contains_word
from workbench.metrics.answers.numbers_and_dates import with_dates, with_digits
from workbench.metrics.answers.word_forms import is_form

PUNCTUATION = frozenset(string.punctuation)
SPACELESS = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"


def _grams(token: str) -> list[str]:
    return [token[at : at + 3] for at in range(len(token) - 2)] if len(token) >= 3 else [token]


def _best(recalls: list[float]) -> float | None:
    return max(recalls) if recalls else None


def answer_form(text: str, code: str) -> str:
    """Fold, join numbers, make every mark of punctuation, symbol and control character a space, drop articles.

    A single letter is no article at the end, nor as a capital within a sentence.
    """
    marked = NO_ARTICLE.sub(rf"\g<0>{KEPT}", text)
    folded = join_numbers(fold_letters(fold(marked), tonal=code == "vi"))
    words = regex.sub(r"[\p{P}\p{S}\p{C}]", " ", folded).split()
    if code == "vi":
        words = [final_tones(word) for word in words]
    articles = language(code).articles
    words = [
        word
        for place, word in enumerate(words)
        if word not in articles or (len(word) == 1 and 0 < place == len(words) - 1)
    ]
    return " ".join(words).replace(KEPT, "").replace("D", ".")


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
    """Every place in the normalised answer is tried; for languages but Thai."""
    lang = language(code)
    last_words = {gold.split()[-1] for gold in golds if len(gold.split()) > 1}
    forms = [(gold, form) for gold in golds for form in _gold_forms(gold, code)]
    if not forms:
        return None
    if not any(mark in gold for gold in golds for mark in "?？؟"):
        questions = [answer[start:end] for start, end in sentences(answer)]
        rest = [part for part in questions if not part.rstrip(" \"'”’)»」』").endswith(("?", "？", "؟"))]
        if not rest:
            return float(answer_form(answer, code) in [form for _, form in forms])
        answer = " ".join(rest) if len(rest) < len(questions) else answer
    if (dated := with_dates(answer, lang)) != answer:
        answer = f"{dated} ꙮ {with_dates(answer, lang, days=False)}"
    text = answer_form(answer, code)
    text = f"{text} ꙮ {with_digits(f' {text} ', lang).strip()}"

    def contains(form: str, text: str = text) -> bool:
        if regex.search(SPACELESS, form):
            joined = regex.sub(rf"(?<={SPACELESS}\p{{M}}*) (?={SPACELESS})", "", form)
            answers = [text, regex.sub(rf"(?<={SPACELESS}\p{{M}}*) (?={SPACELESS})", "", text)]
            return any(
                contains_word(where, what)
                for what in (form, joined)
                for where in (answers if len(what) >= 4 else answers[:1])
            )
        parts = form.split()
        spaced = regex.sub(r"(?<=[0-9])(?=[十百千万萬億亿兆])", "0", text)
        spaced = regex.sub(rf"{SPACELESS}(?:{SPACELESS}|\p{{M}})*", " ", spaced)
        return any(
            all(is_form(word, other, lang) for word, other in zip(parts, places[at : at + len(parts)], strict=True))
            for places in (text.split(), spaced.split())
            for at in range(len(places) - len(parts) + 1)
        )

    def is_word(gold: str, form: str) -> bool:
        """Not without a capital and marks, where the gold is a single word that has both and the answer any capital."""
        names = regex.findall(r"\p{Lu}[\p{Latin}\p{M}]+", unicodedata.normalize("NFC", gold))
        marked = [fold(name).replace("\u0307", "") for name in names]
        if form in marked or form not in map(fold_letters, marked) or not regex.search(r"\p{Lu}", answer):
            return True
        whole = regex.sub(r"[\p{L}\p{M}\p{N}]+", lambda word: "ꙮ" if word.group() == form else word.group(), answer)
        return contains(form, answer_form(whole, code))

    def is_named(gold: str, form: str) -> bool:
        """With its capital, where it is a surname beside the full name, unless it is all of the answer."""
        if gold not in last_words or not regex.fullmatch(r"\p{Lu}[\p{Latin}\p{Cyrillic}\p{M}]+", gold):
            return True
        capitals = regex.sub(r"(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}]*", " ", answer)
        return words(answer) == form.split() or contains(form, answer_form(capitals, code))

    return float(any(contains(form) and is_word(gold, form) and is_named(gold, form) for gold, form in forms))


def _gold_forms(gold: str, code: str) -> list[str]:
    """The gold, and with its days of months as one word, in any order of its items, and with digits."""
    forms = [answer_form(text, code) for text in (gold, with_dates(gold, language(code)), *_orders(gold, code))]
    digits = [with_digits(f" {form} ", language(code)).strip() for form in forms if not regex.search(SPACELESS, form)]
    return [form for form in (*forms, *digits) if form]


def flexible_em_paper(answer: str, golds: list[str]) -> float | None:
    """Inclusion after lower-casing and with single spaces."""
    forms = [form for gold in golds if (form := regex.sub(r"\s+", " ", gold.lower()).strip())]
    return float(any(form in regex.sub(r"\s+", " ", answer.lower()) for form in forms)) if forms else None
