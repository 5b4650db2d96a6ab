"""What a judge sees of a finished cell, and which generators can judge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.components.references import checked_judge
from workbench.core.errors import UsageError
from workbench.core.records import Evidence, Generation, Passage, Task, Translation
from workbench.experiments.results.scoring import judge_context
from workbench.pipeline.prompts import dialectic
from workbench.pipeline.prompts.compose import render
from workbench.pipeline.stage import State

PASSAGE = Passage("p", "d", "Radio", "fi", "Radion keksi Marconi.")
TRANSLATED = Evidence(PASSAGE, 1, translation=Translation("Marconi invented radio.", "fi", "en", "exact"))


def test_a_passage_is_shown_translated_where_the_generator_read_it_so() -> None:
    assert judge_context(State("Who?", "en", evidence=(TRANSLATED,))).passages == ("Radio\nMarconi invented radio.",)


def test_instructions_are_the_system_prompt_and_for_drag_what_it_refers_to_without_documents() -> None:
    plain = Task("Who?", "en", evidence=(TRANSLATED,))
    prompt = render("reply-short-en", plain).prompt
    assert judge_context(State("Who?", "en", prompt=prompt)).instructions == prompt.system
    parts = replace(plain, dialectic=dialectic.PARTS)
    instructions = judge_context(State("Who?", "en", prompt=dialectic.render(parts))).instructions
    assert "#Instructions" in instructions and "weigh the passages" in instructions
    assert "Marconi" not in instructions


def test_following_instructions_is_judged_by_all_that_was_written() -> None:
    state = State("Who?", "en", answer="Marconi", generation=Generation("#Answer\nMarconi"))
    assert judge_context(state).output == "#Answer\nMarconi"


def test_the_built_in_reader_cannot_judge() -> None:
    with pytest.raises(UsageError, match="cannot judge"):
        checked_judge("extractive")


def test_instructions_are_judged_without_what_the_model_thinks() -> None:
    state = State("Who?", "en", generation=Generation("<think>Maybe Bell.</think>Marconi"))
    assert judge_context(state).output == "Marconi"
