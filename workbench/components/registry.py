"""The registry: one façade over the components of a workspace.

It answers what a recipe can name, whether it is ready, what it lacks and where its texts are sent, and it makes the
components.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.components import factory, identifiers, inventory, references, retrievers
from workbench.components.factory import EncoderSpread
from workbench.components.inventory import Entry, Key, Trial
from workbench.components.tuned_models import TunedModels
from workbench.core import (
    Augmenter,
    Components,
    Compressor,
    Contextualiser,
    Encoder,
    Expander,
    Generator,
    Reranker,
    Retriever,
    Role,
    Translator,
    UsageError,
)
from workbench.data import Corpus, Progress
from workbench.languages import Detector
from workbench.models import REWRITING_LIMITS, Model, TokenLimits
from workbench.pipeline import EXTRACTIVE, Recipe, RetrieverName
from workbench.retrieval import SENTENCE_SHARE, SparseEncoder
from workbench.workspace import verb


@dataclass(frozen=True, slots=True)
class Registry:
    """The components of the workspace in `home`.

    Methods that take a name raise UsageError for one that means nothing; those that make a component also raise
    MissingError where its model, key or package is missing.
    """

    home: Path

    def components(self, recipe: Recipe, corpus: Corpus) -> Components:
        """Every component that a recipe names, over a corpus."""
        reader = factory.generator(
            recipe.generator, self.home, recipe.translator, TokenLimits.of(recipe.max_new_tokens)
        )
        return Components(
            retriever=self.retriever(recipe, corpus),
            reranker=self.reranker(recipe.reranker),
            translator=self.translator(recipe.translator),
            generator=reader,
            detector=self.identifier(),
            passages=lambda rows: corpus.table.passages(rows),
            corpus=corpus.manifest.fingerprint,
            expander=self.expander(recipe),
            compressor=self._compressor(recipe),
            augmenter=self.augmenter(recipe, corpus),
        )

    def retriever(self, recipe: Recipe, corpus: Corpus) -> Retriever:
        """The recipe's retriever over a corpus, with its language balance."""
        from workbench.retrieval import BalancedRetriever

        plain = retrievers.unbalanced_retriever(recipe, corpus, self.home)
        return plain if recipe.balance == "none" else BalancedRetriever(plain, recipe.balance)

    def augmenter(self, recipe: Recipe, corpus: Corpus) -> Augmenter | None:
        """What adds neighbouring passages to a recipe's candidates, None where it adds none."""
        if not recipe.neighbours:
            return None
        from workbench.data import NeighbourAugmenter

        search = retrievers.vector_search(recipe, corpus, self.home)
        return NeighbourAugmenter(corpus.table, search, recipe.neighbours, recipe.neighbour_side)

    def index(
        self,
        corpus: Corpus,
        encoder: str,
        kind: RetrieverName,
        progress: Progress,
        *,
        centring: float | None = None,
        sentences: bool | None = None,
        spread: EncoderSpread | None = None,
    ) -> None:
        """Builds the corpus's index by an encoder: `kind` is dense or sparse.

        `centring`: as in a recipe; `sentences`, whether every sentence has a vector; None for the encoder's defaults.
        `spread`: which processes encode; None for this one.
        """
        share = {None: None, True: SENTENCE_SHARE, False: 0.0}[sentences]
        recipe = Recipe(encoder=encoder, retriever=kind, centring=centring, sentence_share=share)
        if kind != "sparse":
            retrievers.index_dense(corpus, recipe, self.home, progress, spread)
            return
        from workbench.data import index_sparse

        inner = self.sparse_encoder(encoder)
        index_sparse(corpus, encoder, spread.sparse(encoder, inner) if spread else inner, progress)

    def is_indexed(self, corpus: Corpus, encoder: str) -> bool:
        """Whether the corpus has a dense index by an encoder, with the encoder's default options."""
        return retrievers.is_indexed(Recipe(encoder=encoder), corpus, self.home)

    def unindexed(self, corpus: Corpus, encoder: str) -> int:
        """How many passages the corpus's index by an encoder lacks, with the encoder's default options."""
        return retrievers.unindexed(Recipe(encoder=encoder), corpus, self.home)

    def stand_in(self, recipe: Recipe, corpus: Corpus) -> str:
        """Why the built-in encoder serves in place of the recipe's, in a sentence; "" where it does not."""
        return retrievers.stand_in(recipe, corpus, self.home)

    def unknown_languages(self, recipe: Recipe, corpus: Corpus) -> tuple[str, ...]:
        """The corpus's languages that the recipe searches by an encoder that was not trained on them."""
        searches = recipe.retriever not in retrievers.WITHOUT_VECTORS
        return retrievers.unknown_languages(recipe.encoder, corpus.languages) if searches else ()

    def dense_encoder(self, name: str) -> Encoder:
        """The dense encoder `name`."""
        return factory.dense_encoder(name, self.home)

    def sparse_encoder(self, name: str) -> SparseEncoder:
        """The encoder of learned sparse vectors `name`."""
        return factory.sparse_encoder(name, self.home)

    def reranker(self, name: str) -> Reranker:
        """The reranker `name`."""
        return factory.reranker(name, self.home)

    def translator(self, name: str) -> Translator:
        """The translator `name`."""
        return factory.translator(name, self.home)

    def generator(self, name: str) -> Generator:
        """The generator `name`."""
        return factory.generator(name, self.home)

    @property
    def tuned(self) -> TunedModels:
        """The language models that were tuned in the workspace."""
        return TunedModels(self.home, self.generator)

    def judge(self, name: str) -> Generator:
        """The generator `name`, with room to think before a verdict."""
        return factory.judge(name, self.home)

    def expander(self, recipe: Recipe) -> Expander | None:
        """What writes the recipe's queries, None where it searches with the question or not at all."""
        if recipe.query_expansion == "none" or not recipe.expanding_model:
            return None
        from workbench.pipeline import QueryExpander

        return QueryExpander(
            self._rewriter(recipe, recipe.expanding_model), recipe.query_expansion, recipe.hyde_passages
        )

    def contextualiser(self, recipe: Recipe) -> Contextualiser:
        """What rewrites a question from the conversation that it ends: the recipe's generator.

        Raises UsageError for the built-in reader, which cannot.
        """
        from workbench.pipeline import QuestionContextualiser

        if recipe.generator == EXTRACTIVE:
            raise UsageError(
                "The built-in reader answers single questions: a question that refers to earlier messages needs a "
                f"language model. Name what the question is about, or set generator, for example: "
                f"{references.example('generator')}"
            )
        return QuestionContextualiser(factory.generator(recipe.generator, self.home, limits=REWRITING_LIMITS))

    def _compressor(self, recipe: Recipe) -> Compressor | None:
        """What writes what is read in place of the documents, None where those are read."""
        if recipe.compressor == "none" or not recipe.compressing_model:
            return None
        from workbench.pipeline import PassageCompressor

        return PassageCompressor(self._rewriter(recipe, recipe.compressing_model), recipe.compressor)

    def _rewriter(self, recipe: Recipe, model: str) -> Generator:
        references.check_rewriting(recipe)
        return factory.generator(model, self.home, limits=REWRITING_LIMITS)

    def identifier(self) -> Detector:
        """The workspace's language identifier."""
        return identifiers.identifier(self.home)

    def check(self, recipe: Recipe) -> tuple[str, ...]:
        """Checks every name in a recipe; returns the hosts that texts are sent to under it."""
        references.check_recipe(recipe)
        return references.hosts_of(recipe, self.home)

    def hosts(self, recipe: Recipe) -> tuple[str, ...]:
        """The hosts that texts are sent to under a recipe; () where none leaves this machine."""
        return references.hosts_of(recipe, self.home)

    def host(self, name: str) -> str:
        """The host that a component sends texts to, "" where they stay on this machine."""
        return references.host_of(name, self.home)

    def loads_a_model(self, name: str) -> bool:
        """Whether each process loads a model of its own for a component, which is neither built in nor a service."""
        return references.loads_a_model(name)

    def missing_packages(self, name: str, role: Role) -> tuple[str, ...]:
        """The packages that a component lacks, as pip names them."""
        return references.missing_packages(name, role)

    def inventory(self, *roles: Role) -> tuple[Entry, ...]:
        """What a recipe can name for these roles, all where none is named, with its state, by role.

        Raises DataError for a damaged endpoints.yaml.
        """
        return inventory.entries(self.home, roles or inventory.ROLES)

    def unready(self, recipe: Recipe) -> tuple[Entry, ...]:
        """Every component that a recipe uses and that cannot be used now. Raises UsageError, DataError."""
        return inventory.unready(recipe, self.home)

    def secrets(self) -> tuple[Key, ...]:
        """Every secret that a component may need, by the name of its variable. Raises DataError."""
        return inventory.secrets(self.home)

    def is_here(self, model: Model) -> bool:
        """Whether a known model's files are on this machine; a service counts."""
        return inventory.is_here(model, self.home)

    @verb("models.use", "{name}")
    def test(self, role: str, name: str) -> Trial:
        """One real small call to a component."""
        return inventory.test(role, name, self.home)
