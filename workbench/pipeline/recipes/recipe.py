"""The recipe: every choice that fixes an answer, as one frozen value with a fingerprint.

The question and its language are not part of it. A recipe is read from and written as YAML; unknown keys are errors,
so that a typing mistake never silently falls back to a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.core import fingerprint
from workbench.languages import language
from workbench.models import is_e5_small_installed
from workbench.pipeline.prompts.passage_order import PassageOrder
from workbench.pipeline.prompts.variant import DEFAULT_VARIANT, variant
from workbench.pipeline.recipes.mode import mode
from workbench.pipeline.recipes.scope import SEARCHED, ScopeName, scope
from workbench.workspace import CANDIDATES_LIMIT, PASSAGES_LIMIT, YamlForm

UserTurn = Literal["en", "follows"]
RetrieverName = Literal["hybrid", "lexical", "dense", "sparse", "rrf", "cc", "dbsf"]
Balance = Literal["none", "equal", "normalised"]
QueryExpansion = Literal["none", "decompose", "hyde", "multi-query"]
CompressorName = Literal["none", "tree-summarize", "refine"]
Normalisation = Literal["min-max", "theoretical-min-max", "z-score", "distribution"]
NeighbourSide = Literal["both", "previous", "next"]

BUILTIN, EXTRACTIVE, PASS = "builtin", "extractive", "pass"
"""The names of the built-in parts: encoder, translator and identifier; reader; no reranker."""
E5_SMALL = "e5-small"
DEFAULT_ENCODER = E5_SMALL if is_e5_small_installed() else BUILTIN
"""multilingual-e5-small where the package that carries its weights is installed: some platforms have none."""

TEXT_LIMIT = 8_000
"""Most characters of a recipe's YAML; a written one has about 400."""


NEW_TOKENS_LIMIT = 32_768
"""The most new tokens that a recipe may allow an answer."""
NEIGHBOURS_LIMIT = 5
"""The most passages that may join a candidate on one side."""


def _is_none(value: object) -> bool:
    return value is None


def _is_empty(name: str) -> bool:
    return not name


def _is_default_word(name: str) -> bool:
    return name in ("none", "ranked")


class Dialectic(BaseModel):
    """D-RAG's options. Three of the four parts may be left out.

    `argument_language_in`: whether parts 1 to 3 are each asked for in `argument_language` ("all"), or the first alone,
    as in the paper ("extraction"). Source: Ranaldi et al. (2025, D-RAG), Figure 2, Tables 6, 13 and 14.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    extraction: bool = Field(default=True, exclude_if=bool)
    explanation: bool = True
    argumentation: bool = True
    argument_language: str = "en"
    prompts: Literal["one", "four"] = "one"
    argument_language_in: Literal["all", "extraction"] = Field(default="all", exclude_if=lambda parts: parts == "all")

    @field_validator("argument_language")
    @classmethod
    def _known_language(cls, code: str) -> str:
        return language(code).code

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that are included, in order."""
        options = {
            "extraction": self.extraction,
            "explanation": self.explanation,
            "argumentation": self.argumentation,
            "answer": True,
        }
        return tuple(part for part, included in options.items() if included)


