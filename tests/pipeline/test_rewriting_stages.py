"""Expanding, compressing and ordering as stages: their place, what they add, one search per batch, failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.pipeline.fakes import FakeParts, FakeRetriever, MemoryCache
from workbench.core.errors import GenerationFailed, WorkbenchError
from workbench.core.protocols import Components
from workbench.core.records import AveragedQuery, Compression, Expansion, Hit, Query, Ranking, Task, Usage
from workbench.pipeline.chain import build_chain
from workbench.pipeline.choices import MODES
from workbench.pipeline.executor import Executor, StepKeys, TracedState
from workbench.pipeline.prompts.compose import nothing_retrieved_answer
from workbench.pipeline.recipe import make_recipe
from workbench.pipeline.searching import fused_rankings
from workbench.pipeline.stage import State, bind

SCOPE = ("en", "fi", "th")
QUESTION = State("Mikä?", "fi", SCOPE)
USAGE = Usage(7, 3, estimated=False, seconds=0.5)
KEYS = {
    "baseline": "ae25677966cadd39 3bc0e18b258380c6 9a5ef5bc16d1080d 0707d117ac66669d",
    "monorag": "26862ede10519165 ba03702d040f1144 2741b2a24fc5d024 23df8c302f0fa46f 75842d8f40e89602 0707d117ac66669d",
    "trag": "b151d48e92e966c2 b096c9270a7afd41 1a804a9cc66e4d7d 2741b2a24fc5d024 23df8c302f0fa46f 75842d8f40e89602 "
    "0707d117ac66669d",
    "crossrag": "26862ede10519165 ba03702d040f1144 e8f303e99bf27553 b32ddd6d0eb76f95 89c699dd04f776de 78ce5d28bed24751 "
    "0707d117ac66669d",
    "drag": "26862ede10519165 ba03702d040f1144 13ebf63abd6c1a05 32cbf6c94cf40a39 fcf7eab693ceabf3 0707d117ac66669d",
    "pivot": "b151d48e92e966c2 b096c9270a7afd41 1a804a9cc66e4d7d 7ee3753fe43eeccd 3a918bd8c4544055 6f80256ebbe211ac "
    "b46ac18a62191f7e 7eb8c4e7a03c9af0",
}
"""The keys of every step, the same in every process: whoever changes one drops what is cached."""


@dataclass
class TwoQueries:
    """Expands every question to two, but one that is to fail."""

    identity: str = "two queries"
    texts: list[str] = field(default_factory=list)

    def expand(self, queries: Sequence[Query]) -> list[Expansion | WorkbenchError]:
        self.texts += [query.text for query in queries]
        return [
            GenerationFailed("No reply.")
            if "fail" in query.text
            else Expansion((f"{query.text} a", f"{query.text} b"), query.language, usage=USAGE)
            for query in queries
        ]


@dataclass
class Notes:
    """Notes on the documents of every question; none bears on it where `abstains`."""

    abstains: bool = False
    identity: str = "notes"
    tasks: list[Task] = field(default_factory=list)

    def compress(self, tasks: Sequence[Task]) -> list[Compression | WorkbenchError]:
        self.tasks += tasks
        text = "" if self.abstains else "Marconi did it [1]."
        ranks = (1, 2, 3)
        return [Compression(text, task.language, ranks, abstains=self.abstains, usage=USAGE) for task in tasks]


def parts(fakes: FakeParts, **more: Any) -> Components:
    return replace(fakes.parts, **more)


def traced(components: Components, *states: State, **choices: Any) -> list[TracedState]:
    return Executor(on_error="isolate").run(build_chain(make_recipe(choices), components), states or (QUESTION,))


@pytest.mark.parametrize("mode", KEYS)
def test_the_key_of_every_step_is_the_same_in_every_process(mode: str) -> None:
    keys, state, numbers = StepKeys(), QUESTION, []
    for stage in bind(build_chain(make_recipe({"mode": mode, "encoder": "builtin"}), FakeParts().parts).stages):
        numbers.append(keys.key(stage, state))
        state = Executor().step(stage, [state])[0].state
    assert " ".join(numbers) == KEYS[mode]


@pytest.mark.parametrize("mode", [item.name for item in MODES if item.name != "baseline"])
def test_the_question_is_expanded_before_the_search_and_documents_are_compressed_before_the_prompt(mode: str) -> None:
    with_both = build_chain(make_recipe({"mode": mode}), parts(FakeParts(), expander=TwoQueries(), compressor=Notes()))
    names = [stage.name for stage in with_both.stages]
    assert names[names.index("retrieve") - 1] == "expand query"
    assert names[names.index("compose") - 1] == "compress"
    rest = [name for name in names if name not in ("expand query", "compress")]
    assert rest == [stage.name for stage in build_chain(make_recipe({"mode": mode}), FakeParts().parts).stages]


def test_a_mode_that_searches_nothing_expands_and_compresses_nothing() -> None:
    chain = build_chain(
        make_recipe({"mode": "baseline"}), parts(FakeParts(), expander=TwoQueries(), compressor=Notes())
    )
    assert [stage.name for stage in chain.stages] == ["compose", "generate", "read answer", "detect language"]


def test_all_queries_of_all_questions_are_retrieved_at_once() -> None:
    fakes = FakeParts()
    traced(parts(fakes, expander=TwoQueries()), QUESTION, State("Kuka?", "fi", ("fi",)))
    assert fakes.retriever.batches == 1
    assert [query.text for query in fakes.retriever.queries] == ["Mikä? a", "Mikä? b", "Kuka? a", "Kuka? b"]
    assert [query.languages for query in fakes.retriever.queries] == [SCOPE, SCOPE, ("fi",), ("fi",)]


def test_the_reranker_is_given_the_question_itself() -> None:
    (item,) = traced(parts(FakeParts(), expander=TwoQueries()))
    assert item.state.query == Query("Mikä?", "fi", SCOPE)


def test_a_translated_question_is_expanded_as_translated() -> None:
    expander = TwoQueries()
    (item,) = traced(parts(FakeParts(), expander=expander), mode="trag")
    assert expander.texts == ["[fi>en] Mikä?"]
    assert item.state.expansion is not None
    assert item.state.expansion.language == "en"


def test_the_queries_and_tokens_are_facts_of_the_step() -> None:
    (item,) = traced(parts(FakeParts(), expander=TwoQueries()))
    step = next(step for step in item.steps if step.name == "expand query")
    assert step.facts == {"queries": "[1] Mikä? a [2] Mikä? b", "tokens": "7 read, 3 written"}


def test_one_question_that_cannot_be_expanded_fails_alone() -> None:
    expander = TwoQueries()
    first, second = traced(parts(FakeParts(), expander=expander), State("fail", "en", SCOPE), QUESTION)
    assert (first.failure, second.failure) == ("No reply.", "")
    assert expander.texts == ["fail", "Mikä?"]  # nobody is asked twice


def test_an_expansion_is_read_from_the_cache() -> None:
    expander, cache = TwoQueries(), MemoryCache()
    chain = build_chain(make_recipe({}), parts(FakeParts(), expander=expander, compressor=Notes()))
    first, second = (Executor(cache).run(chain, [QUESTION])[0] for _ in range(2))
    assert first.state == second.state
    assert expander.texts == ["Mikä?"]


def hits(*names: str, score: float = 1.0) -> Ranking:
    return tuple(
        Hit(name, ord(name), "en", score / place, {"dense": score / place}) for place, name in enumerate(names, 1)
    )


def test_rankings_are_fused_by_reciprocal_rank_by_hand() -> None:
    fused = fused_rankings([hits("a", "b", "c"), hits("c", "a")], 60, 50)
    expected = {"a": 1 / 61 + 1 / 62, "c": 1 / 63 + 1 / 61, "b": 1 / 62}
    assert {hit.id: hit.score for hit in fused} == pytest.approx(expected)
    assert [hit.id for hit in fused] == ["a", "c", "b"]
    assert fused[1].scores == {"dense": pytest.approx(1 / 3), "queries": pytest.approx(expected["c"])}


def test_a_fusion_has_as_many_candidates_as_the_recipe_asks_for_and_its_constant() -> None:
    fused = fused_rankings([hits("a", "b"), hits("b", "c")], 0, 2)
    assert [(hit.id, hit.score) for hit in fused] == [("b", 1.5), ("a", 1.0)]


def test_a_ranking_without_any_score_does_not_vote() -> None:
    assert [hit.id for hit in fused_rankings([hits("x", score=0.0), hits("a")], 60, 5)] == ["a"]


def test_fusion_goes_by_place_where_a_ranking_is_not_in_the_order_of_its_scores() -> None:
    balanced = (Hit("fi", 1, "fi", 0.1), Hit("en", 0, "en", 0.9))
    fused = fused_rankings([balanced, balanced], 60, 5)
    assert [hit.id for hit in fused] == ["fi", "en"]


def test_a_single_query_keeps_its_ranking_as_it_is() -> None:
    class OneQuery(TwoQueries):
        def expand(self, queries: Sequence[Query]) -> list[Expansion | WorkbenchError]:
            return [Expansion((query.text,), query.language) for query in queries]

    (item,) = traced(parts(FakeParts(), expander=OneQuery()))
    assert item.state.ranking == FakeRetriever().retrieve([Query("Mikä?", "fi", SCOPE)], 50)[0]


def test_the_constant_of_the_fusion_is_the_recipes() -> None:
    components = parts(FakeParts(), expander=TwoQueries())
    identities = {
        stage.identity
        for choices in ({}, {"rrf_k": 60}, {"rrf_k": 3})
        for stage in build_chain(make_recipe(choices), components).stages
        if stage.name == "retrieve"
    }
    assert len(identities) == 2


@pytest.mark.parametrize("mode", ["multirag", "drag", "pivot"])
def test_the_generator_reads_the_notes_and_the_documents_stay_the_evidence(mode: str) -> None:
    fakes = FakeParts()
    (item,) = traced(parts(fakes, compressor=Notes()), mode=mode)
    prompt = fakes.generator.prompts[0]
    assert "Marconi did it [1]." in prompt.user
    assert "Popov" not in prompt.user
    assert [entry.passage.id for entry in item.state.evidence] == ["c.th", "b.fi", "a.en"]


def test_pivots_notes_are_in_english() -> None:
    notes = Notes()
    traced(parts(FakeParts(), compressor=notes), mode="pivot")
    assert [(task.question, task.language) for task in notes.tasks] == [("[fi>en] Mikä?", "en")]


def test_crossrags_notes_are_on_the_translated_documents() -> None:
    notes = Notes()
    traced(parts(FakeParts(), compressor=notes), mode="crossrag")
    assert notes.tasks[0].evidence[0].text.startswith("[th>en]")


def test_where_no_document_bears_on_the_question_no_generator_is_asked() -> None:
    fakes = FakeParts()
    (item,) = traced(parts(fakes, compressor=Notes(abstains=True)))
    assert fakes.generator.prompts == []
    assert item.state.answer == nothing_retrieved_answer("fi")
    step = next(step for step in item.steps if step.name == "read answer")
    assert step.facts == {"not found": "no document that was retrieved bears on the question"}


def test_where_nothing_was_retrieved_nothing_is_compressed() -> None:
    notes = Notes()
    (item,) = traced(parts(FakeParts(), compressor=notes), State("Mikä?", "fi", ("de",)))
    assert notes.tasks == []
    assert item.state.answer == nothing_retrieved_answer("fi")


def numbers(user: str) -> list[str]:
    return [line[1] for line in user.splitlines() if line[:1] == "[" and line[1].isdigit() and line[2] == "]"]


@pytest.mark.parametrize("mode", ["multirag", "crossrag", "drag", "pivot"])
@pytest.mark.parametrize(
    ("order", "expected"),
    [("ranked", "123"), ("reversed", "321"), ("best-repeated", "1231"), ("long-context", "132")],
)
def test_a_prompt_lists_passages_in_the_recipes_order_each_under_its_rank(mode: str, order: str, expected: str) -> None:
    fakes = FakeParts()
    (item,) = traced(fakes.parts, mode=mode, passage_order=order)
    assert "".join(numbers(fakes.generator.prompts[0].user)) == expected
    assert [entry.rank for entry in item.state.evidence] == [1, 2, 3]


def test_the_order_is_a_fact_of_the_prompt() -> None:
    (item,) = traced(FakeParts().parts, passage_order="reversed")
    step = next(step for step in item.steps if step.name == "compose")
    assert step.facts["passage order"] == "reversed"


def test_notes_have_no_order_so_that_recipes_which_differ_in_it_share_their_steps() -> None:
    components = parts(FakeParts(), compressor=Notes())
    chains = [build_chain(make_recipe({"passage_order": order}), components) for order in ("ranked", "reversed")]
    assert chains[0].identity == chains[1].identity


def test_passages_drawn_for_the_mean_are_one_query_with_the_question() -> None:
    class Drawn(TwoQueries):
        def expand(self, queries: Sequence[Query]) -> list[Expansion | WorkbenchError]:
            return [Expansion(("One.", "Two."), query.language, is_averaged=True) for query in queries]

    fakes = FakeParts()
    (item,) = traced(parts(fakes, expander=Drawn()))
    assert fakes.retriever.queries == [AveragedQuery("Mikä?", "fi", SCOPE, ("One.", "Two."))]
    assert item.state.query == Query("Mikä?", "fi", SCOPE)
