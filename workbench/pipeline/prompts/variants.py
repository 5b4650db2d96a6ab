"""The catalogue of prompts: the language of each and what it asks for, with its texts, checked when they are loaded.

Sources: the variants are those of Chirkova et al. (2024), Table 2, with their texts in `variants/<language>.yaml`. A
family is another paper's way of asking, in our own words: Ranaldi et al. (2025, CrossRAG), Table 1; Singh et al.
(n.d.), Listing 3; Kim et al. (2024), section 4.2.1. Each is there in the user's language and, as in its paper, in
English; `families/<language>.yaml` has one system text per family for a prompt with documents, and one for a prompt
without (mode `baseline`). `templates/rag.yaml` has the layout.

The variants whose prompt language is English are in `en.yaml` alone, with `{UL}` where the language's English name
goes; its `-ul` variants also are the fallback for languages without a reviewed translation. Another language is added
by a file: nothing else needs to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from workbench.core import errors, fingerprint
from workbench.languages import ENGLISH, language
from workbench.workspace import READERS, Block, language_blocks, read_block


@dataclass(frozen=True, slots=True)
class Variant:
    """One system prompt.

    `prompt_language`: the instruction is in English or in the user's language (UL). `asks_answer_in`: it names no
    answer language (""), "the same language as the question", or UL by name. `asks_entities`: it also asks for named
    entities in UL's alphabet. `title` is short and names the prompt's language only where that is English, which
    `explanation` always does. `family` is the one that it belongs to, "" for one of the six variants.
    """

    name: str
    prompt_language: Literal["en", "ul"]
    asks_answer_in: Literal["", "same", "ul"]
    asks_entities: bool
    title: str
    explanation: str
    family: str = ""


VARIANTS: tuple[Variant, ...] = (
    Variant("reply-short-en", "en", "", False,
            "Short answer (English prompt)",
            "English instruction to be brief; the answer's language is left open, so evidence may pull it along."),
    Variant("reply-short-same-lang-en", "en", "same", False,
            "Short answer, question's language (English prompt)",
            "English instruction that asks for the language of the question without naming it."),
    Variant("reply-short-in-ul-en", "en", "ul", False,
            "Short answer, named language (English prompt)",
            "English instruction that names the user's language, as in “Answer in Finnish.”"),
    Variant("reply-short-ul", "ul", "", False,
            "Short answer",
            "The instruction is in the user's language but does not say which language to answer in."),
    Variant("reply-short-in-ul-ul", "ul", "ul", False,
            "Short answer, named language",
            "Instruction and named answer language are both the user's: the best setting in Chirkova et al. (2024)."),
    Variant("reply-short-in-ul-ne-ul", "ul", "ul", True,
            "Short answer, named language and alphabet",
            "As the one before, and names are to be written in the alphabet of the user's language."),
)  # fmt: skip
"""The rows of Table 2, in its order."""

FAMILIES = ("answer-from-evidence", "context-or-abstain", "two-sentences")
"""The names of the families, each that of its prompt in the user's language; its English one ends in `-en`."""

FAMILY_PROMPTS: tuple[Variant, ...] = (
    Variant("answer-from-evidence", "ul", "ul", False,
            "Clear answer",
            "Asks in the user's language for an answer in it as clear as possible, from the evidence, of any length: "
            "after Ranaldi et al. (2025, CrossRAG).", "answer-from-evidence"),
    Variant("answer-from-evidence-en", "en", "ul", False,
            "Clear answer (English prompt)",
            "As the one before, in English, as in the paper.", "answer-from-evidence"),
    Variant("context-or-abstain", "ul", "", False,
            "Documents alone, or not at all",
            "Asks in the user's language for an answer from the documents alone, or the statement that it is not in "
            "them: after Singh et al. (n.d.).", "context-or-abstain"),
    Variant("context-or-abstain-en", "en", "", False,
            "Documents alone, or not at all (English prompt)",
            "As the one before, in English, as in the paper.", "context-or-abstain"),
    Variant("two-sentences", "ul", "", False,
            "Two sentences at most",
            "Asks in the user's language for the facts alone, in at most two sentences and 250 characters: after Kim "
            "et al. (2024).",
            "two-sentences"),
    Variant("two-sentences-en", "en", "", False,
            "Two sentences at most (English prompt)",
            "As the one before, in English, as in the paper.", "two-sentences"),
)  # fmt: skip
"""The prompts of the families, those of one after another."""

PROMPTS: tuple[Variant, ...] = (*VARIANTS, *FAMILY_PROMPTS)
"""Every prompt that a recipe can name."""

DEFAULT_VARIANT = "reply-short-in-ul-ul"
"""The best variant of Chirkova et al. (2024), Table 5."""


def variant(name: str) -> Variant:
    """The prompt with this name. Raises UsageError, which names all, for any other.

    >>> variant("reply-short-in-ul-ne-ul").asks_entities
    True
    """
    for item in PROMPTS:
        if item.name == name:
            return item
    raise errors.unknown_name(
        "prompt", name, (item.name for item in PROMPTS), command=f"For example: --prompt {DEFAULT_VARIANT}"
    )


def answer_language(name: str, ul: str) -> str:
    """The language that the variant asks the answer to be in, for a user's language `ul`; "" where it names none.

    >>> answer_language("reply-short-same-lang-en", "fi"), answer_language("reply-short-ul", "fi")
    ('fi', '')
    """
    return ul if variant(name).asks_answer_in else ""


