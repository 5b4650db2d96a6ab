"""The answer where the search finds nothing, in the user's language: `templates/nothing_retrieved.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workbench.languages import CHIRKOVA_LANGUAGES, ENGLISH
from workbench.workspace import read_block


def nothing_retrieved_answer(language: str) -> str:
    """The sentence in a language, in English where it has not been translated.

    >>> nothing_retrieved_answer("de")
    'Es wurde kein Dokument gefunden, das diese Frage beantworten könnte.'
    """
    sentences = _shipped()
    return sentences.get(language, sentences[ENGLISH])


def load(folder: Traversable | None = None) -> Mapping[str, str]:
    """The sentences by language. Raises DataError for one of the thirteen languages that is missing."""
    root = files("workbench.pipeline.prompts") if folder is None else folder
    block = read_block(root.joinpath("templates").joinpath("nothing_retrieved.yaml"))
    block.check_keys(("source", "sentences"))
    sentences = block.block("sentences")
    sentences.check_keys(CHIRKOVA_LANGUAGES)
    return {code: sentences.text(code) for code in CHIRKOVA_LANGUAGES}


@cache
def _shipped() -> Mapping[str, str]:
    return load()
