"""A generator in another role: as a translator or a reranker."""

from __future__ import annotations

from dataclasses import replace

from workbench.components.adapter import Adapter, Reference, Surroundings
from workbench.core import Generation, Generator, Prompt, Reranker, Task, Translator, without_thinking
from workbench.models import RANKING_LIMITS, TRANSLATION_LIMITS


class GeneratorCompleter:
    """A generator called with two plain texts, as a `translation.llm_translator.Completer`."""

    def __init__(self, generator: Generator) -> None:
        """Any generator will do; it is called with one prompt at a time."""
        self._generator = generator

    def complete(self, system: str, user: str) -> Generation:
        """The generator's output without what it wrote while thinking. Raises GenerationFailed."""
        generation = self._generator.generate([Prompt(system, user, Task("", ""))])[0]
        return replace(generation, text=without_thinking(generation.text))


def _translator(reference: Reference, surroundings: Surroundings) -> Translator:
    from workbench.models import LlmTranslator

    generator = surroundings.generator(reference.model, TRANSLATION_LIMITS)
    return LlmTranslator(GeneratorCompleter(generator), generator.identity)


def _reranker(reference: Reference, surroundings: Surroundings) -> Reranker:
    from workbench.models import as_llama_llm
    from workbench.retrieval import RankGptReranker

    generator = surroundings.generator(reference.model, RANKING_LIMITS)
    return RankGptReranker(as_llama_llm(generator), revision=generator.identity)


ADAPTERS = (
    Adapter(
        "llm",
        "a generator asked to translate or to order passages",
        translator=_translator,
        reranker=_reranker,
        nested=True,
        local=False,
        example="llm:openai-like:MODEL@ENDPOINT",
    ),
)
