"""The six prompt variants: which language the instruction is in, and what it asks of the answer.

Source: Chirkova et al. (2024), Table 2. The texts themselves are in `variants/<language>.yaml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench import errors


@dataclass(frozen=True, slots=True)
class Variant:
    """One system prompt of the paper.

    `prompt_language`: the instruction is in English or in the user's language (UL). `asks_answer_in`: it names no
    answer language (""), "the same language as the question", or UL by name. `asks_entities`: it also asks for named
    entities in UL's alphabet. `title` and `explanation` are for people.
    """

    name: str
    prompt_language: Literal["en", "ul"]
    asks_answer_in: Literal["", "same", "ul"]
    asks_entities: bool
    title: str
    explanation: str


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

DEFAULT_VARIANT = "reply-short-in-ul-ul"
"""The best variant of Chirkova et al. (2024), Table 5."""


def variant(name: str) -> Variant:
    """The variant with this name. Raises UsageError, which names the six, for any other.

    >>> variant("reply-short-in-ul-ne-ul").asks_entities
    True
    """
    for item in VARIANTS:
        if item.name == name:
            return item
    raise errors.unknown_name(
        "prompt", name, (item.name for item in VARIANTS), f"For example: --prompt {DEFAULT_VARIANT}"
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
