"""How much of a question is copied from its passage, and whether a reply gives an answer, in any script.

Copied share. With Q the set of the question's runs of three words, and P those of its passage's title and text, it is
|Q ∩ P| / |Q|, in [0, 1]; 0 where Q is empty. Words are folded. Scripts without spaces have runs of characters in place
of words: 6 in Chinese and Japanese, 10 in Thai, Lao, Khmer, Burmese and Tibetan. Single words do not count: the
question must name its subject, and a passage that answers it names it too, so that questions that people wrote share
most of their words with their passage.

Giving an answer. A reply gives an answer if the character 3-gram recall of the answer in the reply
(`metrics/answers/char3_recall.py`) is at least GIVES_ANSWER, and the reply has every number of the answer: one wrong
digit would cost a long answer few 3-grams.
"""

from __future__ import annotations

import unicodedata

import regex

from workbench.languages import DENSE, SPACELESS_BRAHMIC, language, words
from workbench.metrics import char3_recall

WORDS = 3
DENSE_CHARACTERS = 6
BRAHMIC_CHARACTERS = 10
GIVES_ANSWER = 0.75
"""The least recall with which a reply gives the answer: endings may differ, another name may not."""

UNSPACED = regex.compile(rf"[{DENSE}]+|[{SPACELESS_BRAHMIC}][{SPACELESS_BRAHMIC}\p{{M}}]*")
NUMBER = regex.compile(r"[0-9]+")
THOUSANDS = regex.compile(r"(?<=[0-9])[.,٬\u00a0\u202f '’](?=[0-9]{3}(?![0-9]))")
DENSE_RUN = regex.compile(rf"[{DENSE}]")


def copied_share(question: str, passage: str) -> float:
    """The share in [0, 1] of the question's runs that stand in the passage, as the module defines it.

    >>> copied_share("Who invented the box kite in 1893?", "Hargrave invented the box kite in Sydney.")
    0.6
    """
    of_question = _runs(question)
    return len(of_question & _runs(passage)) / len(of_question) if of_question else 0.0


def gives_answer(reply: str, answer: str, text_language: str) -> bool:
    """Whether `reply` gives `answer`, both in `text_language`; False where nothing is left of the answer to look for.

    >>> gives_answer("It was built in 1893.", "1893", "en"), gives_answer("It was built in 1899.", "1893", "en")
    (True, False)
    """
    share = char3_recall(reply, [answer], language=language(text_language)).value
    return share is not None and share >= GIVES_ANSWER and _numbers(answer) <= _numbers(reply)


def _numbers(text: str) -> frozenset[str]:
    """The numbers of a text in ASCII digits, without what separates thousands."""
    plain = "".join(str(unicodedata.decimal(letter, letter)) for letter in unicodedata.normalize("NFKC", text))
    return frozenset(NUMBER.findall(THOUSANDS.sub("", plain)))


def _runs(text: str) -> frozenset[str]:
    spaced: list[str] = []
    runs: set[str] = set()
    for word in words(text):
        unspaced = UNSPACED.findall(word)
        if not unspaced:
            spaced.append(word)
        for run in unspaced:
            length = DENSE_CHARACTERS if DENSE_RUN.match(run) else BRAHMIC_CHARACTERS
            runs.update(run[at : at + length] for at in range(len(run) - length + 1))
    runs.update(" ".join(spaced[at : at + WORDS]) for at in range(len(spaced) - WORDS + 1))
    return frozenset(runs)
