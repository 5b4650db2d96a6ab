"""The choice and its URL."""

from typing import get_args
from urllib.parse import parse_qs

from hypothesis import given, strategies as st

from workbench.pipeline.choices import MODES, SCOPES
from workbench.pipeline.prompts.compose import PassageOrder
from workbench.pipeline.prompts.variants import VARIANTS
from workbench.pipeline.recipe import (
    Balance,
    CompressorName,
    NeighbourSide,
    QueryExpansion,
    RetrieverName,
    make_recipe,
)
from workbench.retrieval.hybrid import Normalisation
from workbench.ui.ask.ask_state import Choice, link

NAMES = ("sample", "mine")
CORPORA = {"corpus": NAMES}

recipes = st.builds(
    lambda **choices: make_recipe(choices),
    mode=st.sampled_from([item.name for item in MODES]),
    scope=st.sampled_from(SCOPES),
    prompt=st.sampled_from([item.name for item in VARIANTS]),
    corpus=st.sampled_from(NAMES),
    k=st.integers(1, 20),
    candidates=st.integers(1, 200),
    retriever=st.sampled_from(get_args(RetrieverName)),
    encoder=st.sampled_from(["builtin", "bge-m3", "sentence-transformers:/models/mine"]),
    reranker=st.sampled_from(["pass", "cross-encoder:/models/mine"]),
    translator=st.sampled_from(["builtin", "google"]),
    generator=st.sampled_from(["extractive", "openai-like:llama3:8b@http://127.0.0.1:8000/v1"]),
    balance=st.sampled_from(get_args(Balance)),
    translate_question=st.booleans(),
    query_expansion=st.sampled_from(get_args(QueryExpansion)),
    expander=st.sampled_from(["", "openai-like:llama3:8b@there"]),
    compressor=st.sampled_from(get_args(CompressorName)),
    passage_order=st.sampled_from(get_args(PassageOrder)),
    normalisation=st.sampled_from([None, *get_args(Normalisation)]),
    neighbours=st.integers(0, 5),
    neighbour_side=st.sampled_from(get_args(NeighbourSide)),
    score_threshold=st.none() | st.floats(-20, 20),
    score_percentile=st.none() | st.floats(0.01, 1),
    dialectic=st.fixed_dictionaries(
        {
            "explanation": st.booleans(),
            "argumentation": st.booleans(),
            "argument_language": st.sampled_from(["en", "ar", "th"]),
            "prompts": st.sampled_from(["one", "four"]),
        }
    ),
)
questions = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
choices = st.builds(
    Choice, question=questions, language=st.sampled_from(["", "ar", "qu"]), recipe=recipes, submitted=st.booleans()
)


@given(choices)
def test_a_choice_comes_back_from_its_parameters(choice: Choice) -> None:
    assert Choice.from_params(choice.to_params(), CORPORA) == (choice, ())


@given(choices)
def test_a_choice_comes_back_from_its_link(choice: Choice) -> None:
    params = parse_qs(link(choice).removeprefix("ask?"), keep_blank_values=True)
    assert Choice.from_params(params, CORPORA)[0] == choice


def test_an_empty_url_is_the_default_choice() -> None:
    assert Choice.from_params({}, CORPORA) == (Choice(), ())


def test_a_mode_without_a_scope_sets_its_default() -> None:
    assert Choice.from_params({"mode": ["trag"]}, CORPORA)[0].recipe.scope == "en"


def test_each_bad_value_gives_a_sentence_and_the_default() -> None:
    bad = {
        "mode": "magic",
        "scope": "mars",
        "prompt": "p",
        "k": "900",
        "lang": "KLINGON",
        "corpus": "x",
        "dialectic.prompts": "9",
    }
    choice, problems = Choice.from_params({"q": ["Who?"], **{name: [text] for name, text in bad.items()}}, CORPORA)
    assert choice == Choice(question="Who?")
    assert len(problems) == len(bad)
    assert any("magic" in sentence and "multirag" in sentence for sentence in problems)


def test_unknown_parameters_are_ignored() -> None:
    assert Choice.from_params({"utm_source": ["mail"]}, CORPORA) == (Choice(), ())
