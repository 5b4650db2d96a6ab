"""The shipped recipes: what the papers did, each with its source."""

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.components.references import reference
from workbench.core.errors import DataError, UsageError
from workbench.core.protocols import Role
from workbench.models.translation.services import TRANSLATION_SERVICES
from workbench.pipeline.prompts.variants import variant
from workbench.pipeline.published_recipes import ShippedRecipe, load_shipped, shipped_recipe, shipped_recipes
from workbench.pipeline.recipe import E5_SMALL

BUILT_IN = {E5_SMALL, "builtin", "pass", "extractive", *TRANSLATION_SERVICES}
ENTRY = """
title: Mine
paper: Nobody 2026
place: Table 1
recipe: {mode: monorag, k: 3}
"""


def choices(name: str, *keys: str) -> tuple[object, ...]:
    recipe = shipped_recipe(name).recipe.model_dump()
    return tuple(recipe[key] for key in keys)


NAMES = (
    "chirkova-best", "chirkova-bge-m3-qt", "chirkova-splade-qt",
    "ranaldi-monorag", "ranaldi-trag", "ranaldi-multirag", "ranaldi-crossrag",
    "ranaldi-drag-one", "ranaldi-drag-four", "ranaldi-drag-rag", "ranaldi-drag-no-rag",
    "singh-document-qa", "kim-autorag-winner",
)  # fmt: skip


def test_every_recipe_of_the_five_papers_ships() -> None:
    assert {item.name for item in shipped_recipes()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_names_paper_and_table_and_is_a_distinct_recipe(name: str) -> None:
    item = shipped_recipe(name)
    assert "20" in item.paper or item.paper == "Singh et al. (n.d.)"
    assert any(word in item.place for word in ("Table", "section"))
    assert item.source == f"{item.paper}, {item.place}"
    assert all(sentence.endswith(".") for sentence in item.departs)
    assert [other.recipe.fingerprint for other in shipped_recipes()].count(item.recipe.fingerprint) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("role", ["encoder", "reranker", "translator", "generator"])
def test_each_names_components_that_are_known_in_their_roles(name: str, role: Role) -> None:
    component = shipped_recipe(name).recipe.model_dump()[role]
    assert component in BUILT_IN or reference(component, role).known is not None


def test_the_best_of_chirkova_et_al() -> None:
    keys = ("mode", "scope", "prompt", "retriever", "encoder", "candidates", "reranker", "k", "generator")
    assert choices("chirkova-best", *keys) == (
        "multirag", "all", "reply-short-in-ul-ul", "dense", "bge-m3", 50, "bge-reranker-v2-m3", 5, "command-r-35b",
    )  # fmt: skip


def test_query_translation_searches_english_with_the_question_translated_by_nllb() -> None:
    for name, encoder in (("chirkova-bge-m3-qt", "bge-m3"), ("chirkova-splade-qt", "splade-v3")):
        assert choices(name, "scope", "translate_question", "translator", "encoder") == (
            "en",
            True,
            "nllb-200-distilled-600m",
            encoder,
        )


@pytest.mark.parametrize(
    ("mode", "scope"), [("monorag", "ul"), ("trag", "en"), ("multirag", "all"), ("crossrag", "all")]
)
def test_crossrags_four_pipelines_differ_in_mode_and_scope(mode: str, scope: str) -> None:
    assert choices(f"ranaldi-{mode}", "mode", "scope", "encoder", "candidates", "k", "generator") == (
        mode, scope, "cohere-embed-multilingual-v3", 50, 5, "gpt-4o",
    )  # fmt: skip
    assert shipped_recipe(f"ranaldi-{mode}").recipe.departure == ""


def test_d_rag_asks_in_one_prompt_or_in_four() -> None:
    one, four = (shipped_recipe(f"ranaldi-drag-{number}").recipe for number in ("one", "four"))
    assert (one.candidates, one.k, one.dialectic.argument_language) == (10, 5, "en")
    assert (one.dialectic.prompts, four.dialectic.prompts) == ("one", "four")
    assert one.dialectic.parts == ("extraction", "explanation", "argumentation", "answer")


def test_document_qa_goes_through_english() -> None:
    assert choices("singh-document-qa", "mode", "retriever", "encoder", "k") == (
        "pivot",
        "rrf",
        "multilingual-e5-base",
        5,
    )


def test_autorags_winner_reranks_with_the_llm_reranker() -> None:
    assert choices("kim-autorag-winner", "reranker", "generator", "k") == ("bge-reranker-v2-gemma", "gpt-3.5-turbo", 5)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("chirkova")])
def test_the_layout_of_a_prompt_that_is_not_the_paper_s_is_a_departure(name: str) -> None:
    assert any("layout of Ranaldi et al. (2025, CrossRAG)" in line for line in shipped_recipe(name).departs)


def test_autorags_winner_fuses_by_distribution() -> None:
    assert choices("kim-autorag-winner", "retriever") == ("dbsf",)


