"""What a generator is asked while questions are written, by language, checked when it is loaded: `prompts/<code>.yaml`.

Three prompts: to write a question with its answer from a passage, to answer a question from the passage alone, and to
answer it without any document. A language without a file gets the English texts, with its name in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import regex

from workbench.core import Prompt, Task
from workbench.languages import ENGLISH, language
from workbench.workspace import READERS, Block, fill, language_blocks

NOTHING = "NONE"
"""The whole reply, in every language, where there is nothing to ask or no answer."""
LABELS = ("question_label", "answer_label")
PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "write_system": (),
    "write": ("passage",),
    "answer_system": (),
    "answer": ("passage", "question"),
    "recall_system": (),
    "recall": ("question",),
}
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

    >>> writing_texts("fi").question_label, writing_texts("hi").question_label
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
    block.check_keys(("language", "reviewed_by", "provenance", *LABELS, *PLACEHOLDERS))
    prompts: dict[str, str] = {}
    for name, places in PLACEHOLDERS.items():
        counts = dict.fromkeys(places, 1)
        if code == ENGLISH and name == "write_system":
            counts = {"language": 2}
        prompts[name] = block.text(name, counts)
    labels = {label: block.text(label) for label in LABELS}
    _check(block, prompts, labels)
    return WritingTexts(
        language=code,
        reviewed_by=block.choice("reviewed_by", READERS),
        provenance=block.text("provenance"),
        prompts=prompts,
        **labels,
    )


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
