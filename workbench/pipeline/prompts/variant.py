"""The prompts: the six variants and the families beside them: which language each is in, and what it asks for.

Sources: the variants are those of Chirkova et al. (2024), Table 2, with their texts in `variants/<language>.yaml`. A
family is another paper's way of asking, in our own words: Ranaldi et al. (2025, CrossRAG), Table 1; Singh et al.
(n.d.), Listing 3; Kim et al. (2024), section 4.2.1. Each is there in the user's language and, as in its paper, in
English; the texts are in `families/<language>.yaml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.core import errors


@dataclass(frozen=True, slots=True)
class Variant:
    """One system prompt.

    `prompt_language`: the instruction is in English or in the user's language (UL). `asks_answer_in`: it names no
    answer language (""), "the same language as the question", or UL by name. `asks_entities`: it also asks for named
    entities in UL's alphabet. `title` and `explanation` are for people. `family` is the one that it belongs to, "" for
    one of the six variants.
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
            "Short answer (prompt in English)",
            "English instruction to be brief; the answer's language is left open, so evidence may pull it along."),
    Variant("reply-short-same-lang-en", "en", "same", False,
            "Short answer in the question's language (prompt in English)",
            "English instruction that asks for the language of the question without naming it."),
    Variant("reply-short-in-ul-en", "en", "ul", False,
            "Short answer in the named language (prompt in English)",
            "English instruction that names the user's language, as in “Answer in Finnish.”"),
    Variant("reply-short-ul", "ul", "", False,
            "Short answer (prompt in the user's language)",
            "The instruction is in the user's language but does not say which language to answer in."),
    Variant("reply-short-in-ul-ul", "ul", "ul", False,
            "Short answer in the named language (prompt in the user's language)",
            "Instruction and named answer language are both the user's: the best setting in Chirkova et al. (2024)."),
    Variant("reply-short-in-ul-ne-ul", "ul", "ul", True,
            "Short answer and names in the user's alphabet (prompt in the user's language)",
            "As the one before, and names are to be written in the alphabet of the user's language."),
)  # fmt: skip
"""The rows of Table 2, in its order."""

FAMILIES = ("answer-from-evidence", "context-or-abstain", "two-sentences")
"""The names of the families, each that of its prompt in the user's language; its English one ends in `-en`."""

FAMILY_PROMPTS: tuple[Variant, ...] = (
    Variant("answer-from-evidence", "ul", "ul", False,
            "Clear answer from the evidence (prompt in the user's language)",
            "Asks for an answer as clear as possible, from the evidence, in the user's language, of any length: after "
            "Ranaldi et al. (2025, CrossRAG).", "answer-from-evidence"),
    Variant("answer-from-evidence-en", "en", "ul", False,
            "Clear answer from the evidence (prompt in English)",
            "As the one before, in English, as in the paper.", "answer-from-evidence"),
    Variant("context-or-abstain", "ul", "", False,
            "From the documents alone, or not at all (prompt in the user's language)",
            "Asks for an answer from the documents alone, or the statement that it is not in them: after Singh et al. "
            "(n.d.).", "context-or-abstain"),
    Variant("context-or-abstain-en", "en", "", False,
            "From the documents alone, or not at all (prompt in English)",
            "As the one before, in English, as in the paper.", "context-or-abstain"),
    Variant("two-sentences", "ul", "", False,
            "At most two sentences (prompt in the user's language)",
            "Asks for the facts alone, in at most two sentences and 250 characters: after Kim et al. (2024).",
            "two-sentences"),
    Variant("two-sentences-en", "en", "", False,
            "At most two sentences (prompt in English)",
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