FAMILY_OF = {
    "chirkova": "",
    "ranaldi": "answer-from-evidence",
    "singh": "context-or-abstain",
    "kim": "two-sentences",
}
OWN_WORDING = "wording is ours"
PAPERS: dict[str, dict[str, tuple[object, str]]] = {
    **{name: {"max_new_tokens": (None, "tokens"), "user_turn": ("en", "user turn")} for name in NAMES[:3]},
    **{name: {"max_new_tokens": (2048, "new tokens"), "k": (5, "keeps")} for name in NAMES[3:7]},
    "ranaldi-drag-rag": {"max_new_tokens": (2048, "new tokens"), "candidates": (10, "candidates")},
    "ranaldi-drag-no-rag": {"max_new_tokens": (2048, "new tokens"), "mode": ("baseline", "retriev")},
    "singh-document-qa": {
        "translator": ("sarvam", "Sarvam"),
        "max_new_tokens": ("not stated", "limit of new tokens"),
        "fusion_depth": (20, "from each part"),
        "rrf_k": (60, "RRF"),
        "k": (5, "passages to the model"),
    },
    "kim-autorag-winner": {
        "max_new_tokens": ("not stated", "limit of new tokens"),
        "fusion_weight": (0.7, "weight"),
        "candidates": ("10, the best 15 of 30 with neighbours", "keeps the best 15 of 30"),
        "neighbours": (1, "previous"),
        "neighbour_side": ("both", "previous"),
    },
}  # fmt: skip
"""What the papers say of a choice, and the words of the sentence that must be there where the recipe differs."""


@pytest.mark.parametrize("name", NAMES)
def test_each_names_its_family_and_says_whose_words_they_are(name: str) -> None:
    item = shipped_recipe(name)
    family = FAMILY_OF[name.partition("-")[0]]
    if item.recipe.mode == "drag":
        assert any(OWN_WORDING in line for line in item.departs)
        return
    prompt = variant(item.recipe.prompt)
    assert prompt.family == family
    assert not family or prompt.prompt_language == "en"
    assert any(OWN_WORDING in line and family in line for line in item.departs) == bool(family)


@pytest.mark.parametrize(
    ("name", "choice"), [(name, choice) for name, choices_of in PAPERS.items() for choice in choices_of]
)
def test_a_departure_is_listed_exactly_where_a_choice_is_not_the_papers(name: str, choice: str) -> None:
    item = shipped_recipe(name)
    stated, words = PAPERS[name][choice]
    assert any(words in line for line in item.departs) == (getattr(item.recipe, choice) != stated)


def test_d_rag_asks_for_english_where_the_paper_does() -> None:
    recipes = [shipped_recipe(f"ranaldi-drag-{name}").recipe for name in ("one", "four")]
    assert [item.dialectic.argument_language_in for item in recipes] == ["extraction"] * 2


def test_d_rags_controls_are_the_same_model_without_documents_and_with_plain_rag() -> None:
    drag, rag, none = (shipped_recipe(f"ranaldi-drag-{name}").recipe for name in ("one", "rag", "no-rag"))
    keys = ("retriever", "encoder", "candidates", "k", "scope", "generator")
    assert [getattr(drag, key) for key in keys] == [getattr(rag, key) for key in keys]
    assert (none.mode, none.generator, none.prompt) == ("baseline", drag.generator, rag.prompt)


def test_an_unknown_name_lists_the_shipped_ones() -> None:
    with pytest.raises(UsageError, match=r"Unknown published recipe “best”\. Allowed: chirkova-best, "):
        shipped_recipe("best")


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], tuple[ShippedRecipe, ...]]:
    def write_and_load(text: str) -> tuple[ShippedRecipe, ...]:
        (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
        return load_shipped(tmp_path)

    return write_and_load


def test_a_recipe_is_added_by_a_file_alone(load: Callable[[str], tuple[ShippedRecipe, ...]]) -> None:
    item = load(ENTRY)[0]
    assert (item.name, item.source, item.departs, item.recipe.scope) == ("mine", "Nobody 2026, Table 1", (), "ul")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("title: Mine\n", "", "mine.yaml: “title” must be a text"),
        ("paper:", "papers:", "mine.yaml: unknown key “papers”"),
        ("place: Table 1", "place: 1", "“place” must be a text"),
        ("recipe: {", "departs: yes\nrecipe: {", "“departs” must be a list of sentences"),
        ("mode: monorag", "mode: polyrag", "Unknown mode “polyrag”"),
        ("k: 3", "kk: 3", "Unknown recipe key “kk”"),
        ("{mode: monorag, k: 3}", "monorag", "“recipe” must contain"),
        (ENTRY, "- a\n", "mine.yaml: it must hold title, paper"),
        (ENTRY, "a: [1", "mine.yaml: it is not YAML"),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(
    load: Callable[[str], tuple[ShippedRecipe, ...]], old: str, new: str, expected: str
) -> None:
    assert old in ENTRY
    with pytest.raises(DataError) as caught:
        load(ENTRY.replace(old, new))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
