"""The recipe: every choice that fixes an answer, as one frozen value with a fingerprint.

The question and its language are not part of it. A recipe is read from and written as YAML; unknown keys are errors,
so that a typing mistake never silently falls back to a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workbench.core import fingerprint
from workbench.languages import language
from workbench.models import TokenLimits, is_e5_small_installed
from workbench.pipeline.choices import MODES, SEARCHED, TITLES, About, Effect, ScopeName, languages_in, mode, scope
from workbench.pipeline.prompts.compose import PassageOrder
from workbench.pipeline.prompts.variants import DEFAULT_VARIANT, PROMPTS, variant
from workbench.retrieval import CC_NORMALISATION, DEPTH, RRF_K, Normalisation
from workbench.workspace import CANDIDATES_LIMIT, PASSAGES_LIMIT, YamlForm

UserTurn = Literal["en", "follows"]
RetrieverName = Literal["hybrid", "lexical", "dense", "sparse", "rrf", "cc", "dbsf"]
Balance = Literal["none", "equal", "normalised"]
QueryExpansion = Literal["none", "decompose", "hyde", "hyde-mean", "multi-query"]
CompressorName = Literal["none", "tree-summarize", "refine"]
NeighbourSide = Literal["both", "previous", "next"]

BUILTIN, EXTRACTIVE, LIKENESS, PASS = "builtin", "extractive", "likeness", "pass"
"""The names of the built-in parts: encoder, translator and identifier; reader; no reranker."""
E5_SMALL = "e5-small"
DEFAULT_ENCODER = E5_SMALL if is_e5_small_installed() else BUILTIN
"""multilingual-e5-small where the package that carries its weights is installed: some platforms have none."""

ENCODER_WORDS = f"{E5_SMALL} where its package is installed, else {BUILTIN}"

TEXT_LIMIT = 8_000
"""Most characters of a recipe's YAML; a written one has about 400."""


NEW_TOKENS_LIMIT = 32_768
"""The most new tokens that a recipe may allow an answer."""
NEIGHBOURS_LIMIT = 5
"""The most passages that may join a candidate on one side."""


TRANSLATING_QUESTIONS = ("trag", "pivot")
"""The modes that always search with the question in English."""

SEARCHING = Effect("in a mode that searches", lambda recipe: recipe.mode != "baseline")
BY_VECTORS = Effect(
    "where an encoder is searched with: with every retriever but Lexical",
    lambda recipe: SEARCHING.when(recipe) and recipe.retriever != "lexical",
)
DENSE = Effect(
    "where a dense index is searched: with every retriever but Lexical and Sparse",
    lambda recipe: BY_VECTORS.when(recipe) and recipe.retriever != "sparse",
)
OWN_DENSE = Effect(
    "where the dense index of another encoder than the built-in one is searched",
    lambda recipe: DENSE.when(recipe) and recipe.encoder != BUILTIN,
)
FUSING = Effect(
    "with the retrievers Hybrid, RRF, CC and DBSF",
    lambda recipe: SEARCHING.when(recipe) and recipe.retriever in ("hybrid", "rrf", "cc", "dbsf"),
)
WEIGHTED = Effect(
    "with the retrievers Hybrid, CC and DBSF", lambda recipe: FUSING.when(recipe) and recipe.retriever != "rrf"
)
BY_SCORE = Effect("with the retriever CC", lambda recipe: SEARCHING.when(recipe) and recipe.retriever == "cc")
BY_RANK = Effect(
    "with the retriever RRF, and where queries are expanded",
    lambda recipe: SEARCHING.when(recipe) and (recipe.retriever == "rrf" or recipe.query_expansion != "none"),
)
WITH_NEIGHBOURS = Effect("with neighbours", lambda recipe: SEARCHING.when(recipe) and recipe.neighbours > 0)
EXPANDING = Effect("with a query expansion", lambda recipe: bool(recipe.expanding_model))
AVERAGING = Effect(
    "with the query expansion HyDE by mean",
    lambda recipe: EXPANDING.when(recipe) and recipe.query_expansion == "hyde-mean",
)
COMPRESSING = Effect("with a compressor", lambda recipe: bool(recipe.compressing_model))
UNCOMPRESSED = Effect(
    "in a mode that searches, without a compressor",
    lambda recipe: SEARCHING.when(recipe) and not recipe.compressing_model,
)
BY_CHOICE = Effect(
    "in a mode that searches and does not translate the question anyway, as tRAG and Pivot do",
    lambda recipe: SEARCHING.when(recipe) and recipe.mode not in TRANSLATING_QUESTIONS,
)
TRANSLATING = Effect(
    "where something is translated: in tRAG, CrossRAG and Pivot, for the search, and by the built-in reader",
    lambda recipe: (
        recipe.mode in (*TRANSLATING_QUESTIONS, "crossrag")
        or (BY_CHOICE.when(recipe) and recipe.translate_question)
        or recipe.generator == EXTRACTIVE
    ),
)
DIALECTIC = Effect("in the mode D-RAG", lambda recipe: recipe.mode == "drag")
PLAIN = Effect("in every mode but D-RAG, which has a prompt of its own", lambda recipe: recipe.mode != "drag")
BY_MODEL = Effect(
    "where a language model writes the answer, which the built-in reader is not",
    lambda recipe: recipe.generator != EXTRACTIVE,
)


