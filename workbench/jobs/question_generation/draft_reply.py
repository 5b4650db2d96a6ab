"""What a generator is asked while questions are written, and what is read of its reply, in any script.

Three prompts by language in `prompts/<code>.yaml`, checked when loaded: to write a question with its answer from a
passage, to answer a question from the passage alone, and to answer it without any document. A language without a file
gets the English texts, with its name in them.

Of a reply two lines are read that begin with the prompt's labels, in the language of the prompt or in English, with or
without Markdown around them; or JSON with the keys `question` and `answer`. Of several pairs the first counts. Text in
<think> … </think> does not. Where there are none the reason is given, never a guess.

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

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import regex

from workbench.core import Generation, Prompt, Task, without_thinking
from workbench.languages import DENSE, ENGLISH, SPACELESS_BRAHMIC, language, words
from workbench.metrics import char3_recall
from workbench.workspace import READERS, Block, fill, language_blocks

NOTHING = "NONE"
"""The whole reply, in every language, where there is nothing to ask or no answer."""
LABELS = ("question_label", "answer_label")
PLACEHOLDERS = {
    "write_system": "", "write": "passage", "answer_system": "", "answer": "passage question", "recall_system": "",
    "recall": "question",
}  # fmt: skip
FENCED = ("write_system", "answer_system")
"""The instructions that must tell the passage, which stands in a fence, from an instruction."""


@dataclass(frozen=True, slots=True)
class WritingTexts:
    """The prompts of one language by name, and the words that a reply's two lines begin with."""

    language: str
    reviewed_by: str
    provenance: str
    question_label: str
    answer_label: str
    prompts: Mapping[str, str]

    def prompt(self, name: str, passage_language: str, **values: str) -> Prompt:
        """The prompt `write`, `answer` or `recall` with its texts put in, for a passage in `passage_language`."""
        system = fill(self.prompts[f"{name}_system"], {"language": language(passage_language).name})
        return Prompt(system, fill(self.prompts[name], values), Task("", ""))


def writing_texts(code: str) -> WritingTexts:
    """The texts in a language; in English for one that has none.

    >>> writing_texts("fi").question_label, writing_texts("sv").question_label
    ('Kysymys', 'Question')
    """
    texts = _shipped()
    return texts.get(code, texts[ENGLISH])


def load_writing_texts(folder: Traversable) -> Mapping[str, WritingTexts]:
    """The texts in a folder by language.

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    return {code: _texts(block, code) for code, block in language_blocks(folder, "questions are written in").items()}


@cache
def _shipped() -> Mapping[str, WritingTexts]:
    return load_writing_texts(files("workbench.jobs.question_generation").joinpath("prompts"))


def _texts(block: Block, code: str) -> WritingTexts:
    shape = {"language": "", "reviewed_by": READERS, "provenance": "", **dict.fromkeys(LABELS, ""), **PLACEHOLDERS}
    values = block.checked(shape | ({"write_system": "language language"} if code == ENGLISH else {}))
    prompts = {name: values.pop(name) for name in PLACEHOLDERS}
    _check(block, prompts, {label: values[label] for label in LABELS})
    return WritingTexts(**values, prompts=prompts)


def _check(block: Block, prompts: Mapping[str, str], labels: Mapping[str, str]) -> None:
    """Checks that the prompts ask for what is read of a reply, and that passages stand in a fence."""
    for label in labels.values():
        if not regex.search(rf"(?m)^{regex.escape(label)}\s?[:：]\s?…$", prompts["write_system"]):
            raise block.error(f"“write_system” must ask for a line “{label}: …”, which is what is read of a reply")
    for name in ("write_system", "answer_system", "recall_system"):
        if NOTHING not in prompts[name]:
            raise block.error(f"“{name}” must name the reply {NOTHING}")
    for name in FENCED:
        for text in (name, name.removesuffix("_system")):
            if not ("<<<" in prompts[text] and ">>>" in prompts[text]):
                raise block.error(f"“{text}” must have <<< and >>> around the passage")


LONGEST_QUESTION, LONGEST_ANSWER = 400, 200
"""Characters. More is an essay, not a question with a short answer."""
MARKUP = regex.compile(r"[*_`#]+")
OBJECT = regex.compile(r"\{.*\}", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """What a reply holds. `problem`: why there is no pair, in a sentence; `nothing`: there was nothing to ask."""

    question: str = ""
    answer: str = ""
    problem: str = ""
    nothing: bool = False


def read_reply(generation: Generation, texts: WritingTexts) -> WrittenQuestion:
    """The question and answer in a reply to the prompt `write` of `texts`."""
    plain = MARKUP.sub("", without_thinking(generation.text)).strip()
    if is_nothing(plain):
        return WrittenQuestion(nothing=True)
    question, answer = _labelled(plain, texts) or _labelled(plain, writing_texts("en")) or _json(plain)
    if question and answer:
        for what, text, limit in (("question", question, LONGEST_QUESTION), ("answer", answer, LONGEST_ANSWER)):
            if len(text) > limit:
                return WrittenQuestion(problem=f"The {what} is longer than {limit} characters.")
        return WrittenQuestion(question, answer)
    if generation.finish == "length":
        return WrittenQuestion(problem="The reply reached its limit of tokens before the answer.")
    missing = "answer" if question else "question"
    return WrittenQuestion(problem=f"The reply has no line “{getattr(texts, f'{missing}_label')}: …”.")


def is_nothing(reply: str) -> bool:
    """Whether a reply says that there is nothing to ask or no answer.

    >>> is_nothing("NONE."), is_nothing("NONE।"), is_nothing("None of them")
    (True, True, False)
    """
    return reply.strip().strip(".。।\"'“”").strip() == NOTHING


def _labelled(plain: str, texts: WritingTexts) -> tuple[str, str] | None:
    """The text after each label up to the end of its line; None where there is no question's label."""
    pair = [_after(plain, label) for label in (texts.question_label, texts.answer_label)]
    return (pair[0], pair[1]) if pair[0] else None


def _after(plain: str, label: str) -> str:
    match = regex.search(rf"(?im)^\W*{regex.escape(label)}\s*[0-9]*\s*[:：]\s*(?P<text>\S.*)$", plain)
    return " ".join(match["text"].split()).strip("…").strip() if match else ""


def _json(plain: str) -> tuple[str, str]:
    match = OBJECT.search(plain)
    try:
        values: Any = json.loads(match.group()) if match else {}
    except (ValueError, RecursionError):
        return "", ""
    question, answer = values.get("question"), values.get("answer")
    texts = [" ".join(value.split()) if isinstance(value, str) else "" for value in (question, answer)]
    return texts[0], texts[1]


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
