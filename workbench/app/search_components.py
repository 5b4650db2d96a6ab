"""The components of a search alone: the generator, its weights and its key need not be on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from workbench.components import Registry
from workbench.core import Augmenter, Expander, PassageLookup, Reranker, Retriever, Translator
from workbench.data import Corpus
from workbench.pipeline import Recipe


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
        return self.searched.table.passages

    @property
    def corpus(self) -> str:
        """The fingerprint of the corpus."""
        return self.searched.manifest.fingerprint