def _later(default: Any, title: str, description: str, **limits: Any) -> Any:
    """A field that is written, and part of the fingerprint, only where it is not the default.

    A recipe without it is then the same as before the field was there.
    """
    return Field(
        default=default, title=title, description=description, exclude_if=lambda value: value == default, **limits
    )


class Dialectic(BaseModel):
    """D-RAG's options. Three of the four parts may be left out.

    Source: Ranaldi et al. (2025, D-RAG), Figure 2, Tables 6, 13 and 14.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    extraction: Annotated[bool, About("dialectic", effect=DIALECTIC, in_chain=True)] = _later(
        True, "D-RAG extraction", "D-RAG's first part: what matters in the documents."
    )
    explanation: Annotated[bool, About("dialectic", effect=DIALECTIC, in_chain=True)] = Field(
        default=True, title="D-RAG explanation", description="D-RAG's second part: what each document says."
    )
    argumentation: Annotated[bool, About("dialectic", effect=DIALECTIC, in_chain=True)] = Field(
        default=True, title="D-RAG argumentation", description="D-RAG's third part: the claims weighed."
    )
    argument_language: Annotated[str, About("dialectic", effect=DIALECTIC, in_chain=True, lists="languages")] = Field(
        default="en",
        title="Language of the argument",
        description="The language of explanation and argument: Ranaldi et al. (2025, D-RAG), Table 13.",
    )
    prompts: Annotated[
        Literal["one", "four"],
        About(
            "dialectic",
            options={"one": "One for all parts", "four": "One per part"},
            effect=DIALECTIC,
            in_chain=True,
        ),
    ] = Field(
        default="one",
        title="D-RAG prompts",
        description="All parts from one prompt, or each from a separate one (Table 14).",
    )
    argument_language_in: Annotated[
        Literal["all", "extraction"],
        About(
            "dialectic",
            options={"all": "Parts 1 to 3", "extraction": "Part 1"},
            effect=DIALECTIC,
            in_chain=True,
        ),
    ] = _later(
        "all",
        "Parts that name the language",
        "Whether each part names the language of the argument, or the first alone, as in the paper (Table 6); all "
        "where the first is left out.",
    )

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
    """Every choice that fixes an answer, each described where it stands. `scope` defaults to that of the mode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: Annotated[str, About("corpus", lists="corpora")] = Field(
        default="sample", title="Corpus", description="The documents to search."
    )
    mode: Annotated[str, About("mode", options={item.name: item.title for item in MODES}, in_chain=True)] = Field(
        default="multirag",
        title="Mode",
        description="The RAG method: what is translated, what is searched, and what the generator receives.",
    )
    scope: Annotated[ScopeName, About("scope", options=TITLES, effect=SEARCHING, unset="the mode's", in_chain=True)] = (
        Field(
            default="all",
            title="Scope",
            description="Which languages are searched. Each mode sets its default; change it to see the effect.",
        )
    )
    prompt: Annotated[
        str,
        About("prompt-variant", options={item.name: item.title for item in PROMPTS}, effect=PLAIN, in_chain=True),
    ] = Field(
        default=DEFAULT_VARIANT,
        title="Prompt variant",
        description="The system prompt: one of the six in Chirkova et al. (2024), Table 2, or that of another paper, "
        "in our words.",
    )
    retriever: Annotated[
        RetrieverName,
        About(
            "retrieval",
            options={
                "hybrid": "Hybrid: words and meaning",
                "lexical": "Lexical: BM25",
                "dense": "Dense: nearest in meaning",
                "sparse": "Sparse: learned word weights",
                "rrf": "RRF: fusion by rank",
                "cc": "CC: fusion by score",
                "dbsf": "DBSF: fusion by score distribution",
            },
            effect=SEARCHING,
        ),
    ] = Field(
        default="hybrid",
        title="Retriever",
        description="How passages are retrieved: by words, by meaning across languages, or by a fusion of both.",
    )
    encoder: Annotated[
        str,
        About(
            "retrieval",
            role="encoder",
            effect=BY_VECTORS,
            unset=ENCODER_WORDS,
        ),
    ] = Field(
        default=DEFAULT_ENCODER,
        title="Encoder",
        description="Turns texts into vectors, for every retriever but the lexical one. Each corpus is indexed once "
        "with an encoder.",
    )
    candidates: Annotated[int, About("retrieval", effect=SEARCHING, in_chain=True)] = Field(
        default=50, ge=1, le=CANDIDATES_LIMIT, title="Candidates", description="Passages retrieved before reranking."
    )
    balance: Annotated[
        Balance,
        About(
            "language-balance",
            options={
                "none": "As ranked",
                "equal": "Equal share per language",
                "normalised": "Normalised by language",
            },
            effect=SEARCHING,
        ),
    ] = Field(
        default="none",
        title="Language balance",
        description="Retrievers favour English; a balance gives the scope's other languages their share.",
    )
    translate_question: Annotated[bool, About("question-translation", effect=BY_CHOICE, in_chain=True)] = Field(
        default=False,
        title="Translate the question for search",
        description="Search with the question in English. tRAG and Pivot always do.",
    )
    reranker: Annotated[str, About("reranker", role="reranker", effect=SEARCHING)] = Field(
        default=PASS, title="Reranker", description="Reorders the candidates for the question."
    )
    k: Annotated[int, About("reranker", effect=SEARCHING, in_chain=True)] = Field(
        default=5,
        ge=1,
        le=PASSAGES_LIMIT,
        title="Passages to the generator (k)",
        description="How many of the candidates the generator receives.",
    )
    translator: Annotated[str, About("translator", role="translator", effect=TRANSLATING)] = Field(
        default=BUILTIN,
        title="Translator",
        description="Translates questions, documents or answers if the mode requires it.",
    )
    generator: Annotated[str, About("generator", role="generator")] = Field(
        default=EXTRACTIVE,
        title="Generator",
        description="Writes the answer. A language model is called only when it is asked for.",
    )
    dialectic: Annotated[Dialectic, About("dialectic", effect=DIALECTIC, in_chain=True)] = Field(
        default=Dialectic(),
        title="D-RAG's parts",
        description="The parts of a D-RAG answer, and how each is asked for.",
    )
    max_new_tokens: Annotated[
        int | None,
        About("generator", effect=BY_MODEL, unset=f"{TokenLimits().short}; {TokenLimits().dialectic} for D-RAG"),
    ] = _later(None, "Tokens of the answer", "The most that a language model may write.", ge=1, le=NEW_TOKENS_LIMIT)
    user_turn: Annotated[
        UserTurn,
        About(
            "prompt-variant",
            options={"follows": "That of the prompt variant", "en": "English"},
            effect=PLAIN,
            in_chain=True,
        ),
    ] = _later(
        "follows",
        "Language of the user turn",
        "The language of the labels and the instruction around documents and question.",
    )
    rrf_k: Annotated[int | None, About("retrieval", effect=BY_RANK, unset=str(RRF_K))] = _later(
        None,
        "Constant of RRF",
        "The larger it is, the smaller the advantage of the top ranks.",
        ge=0,
        le=1_000,
    )
    fusion_weight: Annotated[
        float | None, About("retrieval", effect=WEIGHTED, unset="The retriever's own", step=0.05)
    ] = _later(
        None,
        "Lexical share",
        "The weight of words against meaning in Hybrid, CC and DBSF.",
        ge=0,
        le=1,
        allow_inf_nan=False,
    )
    fusion_depth: Annotated[int | None, About("retrieval", effect=FUSING, unset=str(DEPTH))] = _later(
        None,
        "Depth of the fusion",
        "The minimum number of candidates taken from each of the two searches, by words and by meaning.",
        ge=1,
        le=CANDIDATES_LIMIT,
    )
    centring: Annotated[float | None, About("retrieval", effect=OWN_DENSE, unset="The encoder's own", step=0.05)] = (
        _later(
            None,
            "Centring",
            "How much of the mean vector of its language is subtracted from each vector.",
            ge=0,
            le=1,
            allow_inf_nan=False,
        )
    )
    levelling: Annotated[float | None, About("retrieval", effect=OWN_DENSE, unset="The encoder's own", step=0.05)] = (
        _later(
            None,
            "Levelling",
            "How far scores are corrected where a question is near to a whole language rather than to a passage.",
            ge=0,
            le=1,
            allow_inf_nan=False,
        )
    )
    sentence_share: Annotated[
        float | None, About("retrieval", effect=OWN_DENSE, unset="The encoder's own", step=0.05)
    ] = _later(
        None,
        "Share of the best sentence",
        "The weight of a passage's best sentence against the whole passage.",
        ge=0,
        le=1,
        allow_inf_nan=False,
    )
    builtin_view: Annotated[bool | None, About("retrieval", effect=OWN_DENSE, unset="As the encoder has it")] = _later(
        None,
        "Join the built-in encoder",
        "Whether what the built-in encoder learnt from translations joins the search.",
    )
    exact_search: Annotated[bool, About("retrieval", effect=DENSE)] = _later(
        False,
        "Exact search",
        "Read all vectors of a dense index, where otherwise the best of very many are estimated first.",
    )
    normalisation: Annotated[
        Normalisation | None,
        About(
            "retrieval",
            options={
                "min-max": "Min-max",
                "theoretical-min-max": "Theoretical min-max",
                "z-score": "Z-score",
                "distribution": "By distribution",
            },
            effect=BY_SCORE,
            unset=CC_NORMALISATION,
        ),
    ] = _later(
        None,
        "Normalisation of scores",
        "How CC makes the scores of words and of meaning comparable before it adds them.",
    )
    neighbours: Annotated[int, About("augmenter", effect=SEARCHING)] = _later(
        0,
        "Neighbours",
        "Passages next to each candidate in its document that join the candidates, on each side. 0: none.",
        ge=0,
        le=NEIGHBOURS_LIMIT,
    )
    neighbour_side: Annotated[
        NeighbourSide,
        About(
            "augmenter",
            options={"both": "Both sides", "previous": "Before", "next": "After"},
            effect=WITH_NEIGHBOURS,
        ),
    ] = _later("both", "Neighbours from", "Whether the passages before a candidate join, those after it, or both.")
    score_threshold: Annotated[
        float | None, About("filter", effect=SEARCHING, unset="No limit", step=0.1, in_chain=True)
    ] = _later(
        None,
        "Minimum score",
        "Passages below this score of the last ranking are removed. If none is left, no document was found.",
        allow_inf_nan=False,
    )
    score_percentile: Annotated[
        float | None, About("filter", effect=SEARCHING, unset="All", step=0.05, in_chain=True)
    ] = _later(
        None,
        "Share of passages kept",
        "Of the passages to the generator, the best ones are kept: this share of them, and at least one.",
        ge=0.01,
        le=1,
        allow_inf_nan=False,
    )
    query_expansion: Annotated[
        QueryExpansion,
        About(
            "query-expansion",
            options={
                "none": "None: the question itself",
                "decompose": "Decompose: simpler questions",
                "hyde": "HyDE: a passage that would answer it",
                "hyde-mean": "HyDE by mean: the question and several such passages as one",
                "multi-query": "Multi-query: the question in other words",
            },
            effect=SEARCHING,
        ),
    ] = _later(
        "none",
        "Query expansion",
        "What a language model writes to search with. Rankings of several queries are fused by rank.",
    )
    expander: Annotated[str, About("query-expansion", role="generator", effect=EXPANDING, unset="The generator")] = (
        _later("", "Query expansion model", "The language model that writes what is searched with.")
    )
    hyde_passages: Annotated[int, About("query-expansion", effect=AVERAGING)] = _later(
        8,
        "Passages of HyDE",
        "How many passages are drawn, whose vectors are averaged with the question's.",
        ge=1,
        le=32,
    )
    compressor: Annotated[
        CompressorName,
        About(
            "compressor",
            options={
                "none": "None: the documents themselves",
                "tree-summarize": "Tree summarize: notes on all documents",
                "refine": "Refine: notes, document by document",
            },
            effect=SEARCHING,
        ),
    ] = _later(
        "none",
        "Compressor",
        "Notes that a language model writes about the documents; the generator reads them instead.",
    )
    compressor_model: Annotated[
        str, About("compressor", role="generator", effect=COMPRESSING, unset="The generator")
    ] = _later("", "Compressor model", "The language model that writes the notes.")
    passage_order: Annotated[
        PassageOrder,
        About(
            "prompt-maker",
            options={
                "ranked": "Ranked: best first",
                "reversed": "Reversed: best last",
                "best-repeated": "Best first and repeated at the end",
                "long-context": "Long context: the two best at the ends",
            },
            effect=UNCOMPRESSED,
            in_chain=True,
        ),
    ] = _later(
        "ranked",
        "Passage order",
        "In which order the generator reads the passages. Each keeps its number. Notes have no order.",
    )

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

    def searched(self, language: str, corpus: Sequence[str]) -> tuple[str, ...]:
        """Those of a corpus's languages that a question in `language` searches, () in a mode that searches nothing.

        Raises EmptyScopeError where the scope holds none of them.
        """
        return () if self.mode == "baseline" else languages_in(self.scope, language, corpus)

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
