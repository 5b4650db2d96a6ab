"""Writing a set of demonstrations: each question by the recipe of its kind, then the checks, a batch at a time.

Source: Ranaldi et al. (2025, D-RAG), section 2.5.2 and Appendix D. A strong model answers by D-RAG's own recipe and
prompt (Table 6), or for the control by plain RAG (Table 5) from the same documents. Every call is a step of the cache,
so that nothing is paid for twice. A call that fails leaves its demonstration unwritten, with the reason, and the next
run tries again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from workbench.app import Workbench
from workbench.core import Prompt, Task, without_thinking
from workbench.data import Corpus
from workbench.jobs.demonstrations.demonstration_checks import (
    FILTERS,
    Problem,
    answer_problem,
    citation_problem,
    judge_prompt,
    verdict_problem,
)
from workbench.jobs.demonstrations.demonstration_file import DemonstrationKind
from workbench.jobs.demonstrations.demonstration_store import (
    DemonstrationDraft,
    DemonstrationRequest,
    DemonstrationStore,
    SourcePassage,
)
from workbench.jobs.review_store import WAITING, DraftSet
from workbench.pipeline import (
    EXTRACTIVE,
    PART_LABELS,
    Chain,
    Executor,
    Generate,
    Recipe,
    State,
    answer_value,
    bind,
    build_chain,
    make_recipe,
    parse,
)
from workbench.workspace import batched

Progress = Callable[[str, int, int], None]
BATCH = 16
"""Demonstrations that are stored together."""
RAG_PROMPT = "answer-from-evidence-en"
"""Table 5, in our own words."""
BY_KIND: Mapping[DemonstrationKind, Mapping[str, object]] = {
    "drag": {"mode": "drag"},
    "rag": {"mode": "multirag", "prompt": RAG_PROMPT, "user_turn": "en", "max_new_tokens": 2048},
}


def demonstration_recipe(request: DemonstrationRequest, corpus: str, draft: DemonstrationDraft) -> Recipe:
    """The recipe that answers a draft's question."""
    choices = {"corpus": corpus, "generator": request.generator, "scope": draft.scope, "k": draft.k}
    return make_recipe({**choices, **BY_KIND[draft.kind]})