class Recipe(BaseModel):
    """Every choice that fixes an answer. `scope` defaults to that of the mode.

    Choices that came later are written, and part of the fingerprint, only where they are not the default, so that older
    recipes keep theirs. `max_new_tokens` is the generator's limit, None for the task's default (128 for a short answer,
    2,048 for D-RAG). `user_turn`: the labels and the instruction around documents and question are in English or in the
    prompt variant's language. `rrf_k` is the constant of RRF; `fusion_weight`, in [0, 1], the lexical share of hybrid,
    cc and dbsf; `fusion_depth` the fewest candidates that a fusion takes from each part; `normalisation` how cc makes
    the scores of its parts comparable; None for the defaults of `retrieval.hybrid`. `neighbours` is how many passages
    of its document, on `neighbour_side`, join each candidate. Of the k best passages the generator is given those with
    at least `score_threshold`, and the best `score_percentile` of them, in [0.01, 1]; None for all. Of a dense encoder,
    None for the encoder's own default: `centring`, in [0, 1], is how much of its language's mean is taken out of a
    vector; `levelling`, in [0, 1], how much of a question's nearness to whole languages is taken out of its scores;
    `sentence_share`, in [0, 1], how much a passage's best sentence counts; `builtin_view`, whether what the built-in
    encoder learnt from translations joins. `exact_search`: a dense index reads all vectors, where otherwise the best of
    very many are estimated first (`retrieval.dense`).

    `query_expansion` is what a language model writes to search with, and `compressor` how it sums up the documents that
    the generator then reads in their place; `expander` and `compressor_model` name that model, "" for the generator.
    `passage_order` is the order in which a prompt lists the passages.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: str = "sample"
    mode: str = "multirag"
    scope: ScopeName = "all"
    prompt: str = DEFAULT_VARIANT
    retriever: RetrieverName = "hybrid"
    encoder: str = DEFAULT_ENCODER
    candidates: int = Field(default=50, ge=1, le=CANDIDATES_LIMIT)
    balance: Balance = "none"
    translate_question: bool = False
    reranker: str = PASS
    k: int = Field(default=5, ge=1, le=PASSAGES_LIMIT)
    translator: str = BUILTIN
    generator: str = EXTRACTIVE
    dialectic: Dialectic = Dialectic()
    max_new_tokens: int | None = Field(default=None, ge=1, le=NEW_TOKENS_LIMIT, exclude_if=_is_none)
    user_turn: UserTurn = Field(default="follows", exclude_if=lambda turn: turn == "follows")
    rrf_k: int | None = Field(default=None, ge=0, le=1_000, exclude_if=_is_none)
    fusion_weight: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, exclude_if=_is_none)
    fusion_depth: int | None = Field(default=None, ge=1, le=CANDIDATES_LIMIT, exclude_if=_is_none)
    centring: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, exclude_if=_is_none)
    levelling: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, exclude_if=_is_none)
    sentence_share: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False, exclude_if=_is_none)
    builtin_view: bool | None = Field(default=None, exclude_if=_is_none)
    exact_search: bool = Field(default=False, exclude_if=lambda exact: not exact)
    normalisation: Normalisation | None = Field(default=None, exclude_if=_is_none)
    neighbours: int = Field(default=0, ge=0, le=NEIGHBOURS_LIMIT, exclude_if=lambda count: count == 0)
    neighbour_side: NeighbourSide = Field(default="both", exclude_if=lambda side: side == "both")
    score_threshold: float | None = Field(default=None, allow_inf_nan=False, exclude_if=_is_none)
    score_percentile: float | None = Field(default=None, ge=0.01, le=1, allow_inf_nan=False, exclude_if=_is_none)

    query_expansion: QueryExpansion = Field(default="none", exclude_if=_is_default_word)
    expander: str = Field(default="", exclude_if=_is_empty)
    compressor: CompressorName = Field(default="none", exclude_if=_is_default_word)
    compressor_model: str = Field(default="", exclude_if=_is_empty)
    passage_order: PassageOrder = Field(default="ranked", exclude_if=_is_default_word)

    @model_validator(mode="before")
    @classmethod
    def _default_scope(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.get("scope"):
            return {**data, "scope": mode(str(data.get("mode") or "multirag")).scope}
        return data

    @field_validator("mode")
    @classmethod
    def _known_mode(cls, name: str) -> str:
        return mode(name).name

    @field_validator("scope", mode="before")
    @classmethod
    def _known_scope(cls, name: Any) -> ScopeName:
        return scope(str(name))

    @field_validator("prompt")
    @classmethod
    def _known_prompt(cls, name: str) -> str:
        return variant(name).name

    @property
    def fingerprint(self) -> str:
        """A digest of all choices, the same for recipes that make the same ones."""
        return fingerprint("recipe", self.model_dump(mode="json"))

    @property
    def expanding_model(self) -> str:
        """The generator that expands the question, "" where it is not expanded."""
        if self.query_expansion == "none" or self.mode == "baseline":
            return ""
        return self.expander or self.generator

    @property
    def compressing_model(self) -> str:
        """The generator that sums up the documents, "" where they are read as they are."""
        if self.compressor == "none" or self.mode == "baseline":
            return ""
        return self.compressor_model or self.generator

    @property
    def language_models(self) -> tuple[str, ...]:
        """The language models that are called under this recipe, each once; the built-in reader is none."""
        names = (self.generator, self.expanding_model, self.compressing_model)
        return tuple(dict.fromkeys(name for name in names if name not in ("", EXTRACTIVE)))

    @property
    def departure(self) -> str:
        """How this departs from the mode's definition in its paper, in one sentence; "" where it does not."""
        definition = mode(self.mode)
        if self.mode == "baseline" or self.scope == definition.scope:
            return ""
        return (
            f"{definition.title}: the paper searches {SEARCHED[definition.scope]}; you search {SEARCHED[self.scope]} "
            f"({definition.source})."
        )

    def with_(self, **choices: Any) -> Recipe:
        """This recipe with some choices changed, validated anew."""
        return make_recipe({**self.model_dump(), **choices})


FORM = YamlForm(
    Recipe,
    noun="recipe",
    example="mode: multirag",
    command="--recipe recipe.yaml",
    limit=TEXT_LIMIT,
    remedy="Download a recipe from the Ask screen to see its form.",
)


def make_recipe(choices: Mapping[str, Any]) -> Recipe:
    """A recipe from plain values.

    Raises UsageError in one sentence for the first choice that is not allowed.
    """
    return FORM.make(choices)


def recipe_to_yaml(recipe: Recipe) -> str:
    """The recipe as YAML that people can read and edit."""
    return FORM.write(
        recipe,
        (
            f"A recipe of the mRAG workbench, fingerprint {recipe.fingerprint}.",
            "Run it: python -m workbench ask QUESTION --lang L --recipe THIS_FILE",
        ),
    )


def recipe_from_file(path: Path) -> Recipe:
    """The recipe in a YAML file. Raises UsageError."""
    return FORM.read_file(path)
