"""The state that stages pass on: a frozen record that grows from a question to an answer."""

# A module of its own although it is short: everything that asks, scores or judges needs the record and no stage.

from __future__ import annotations

from dataclasses import dataclass

from workbench.records import Evidence, Generation, Prompt, Query, Ranking, Sections, Translation


@dataclass(frozen=True, slots=True)
class State:
    """One question on its way. `scope` holds the languages searched. A field is None until a stage has added it.

    `prompt_note` is a sentence on what the prompt could not do (a language without a translation), "" otherwise.
    """

    question: str
    language: str
    scope: tuple[str, ...] = ()
    question_translation: Translation | None = None
    query: Query | None = None
    ranking: Ranking | None = None
    evidence: tuple[Evidence, ...] = ()
    prompt: Prompt | None = None
    prompt_note: str = ""
    generation: Generation | None = None
    sections: Sections | None = None
    answer: str = ""
    answer_language: str = ""
    answer_translation: Translation | None = None