class DemonstrationWriter:
    """Writes the drafts of a set that are unwritten."""

    def __init__(
        self,
        store: DemonstrationStore,
        draft_set: DraftSet[DemonstrationRequest],
        bench: Workbench,
        corpus: Corpus,
        executor: Executor,
    ) -> None:
        """`executor` isolates failures. Raises UsageError, MissingError for a model that cannot be made."""
        self._store, self._set, self._bench, self._corpus = store, draft_set, bench, corpus
        self._executor = executor
        self._identifier = bench.registry.identifier()
        judge = draft_set.request.judge
        self._judge = bind([Generate(bench.registry.judge(judge), name="judge demonstration")]) if judge else ()

    def write(self, progress: Progress) -> None:
        """Writes every unwritten draft. Raises JobStopped; what is stored by then stays."""
        waiting = self._store.drafts(self._set.name, WAITING)
        done = 0
        for some in batched(waiting, BATCH):
            self._store.record(self._batch(list(some)))
            done += len(some)
            progress("demonstrations", done, len(waiting))

    def _batch(self, drafts: Sequence[DemonstrationDraft]) -> list[DemonstrationDraft]:
        answered: list[tuple[DemonstrationDraft, State]] = []
        written: list[DemonstrationDraft] = []
        # The question is searched once for all kinds: their documents are steps of the cache.
        for recipe, some in groupby(sorted(drafts, key=lambda item: (item.kind, item.scope, item.k)), key=self._recipe):
            for draft, state, failure in self._answered(recipe, list(some)):
                if failure:
                    written.append(replace(draft, reason=failure))
                elif problem := self._problem(draft, state):
                    written.append(_filtered(draft, problem))
                else:
                    answered.append((draft, state))
        return [*written, *self._judged(answered)]

    def _recipe(self, draft: DemonstrationDraft) -> Recipe:
        return demonstration_recipe(self._set.request, self._corpus.manifest.name, draft)

    def _chain(self, recipe: Recipe) -> Chain:
        return build_chain(recipe, self._bench.registry.components(recipe, self._corpus))

    def _answered(
        self, recipe: Recipe, drafts: Sequence[DemonstrationDraft]
    ) -> list[tuple[DemonstrationDraft, State, str]]:
        """Each draft with its text and documents, the finished state, and why a call failed, "" where none did."""
        languages = self._corpus.languages
        states = [State(item.question, item.language, recipe.searched(item.language, languages)) for item in drafts]
        traced = self._executor.run(self._chain(recipe), states)
        return [
            (draft, row.state, row.failure) if row.failure else (self._with_text(draft, row.state), row.state, "")
            for draft, row in zip(drafts, traced, strict=True)
        ]

    def _with_text(self, draft: DemonstrationDraft, state: State) -> DemonstrationDraft:
        manifest = self._corpus.manifest
        passages = tuple(
            SourcePassage(item.passage.id, item.title, item.language, item.text, manifest.licence, manifest.source)
            for item in state.evidence
        )
        text = _written_text(draft, state, shortened=self._set.request.generator == EXTRACTIVE)
        return replace(draft, reason="", text=text, passages=passages)

    def _problem(self, draft: DemonstrationDraft, state: State) -> Problem | None:
        """What is wrong without any judge, the first in the paper's order."""
        generation = state.generation
        if state.prompt is None or generation is None or generation.abstains:
            return "nothing found", generation.note if generation else ""
        if generation.finish == "length":
            return "format", "The reply reached its limit of tokens."
        parts = state.prompt.task.dialectic
        return answer_problem(draft.text, parts, draft.answers, draft.language) or citation_problem(
            draft.text, draft.question, draft.evidence, self._identifier
        )

    def _judged(self, answered: Sequence[tuple[DemonstrationDraft, State]]) -> list[DemonstrationDraft]:
        if not self._judge or not answered:
            return [replace(draft, status="draft") for draft, _ in answered]
        states = [
            State("", "", prompt=judge_prompt(state.prompt or Prompt("", "", Task("", "")), draft.text, draft.answers))
            for draft, state in answered
        ]
        outcomes = self._executor.step(self._judge[0], states)
        drafts: list[DemonstrationDraft] = []
        for (draft, _), outcome in zip(answered, outcomes, strict=True):
            generation = outcome.state.generation
            if outcome.failure or generation is None:
                # What was answered is in the cache; the judge is asked again by the next run.
                drafts.append(replace(draft, text="", passages=(), reason=outcome.failure))
            else:
                problem = verdict_problem(generation.text)
                drafts.append(_filtered(draft, problem) if problem else replace(draft, status="draft"))
        return drafts


def _written_text(draft: DemonstrationDraft, state: State, *, shortened: bool) -> str:
    """What a generator wrote: a D-RAG answer with each part under its label, in the order in which it wrote them.

    `shortened`: the built-in reader answers with sentences, of which the value that was asked for remains.
    """
    output = without_thinking(state.generation.text) if state.generation else ""
    sections = parse(output)
    documents = [item.text for item in state.evidence]
    value = answer_value(sections.answer, draft.question, draft.language, documents) if shortened else ""
    if draft.kind == "rag" or not sections.present:
        return value or output
    bodies = {part: getattr(sections, part) for part in sections.present}
    if value and "answer" in bodies:
        bodies["answer"] = value
    return "\n\n".join(f"{PART_LABELS[part]}\n{body}".strip() for part, body in bodies.items())


def _filtered(draft: DemonstrationDraft, problem: Problem) -> DemonstrationDraft:
    name, detail = problem
    sentence = FILTERS[name]
    return replace(
        draft, status="filtered", filter=name, reason=f"{sentence[0].upper()}{sentence[1:]}. {detail}".strip()
    )
