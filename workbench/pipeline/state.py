"""The state that stages pass on: a frozen record that grows from a question to an answer."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import Compression, Evidence, Expansion, Generation, Prompt, Query, Ranking, Sections, Translation


@dataclass(frozen=True, slots=True)
class State:
    """One question on its way. `scope` holds the languages searched. A field is None until a stage has added it.

    `expansion` is what is searched with in place of the query, `compression` what is read in place of the evidence;
    None where the recipe has neither. `ranking` is the retriever's, `reranked` the reranker's of the same
    candidates, None where there is no reranker. `prompt_note` is a sentence on what the prompt could not do (a language
    without a translation), "" otherwise. After composing, `prompt` is None where nothing was retrieved, or nothing that
    bears on the question: then no generator is called.
    """

    question: str
    language: str
    scope: tuple[str, ...] = ()
    question_translation: Translation | None = None
    expansion: Expansion | None = None
    query: Query | None = None
    ranking: Ranking | None = None
    reranked: Ranking | None = None
    evidence: tuple[Evidence, ...] = ()
    compression: Compression | None = None
    prompt: Prompt | None = None
    prompt_note: str = ""
    generation: Generation | None = None
    sections: Sections | None = None
    answer: str = ""
    answer_language: str = ""
    answer_translation: Translation | None = None

    @property
    def final_ranking(self) -> Ranking:
        """The reranked ranking where there is a reranker, else the retriever's; () where nothing was retrieved."""
        return (self.ranking if self.reranked is None else self.reranked) or ()
