"""What a judge is asked, by language, checked when it is loaded: `prompts/<language>.yaml`.

Each file has the prompts, the words that a reply ends with (`Score: N`, `Verdict: N`) and those by which it says yes
and no. The texts are translations that the project wrote and re-read; no native speaker has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import regex

from workbench.languages import ENGLISH
from workbench.workspace import READERS, Block, fill, language_blocks

ASPECTS = ("coherence", "consistency", "fluency", "relevance")
PLACEHOLDERS = {
    "scale_system": "",
    "verdict_system": "",
    "scale": "aspect criterion question answer",
    "scale_with_passages": "aspect criterion question passages answer",
    "instruction_following": "instructions answer",
    "correctness": "question golds answer",
    "relevant_passage": "question golds passage",
}
"""The prompts of a language, each with the places that texts are put into."""
REPLY = ("score", "verdict", "yes", "no", "is", "out_of", "endings", "joins")


@dataclass(frozen=True, slots=True)
class ReplyWords:
    """How a reply in a language is worded; the first of `score` and `verdict` is the word that the prompt asks for.

    `is_` may stand between such a word and its value, `out_of` between a mark and the best mark, `endings` after one;
    `joins` between two values, of which neither is the judge's.
    """

    score: tuple[str, ...]
    verdict: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    is_: tuple[str, ...]
    out_of: tuple[str, ...]
    endings: tuple[str, ...]
    joins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeTexts:
    """The prompts of one language by name, its aspects (name and criterion), and the words of a reply."""

    language: str
    reviewed_by: str
    provenance: str
    prompts: Mapping[str, str]
    aspects: Mapping[str, tuple[str, str]]
    reply: ReplyWords

    def prompt(self, name: str, values: Mapping[str, str]) -> str:
        """The user's turn called `name` with its texts put in."""
        return fill(self.prompts[name], values)


def judge_texts(language: str) -> JudgeTexts:
    """The texts in a language; in English for one that has none.

    >>> judge_texts("fi").language, judge_texts("sv").language
    ('fi', 'en')
    """
    texts = _shipped()
    return texts.get(language, texts[ENGLISH])


def load_judge_texts(folder: Traversable) -> Mapping[str, JudgeTexts]:
    """The texts in a folder by language.

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    return {code: _texts(block) for code, block in language_blocks(folder, "judges are asked in").items()}


@cache
def _shipped() -> Mapping[str, JudgeTexts]:
    return load_judge_texts(files("workbench.metrics.judged").joinpath("prompts"))


def _texts(block: Block) -> JudgeTexts:
    aspects = {name: {"name": "", "criterion": ""} for name in ASPECTS}
    facts = {"language": "", "reviewed_by": READERS, "provenance": ""}
    values = block.checked({**facts, "reply": dict.fromkeys(REPLY, list), **PLACEHOLDERS, "aspects": aspects})
    words = ReplyWords(*values["reply"].values())
    prompts = {name: values[name] for name in PLACEHOLDERS}
    _check_reply(block, "scale_system", prompts["scale_system"], words.score[0], ("1", "5"))
    _check_reply(block, "verdict_system", prompts["verdict_system"], words.verdict[0], ("1", "0"))
    named = {name: (aspect["name"], aspect["criterion"]) for name, aspect in values["aspects"].items()}
    return JudgeTexts(values["language"], values["reviewed_by"], values["provenance"], prompts, named, words)


def _check_reply(block: Block, key: str, text: str, word: str, values: tuple[str, str]) -> None:
    """Checks that a prompt asks for the line that is read, states both ends and fences what is judged."""
    if not regex.search(rf"{regex.escape(word)}\s?[:：]\s?N\b", text):
        raise block.error(f"“{key}” must ask for a last line “{word}: N”, which is what is read of a reply")
    if missing := [part for part in (*values, "<<<", ">>>") if part not in text]:
        raise block.error(f"“{key}” must hold {missing[0]}")