def entities_in(name: str, ul: str) -> str:
    """The language whose alphabet the variant asks for in named entities; "" where it asks for none."""
    return ul if variant(name).asks_entities else ""


LABELS = ("instructions", "evidence", "question", "answer")
REVIEWERS = ("nobody", *READERS)
"""Who has read a translation: a text that nobody has read is not used."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The headings of a prompt's blocks, as printed, with hash, colon and the spacing that the language requires."""

    instructions: str
    evidence: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of the prompts in one language.

    `system` maps a variant's name to its system text; `reviewed_by` is one of `REVIEWERS`; `instruction` asks to
    answer from the evidence.
    """

    language: str
    reviewed_by: str
    provenance: str
    system: Mapping[str, str]
    labels: Labels
    instruction: str

    @property
    def is_reviewed(self) -> bool:
        """Whether anybody has read it."""
        return self.reviewed_by != REVIEWERS[0]


@dataclass(frozen=True, slots=True)
class RagTemplate:
    """The layout of a RAG prompt's user text, and of a document in it with a title and without."""

    with_documents: str
    without_documents: str
    document: str
    untitled: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All wordings by language code. `identity` changes whenever any text does, for the cache."""

    wordings: Mapping[str, Wording]
    rag: RagTemplate
    identity: str

    def wording(self, item: Variant, ul: str) -> tuple[Wording, str]:
        """The wording of a variant for the user's language, and a sentence where that is a fallback to English.

        The sentence is "" where it is not a fallback.
        """
        english = self.wordings[ENGLISH]
        if item.prompt_language == "en":
            return english, ""
        translated = self.wordings.get(ul)
        if translated is not None and translated.is_reviewed:
            return translated, ""
        return english, fallback_note(item, ul)


def fallback_note(item: Variant, ul: str) -> str:
    """The sentence where a prompt is in English for lack of a reviewed translation."""
    return f"The prompt is in English: “{item.name}” has no reviewed translation into {language(ul).name}."


def load_texts(folder: Traversable | None = None) -> Catalogue:
    """The catalogue in `folder` (by default the one that ships).

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    root = files("workbench.pipeline.prompts") if folder is None else folder
    blocks = language_blocks(root.joinpath("variants"), "the variants are needed in")
    template = read_block(root.joinpath("templates").joinpath("rag.yaml"))
    wordings = {code: _wording(block, code) for code, block in blocks.items()}
    content = {block.where: block.values for block in (*blocks.values(), template)}
    return Catalogue(wordings, _rag_template(template), fingerprint("prompts", content))


@cache
def shipped_texts() -> Catalogue:
    """The catalogue that ships with the workbench, loaded once."""
    return load_texts()


def _wording(block: Block, code: str) -> Wording:
    # Elsewhere than in English the language's name is part of the sentence (“Vastaa suomeksi.”).
    systems = {
        item.name: "UL " * ((item.asks_answer_in == "ul") + item.asks_entities) if code == ENGLISH else ""
        for item in VARIANTS
        if code == ENGLISH or item.prompt_language == "ul"
    }
    facts = {"language": "", "reviewed_by": REVIEWERS, "provenance": ""}
    values = block.checked({**facts, "system": systems, "labels": dict.fromkeys(LABELS, ""), "instruction": ""})
    return Wording(**{**values, "labels": Labels(**values["labels"])})


def _rag_template(block: Block) -> RagTemplate:
    question = "question_label question answer_label"
    shape = {
        "source": "",
        "with_documents": f"{question} instructions_label evidence_label instruction documents",
        "without_documents": question,
        "document": "number title text",
        "untitled": "number text",
    }
    values = block.checked(shape)
    del values["source"]
    return RagTemplate(**values)


@dataclass(frozen=True, slots=True)
class FamilyTexts:
    """The system texts of the families in one language, by family; `reviewed_by` as in `variant_texts.Wording`."""

    reviewed_by: str
    provenance: str
    with_documents: Mapping[str, str]
    without_documents: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FamilyCatalogue:
    """All texts by language code. `identity` changes whenever any text does."""

    texts: Mapping[str, FamilyTexts]
    identity: str

    def is_reviewed(self, language: str) -> bool:
        """Whether there is a translation into a language that anybody has read."""
        return language in self.texts and self.texts[language].reviewed_by != REVIEWERS[0]

    def system(self, family: str, language: str, *, has_documents: bool) -> str:
        """The system text of a family in a language that has one."""
        texts = self.texts[language]
        return (texts.with_documents if has_documents else texts.without_documents)[family]


def load_families(folder: Traversable | None = None) -> FamilyCatalogue:
    """The families in `folder` (by default the ones that ship).

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    root = (files("workbench.pipeline.prompts") if folder is None else folder).joinpath("families")
    blocks = language_blocks(root, "the families are needed in")
    texts = {code: _family(block, code) for code, block in blocks.items()}
    return FamilyCatalogue(texts, fingerprint("families", {code: block.values for code, block in blocks.items()}))


@cache
def shipped_families() -> FamilyCatalogue:
    """The families that ship with the workbench, loaded once."""
    return load_families()


def _family(block: Block, code: str) -> FamilyTexts:
    texts = {family: "UL" if code == ENGLISH and variant(family).asks_answer_in == "ul" else "" for family in FAMILIES}
    facts = {"language": "", "reviewed_by": REVIEWERS, "provenance": ""}
    values = block.checked({**facts, "with_documents": texts, "without_documents": texts})
    del values["language"]
    return FamilyTexts(**values)
