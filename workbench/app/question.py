"""A question as it was typed: checked before anything is built or sent, its language, and what it is searched with.

The components of a search alone are made when they are first used: the generator, its weights and its key need not be
on this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.components import Registry
from workbench.core import (
    Augmenter,
    Expander,
    PassageLookup,
    Reranker,
    Retriever,
    Translator,
    UndetectedLanguage,
    UsageError,
    shorten,
)
from workbench.data import Corpus
from workbench.languages import Detection, Detector, known_languages
from workbench.pipeline import Recipe
from workbench.workspace import QUESTION_LIMIT


def checked_question(question: str) -> str:
    """`question` without white space around it.

    Raises UsageError when it is empty, too long, not valid Unicode or without a letter or digit.
    """
    text = question.strip()
    example = "For example: “Who invented radio?”"
    if not text:
        raise UsageError(f"The question is empty. Type a question of 1 to {QUESTION_LIMIT:,} characters. {example}")
    if len(text) > QUESTION_LIMIT:
        raise UsageError(
            f"The question has {len(text):,} characters (“{shorten(text, 30)}”); at most {QUESTION_LIMIT:,} are "
            f"allowed. {example}"
        )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(
            f"The question contains an invalid character (an unpaired surrogate). Type it as UTF-8. {example}"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(
            f"The question “{shorten(text)}” holds no letter or digit, so there is nothing to search for. {example}"
        )
    return text


UNSURE = 0.5
"""Below this probability a person should look at the detected language."""


def detect_question(question: str, detector: Detector, likely: Sequence[str]) -> Detection:
    """The question's language with the identifier's probability for it.

    The languages of `likely` compete first; where none of them fits, every known language does. The probability is
    that among all known ones, so that a short question in a language with close relatives may be detected rightly with
    a low one. Raises UsageError where none is detected, and what the identifier raises.

    >>> detect_question("Kuka keksi radion?", Detector(), ["en", "fi"]).language
    'fi'
    """
    detection = detector.detect(question, likely)
    if not detection.language:
        detection = detector.detect(question, [item.code for item in known_languages()])
    if not detection.language:
        raise UndetectedLanguage(
            "The question's language could not be identified. Select it under “Question language”."
        )
    return detection


def is_unsure(detection: Detection) -> bool:
    """Whether the identifier gave the language less than an even chance.

    >>> is_unsure(Detection("fi", 0.31, "Latn")), is_unsure(Detection("fi", 0.99, "Latn"))
    (True, False)
    """
    return detection.confidence < UNSURE


@dataclass(frozen=True)
class LazySearchComponents:
    """Implements `pipeline.chain.SearchComponents`: each component of a recipe is made when it is first used.

    Raises UsageError for one that does not exist, MissingError for one that is not on this machine, when it is made.
    """

    recipe: Recipe
    searched: Corpus
    registry: Registry

    @cached_property
    def retriever(self) -> Retriever:
        """The recipe's retriever over the corpus, with its language balance."""
        return self.registry.retriever(self.recipe, self.searched)

    @cached_property
    def augmenter(self) -> Augmenter | None:
        """What adds neighbouring passages to the candidates, None where the recipe adds none."""
        return self.registry.augmenter(self.recipe, self.searched)

    @cached_property
    def reranker(self) -> Reranker:
        """The recipe's reranker; it keeps the order where the recipe names none."""
        return self.registry.reranker(self.recipe.reranker)

    @cached_property
    def translator(self) -> Translator:
        """The recipe's translator."""
        return self.registry.translator(self.recipe.translator)

    @cached_property
    def expander(self) -> Expander | None:
        """What writes the recipe's queries, None where it searches with the question."""
        return self.registry.expander(self.recipe)

    @property
    def passages(self) -> PassageLookup:
        """Passages by their rows in the corpus."""
        return lambda rows: self.searched.table.passages(rows)

    @property
    def corpus(self) -> str:
        """The fingerprint of the corpus."""
        return self.searched.manifest.fingerprint
